"""What differs between two texts is found in words, exactly, and in time."""

import random
import re
import time
from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app import words
from app.web.code_view import view_pair
from app.web.difference import Difference, Part, difference

TEXTS = st.text(
    st.one_of(st.sampled_from("ab \n\r\t.,()\u0301\u200d\u202e漢\xa0<&"), st.characters(exclude_categories=["Cs"])),
    max_size=120,
)


def marked(parts: tuple[Part, ...]) -> str:
    return "".join(f"[{part.text}]" if part.changed else part.text for part in parts)


def both(found: Difference) -> tuple[str, str]:
    return marked(found.first), marked(found.second)


@given(TEXTS, TEXTS)
def test_the_parts_are_the_texts_and_what_is_unmarked_is_the_same(first: str, second: str) -> None:
    found = difference(first, second)
    assert "".join(part.text for part in found.first) == first
    assert "".join(part.text for part in found.second) == second
    unmarked = ["".join(part.text for part in side if not part.changed) for side in (found.first, found.second)]
    assert unmarked[0] == unmarked[1]
    assert (found.places == 0) == (first == second)


@given(TEXTS, TEXTS)
def test_the_page_holds_both_texts_exactly(first: str, second: str) -> None:
    view = view_pair(first, second, "python")
    for side, text in ((view.first, first), (view.second, second)):
        html = "".join(side.lines)
        assert unescape(re.sub("<[^>]*>", "", html).replace("&#13;", "\r")) == text
        assert html.count("<span") == html.count("</span>")
        assert len(side.lines) == max(1, text.count("\n") + (not text.endswith("\n")))


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("Sum the list.", "Sum a list.", ("Sum [the] list.", "Sum [a] list.")),
        ("f(a, b)", "f(x, y)", ("f([a], [b])", "f([x], [y])")),
        ("the old man", "a young man", ("[the old] man", "[a young] man")),  # not two changes around a blank
        ("return x", "RETURN x", ("[return] x", "[RETURN] x")),
        ("if x:\n    y", "if x:\n\ty", ("if x:\n[    ]y", "if x:\n[\t]y")),
        ("a\nb", "a\n\nb", ("a\nb", "a\n[\n]b")),
        ("a\nb\n", "a  \nb", ("a\nb[\n]", "a[  ]\nb")),
        ("a\r\nb", "a\nb", ("a[\r\n]b", "a[\n]b")),
        ("one\ntwo\nthree\n", "one\nthree\n", ("one\n[two\n]three\n", "one\nthree\n")),
        ("f:\n    a\n    b\n", "f:\n    b\n", ("f:\n[    a\n]    b\n", "f:\n    b\n")),
        ("cafe x", "cafe\u0301 x", ("[cafe] x", "[cafe\u0301] x")),  # an accent is never torn from its letter
        ("求和列表", "求列表", ("求[和]列表", "求列表")),
        ("same", "same", ("same", "same")),
        ("", "new", ("", "[new]")),
        ("old", "", ("[old]", "")),
    ],
)
def test_changes_are_those_that_a_reader_sees(first: str, second: str, expected: tuple[str, str]) -> None:
    assert both(difference(first, second)) == expected


def test_long_texts_differ_by_lines_and_then_by_words() -> None:
    lines = [f"value_{n} = compute({n}, {n * n})  # step {n}\n" for n in range(400)]
    changed = [*lines[:150], lines[150].replace("compute", "guess"), *lines[151:300], "extra()\n", *lines[300:]]
    found = difference("".join(lines), "".join(changed))
    assert [part.text for part in found.first if part.changed] == ["compute"]
    assert [part.text for part in found.second if part.changed] == ["guess", "extra()\n"]


def test_beyond_any_reading_whole_lines_are_marked() -> None:
    lines = [f"x{n} = f({n})\n" for n in range(20_000)]
    changed = [*lines[:7], "x7 = g(7)\n", *lines[8:]]
    found = difference("".join(lines), "".join(changed))
    assert [part.text for part in found.second if part.changed] == ["x7 = g(7)\n"]


def rivals(letters: str, joint: str, count: int) -> tuple[str, str]:
    draw = random.Random(7)
    first, second = (joint.join(draw.choice(letters) for _ in range(count)) for _ in range(2))
    return first, second


HARD = {
    "one mark over and over": ("." * 20_000, "." * 19_000),
    "two words in turn": ("ab ba " * 3_300, "ba ab " * 3_300),
    "marks at random": rivals(".,;:", "", 20_000),
    "words at random": rivals("abcde", " ", 10_000),
    "lines at random": rivals("abcde", "\n", 10_000),
    "many paragraphs": (
        "".join("a b " * 75 + f"\nsame {n}\n" for n in range(66)),
        "".join("b a " * 75 + f"\nsame {n}\n" for n in range(66)),
    ),
    "one endless line": ("x" * 500_000 + " a", "x" * 500_000 + " b"),
    "nothing in common": ("." * 500_000, "," * 500_000),
}


@pytest.mark.parametrize("name", HARD)
@pytest.mark.fault("F32")
def test_no_texts_keep_a_reader_waiting(name: str) -> None:
    """difflib alone takes seconds to hours, this a fraction of a second; the limit is for busy machines."""
    first, second = HARD[name]
    start = time.monotonic()
    found = difference(first, second)
    assert time.monotonic() - start < 10
    assert "".join(part.text for part in found.first) == first
    assert "".join(part.text for part in found.second) == second


def test_marks_show_what_can_not_be_seen_and_colours_stay() -> None:
    with words.speaking(words.LANGUAGES["de"]):
        view = view_pair("if x:\n    return 1\n", "if x:\n\treturn 1 \r\n", "python")
        a, b = (words.pgettext("of two texts", "only in %(name)s", name=name) for name in "AB")
    assert view.places == 2
    assert view.first.lines[1] == (
        f'<span class="only" data-word="{a}"><span class="w" data-sign="····">    </span></span>'
        '<span class="k">return</span> <span class="m">1</span>'
        f'<span class="only" data-word="{a}"><span class="w" data-sign="↵">\n</span></span>'
    )
    assert view.second.lines[1] == (
        f'<span class="only" data-word="{b}"><span class="w" data-sign="→">\t</span></span>'
        '<span class="k">return</span> <span class="m">1</span>'
        f'<span class="only" data-word="{b}"><span class="w" data-sign="·"> </span>'
        '<span class="w" data-sign="CRLF">\r\n</span></span>'
    )


def test_a_hidden_character_that_only_one_side_has_is_named_and_marked() -> None:
    view = view_pair("user = 1", "us\u200ber = 1", "python")
    assert '<span class="only" data-word="only in B">us<bdi class="hidden-character"' in view.second.lines[0]
    assert (view.first.hidden, view.second.hidden) == (False, True)


def test_neither_side_is_told_to_be_the_earlier_one() -> None:
    """Which of two texts stands left is drawn by lot: marks that said "removed" would tell, or mislead."""
    there, back = view_pair("get item", "get items", "text"), view_pair("get items", "get item", "text")
    assert there.first.lines[0] == 'get <span class="only" data-word="only in A">item</span>'
    assert back.first.lines[0] == 'get <span class="only" data-word="only in A">items</span>'
    assert there.second.lines[0] == back.first.lines[0].replace("in A", "in B")


def test_a_listener_hears_the_names_that_the_page_shows() -> None:
    view = view_pair("a", "b", "text", ("Left <", "Right"))
    assert view.names == ("Left <", "Right")
    assert view.first.lines[0] == '<span class="only" data-word="only in Left &lt;">a</span>'
    assert view.second.lines[0] == '<span class="only" data-word="only in Right">b</span>'


def test_a_blank_between_two_changed_words_has_no_sign() -> None:
    shown = view_pair("Sort the big list now", "Order any list now", "text")
    assert "data-sign" not in "".join([*shown.first.lines, *shown.second.lines])
    widened = view_pair("Sort the list", "Sort the  list", "text")
    assert 'data-sign="' in "".join(widened.second.lines)
