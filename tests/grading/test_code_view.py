"""Code is shown exactly, coloured or not, with nothing hidden in it."""

import re
from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.config import PROJECT_ROOT
from app.web import code_view
from app.web.code_view import is_hidden, view_code, visible_text
from app.web.markdown import render_markdown

LETTERS = st.text(
    st.one_of(
        st.sampled_from("\n\r\t \u200b\u202e\u2066\ufeff\xa0<>&\"'#()=:@"),
        st.characters(exclude_categories=["Cs"], exclude_characters="\x00"),
    ),
    max_size=200,
)


def text_of(html: str) -> str:
    return unescape(re.sub(r"<[^>]*>", "", html).replace("&#13;", "\r"))


@given(LETTERS)
def test_the_text_stays_exactly_what_it_is(text: str) -> None:
    assert text_of("".join(view_code(text, "python").lines)) == text


@given(LETTERS)
def test_no_text_becomes_markup(text: str) -> None:
    html = "".join(view_code(text, "python").lines)
    assert set(re.findall(r"<(/?\w+)", html)) <= {"span", "/span", "bdi", "/bdi"}


def test_python_is_coloured_by_few_classes() -> None:
    [first, second] = view_code('def f(x):\n\treturn "<unk>"  # no', "python").lines
    assert first == '<span class="k">def</span> <span class="f">f</span>(x):\n'
    assert second.startswith('\t<span class="k">return</span> <span class="s">&#34;&lt;unk&gt;&#34;</span>')


def test_lines_are_those_that_an_editor_counts() -> None:
    assert len(view_code("a\n\nb\n", "python").lines) == 3
    assert len(view_code("a\r\nb", "python").lines) == 2
    assert len(view_code("a\x0bb\u2028c\x85d", "python").lines) == 1
    assert len(view_code("", "python").lines) == 1


@pytest.mark.parametrize(
    ("letter", "code"),
    [("\u202e", "U+202E"), ("\u2066", "U+2066"), ("\u200b", "U+200B"), ("\xa0", "U+00A0"), ("\ufeff", "U+FEFF")],
)
def test_hidden_characters_are_named(letter: str, code: str) -> None:
    view = view_code(f"access = 'user{letter} # admin'", "python")
    assert f'data-code="{code}"' in view.lines[0]
    assert letter in view.lines[0], "copying still gives the original"
    assert view.hidden


def test_line_ends_tabs_and_letters_of_the_world_are_not_hidden() -> None:
    assert not view_code("имя = 'שלום'\t# 你好\r\n", "python").hidden
    assert not any(map(is_hidden, "\t\n aé漢"))
    assert is_hidden("\u3164")


def test_code_that_is_too_long_is_shown_plain(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "<span" not in "".join(view_code("x = 1\n" * 5000, "python").lines)
    assert "<span" not in "".join(view_code("x = 1 + " * 1000, "python").lines)
    monkeypatch.setattr(code_view, "BUDGET_SECONDS", -1)
    assert "<span" not in "".join(view_code("for budget in time: pass", "python").lines)


def test_an_unknown_language_is_shown_plain() -> None:
    assert view_code("x = 1", "no such language").lines == ("x = 1",)


def test_running_text_is_escaped_and_marked() -> None:
    assert visible_text("a <b> \u200b") == (
        'a &lt;b&gt; <bdi class="hidden-character" data-code="U+200B" title="zero width space">\u200b</bdi>'
    )


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "[x](javascript:alert(1))",
        "![x](http://elsewhere/pixel.png)",
        '<img src=x onerror="alert(1)">',
        "[x](data:text/html,hello)",
    ],
)
def test_markdown_lets_nothing_dangerous_through(text: str) -> None:
    html = render_markdown(text)
    assert not re.search(r"<script|<img|href=.(javascript|data)", html)


def test_markdown_renders_what_people_write() -> None:
    html = render_markdown("# Title\n\n- **one**\n\n| a | b |\n|---|---|\n| 1 | 2 |\n")
    assert "<h2>Title</h2>" in html
    assert "<strong>one</strong>" in html
    assert "<table>" in html


def test_colours_have_enough_contrast_on_both_grounds() -> None:
    sheet = "".join((PROJECT_ROOT / "static/css" / name).read_text() for name in ("grading.css", "base.css"))
    pairs = dict(re.findall(r"--([\w-]+): light-dark\((#\w{6}, #\w{6})\)", sheet))
    grounds = pairs["surface"].split(", ")
    for name, value in pairs.items():
        if not name.startswith("code-"):
            continue
        for colour, ground in zip(value.split(", "), grounds, strict=True):
            assert contrast(colour, ground) >= 4.5, f"{name} {colour} on {ground}"


def contrast(one: str, other: str) -> float:
    """WCAG 2.2, relative luminance."""
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def luminance(colour: str) -> float:
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return sum(weight * channel for weight, channel in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
