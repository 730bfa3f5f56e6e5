"""Code is shown exactly, coloured or not, with nothing hidden in it."""

import re
import time
from collections.abc import Iterator
from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pygments.lexer import RegexLexer
from pygments.token import Name, _TokenType

from app.config import PROJECT_ROOT
from app.web import colouring, lexing
from app.web.code_view import is_hidden, view_code, visible_text
from app.web.colouring import styled_pieces
from app.web.markdown import inline_text, render_inline, render_markdown

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
@pytest.mark.fault("F35")
def test_no_text_becomes_markup(text: str) -> None:
    html = "".join(view_code(text, "python").lines)
    assert set(re.findall(r"<(/?\w+)", html)) <= {"span", "/span", "bdi", "/bdi"}


def test_python_is_coloured_by_few_classes() -> None:
    [first, second] = view_code('def f(x):\n\treturn "<unk>"  # no', "python").lines
    assert first == '<span class="k">def</span> <span class="f">f</span>(x):\n'
    assert '<span class="k">return</span> <span class="s">&#34;&lt;unk&gt;&#34;</span>' in second


def test_lines_are_those_that_an_editor_counts() -> None:
    assert len(view_code("a\n\nb\n", "python").lines) == 3
    assert len(view_code("a\r\nb", "python").lines) == 2
    assert len(view_code("a\x0bb\u2028c\x85d", "python").lines) == 1
    assert len(view_code("", "python").lines) == 1


@pytest.mark.parametrize(
    ("letter", "code"),
    [("\u202e", "U+202E"), ("\u2066", "U+2066"), ("\u200b", "U+200B"), ("\xa0", "U+00A0"), ("\ufeff", "U+FEFF")],
)
@pytest.mark.fault("F34")
def test_hidden_characters_are_named(letter: str, code: str) -> None:
    view = view_code(f"access = 'user{letter} # admin'", "python")
    assert f'data-code="{code}"' in view.lines[0]
    assert letter in view.lines[0], "copying still gives the original"
    assert view.hidden


@pytest.mark.parametrize(
    "text",
    [
        "a\U000e0041b",  # a tag: text that no font draws
        "a\ufe0fb",  # a selector
        "a\U000e0101b",
        "a\xadb",  # a soft hyphen
        "a\u034fb",  # joins accents, draws nothing
        "\u0301a",  # an accent at the start of a line
        "a\n\u0301b",
        "a\u0301\u0301\u0301\u0301\u0301b",  # a pile of accents over other lines
        "a\x85b",
        "a\u2028b",
        "a\u2029b",
        "a\rb",  # overwrites the line in a terminal
        "a\x08b",
        "x = 1\U0001d7ce0",  # a digit of another alphabet in a number
        "x = 1\u09ea",
        "p\u0430ssword",  # a Cyrillic letter in a Latin word
        "\uff45val(x)",  # Python reads this as eval
    ],
)
def test_what_misleads_is_named_where_it_stands(text: str) -> None:
    view = view_code(text, "python")
    html = "".join(view.lines)
    assert view.hidden
    assert html.count("<bdi") == 1
    assert text_of(html) == text
    assert "<bdi" in visible_text(text)


@pytest.mark.parametrize(
    "text", ["caf\u0065\u0301", "ΔE = μ·σ", "сору", "١٢٣", "наука 5", "शब्द", "שָׁלוֹם", "ﬁne", "x²", "a\r\nb"]
)
def test_what_people_write_is_left_alone(text: str) -> None:
    assert not view_code(text, "python").hidden


def test_blanks_that_matter_carry_a_sign() -> None:
    [line] = view_code("  a b\tc  d \r\n", "text").lines
    assert re.findall('data-sign="(.*?)">([ \t]+)<', line) == [("··", "  "), ("→", "\t"), ("··", "  "), ("·", " ")]
    assert text_of(line) == "  a b\tc  d \r\n"


@pytest.mark.fault("F32")
def test_a_very_long_text_is_shown_line_by_line() -> None:
    text = "    x = f(1)\t# ok  \n" * 20_000
    view = view_code(text, "python")
    assert (len(view.lines), view.digits) == (20_000, 5)
    assert text_of("".join(view.lines)) == text


def test_line_ends_tabs_and_letters_of_the_world_are_not_hidden() -> None:
    assert not view_code("имя = 'שלום'\t# 你好\r\n", "python").hidden
    assert not any(map(is_hidden, "\t\n aé漢"))
    assert is_hidden("\u3164")


@pytest.mark.fault("F32")
def test_code_that_takes_too_long_is_shown_plain(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not is_coloured("x = 1\n" * 5000, "python")
    assert not is_coloured("x = 1 + " * 1000, "python")
    monkeypatch.setattr(colouring, "BUDGET_SECONDS", -1)
    monkeypatch.setattr(colouring, "LOOK_SECONDS", -1)
    assert not is_coloured("for budget in time: pass", "python")


def test_a_language_s_first_text_is_coloured_however_long_its_rules_take(monkeypatch: pytest.MonkeyPatch) -> None:
    put_together = lexing._joined

    def slowly(*rules: object) -> object:
        end = time.thread_time() + 0.02
        while time.thread_time() < end:
            pass
        return put_together(*rules)  # type: ignore[arg-type]

    monkeypatch.setattr(lexing, "_joined", slowly)
    lexing._states_of.cache_clear()
    assert is_coloured("for first in language: pass", "python")


def test_slow_words_are_counted_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Some words take Groovy's lexer a tenth of a second each: sixteen of them would be a long wait."""
    words = []

    def slow(_: RegexLexer, match: re.Match[str]) -> Iterator[tuple[int, _TokenType, str]]:
        words.append(match[0])
        end = time.thread_time() + 0.04
        while time.thread_time() < end:
            pass
        yield match.start(), Name, match[0]

    class Slow(RegexLexer):
        tokens = {"root": [(r"\w+\s*", slow)]}  # noqa: RUF012 - as Pygments wants it

    monkeypatch.setattr(colouring, "lexer_of", lambda _: Slow())
    assert not is_coloured("word " * 50, "slow")
    assert 3 <= len(words) <= 5


@pytest.mark.parametrize("blank", [" ", "\n", "\t"])
def test_a_long_run_of_blanks_keeps_nobody_waiting(blank: str) -> None:
    """C's lexer needs minutes for this."""
    start = time.monotonic()
    assert not is_coloured("a" + blank * 1900, "c")
    assert time.monotonic() - start < 5


def is_coloured(code: str, language: str) -> bool:
    return any(style for style, _ in styled_pieces(code, language))


# Each with what a reader of that language looks for, by style.
SAMPLES = {
    "java": (
        "@Override\npublic int f(String s) { // no\n\treturn s + 42; }",
        {"k": "return", "c": "// no", "m": "42"},
    ),
    "javascript": (
        "async function f(x) { /* no */ return `a` + 42; }",
        {"k": "function", "s": "`a`", "c": "/* no */"},
    ),
    "typescript": ("export interface A { x: number } // no", {"k": "interface", "c": "// no"}),
    "c": ("#include <stdio.h>\nint main(void) { return 42; }", {"k": "#include", "s": "<stdio.h>", "f": "main"}),
    "c++": ("template<typename T> class A { }; // no", {"k": "class", "f": "A", "c": "// no"}),
    "c#": ("public int F(string s) => 42; // no", {"k": "public", "m": "42", "c": "// no"}),
    "go": ('func f(x int) string { return "s" }', {"k": "func", "s": '"s"'}),
    "rust": ("fn f(x: &str) -> i32 { let y = 42; y } // no", {"k": "fn", "f": "f", "m": "42", "c": "// no"}),
    "kotlin": ('fun f(x: Int): String { return "s" } // no', {"k": "fun", "f": "f", "c": "// no"}),
    "ruby": ("def f(x)\n  42 # no\nend", {"k": "def", "f": "f", "m": "42", "c": "# no"}),
    "php": ("function f($x) { return 's'; } // no", {"k": "function", "f": "f", "s": "'s'", "c": "// no"}),
    "sql": ("SELECT 's' FROM t -- no", {"k": "SELECT", "s": "'s'", "c": "-- no"}),
    "bash": ('if [ "$x" ]; then echo 42; fi # no', {"k": "then", "b": "echo", "m": "42", "c": "# no"}),
    "markdown": ("# Title\n\nprose with `code`\n", {"k": "# Title", "s": "`code`"}),
}


@pytest.mark.parametrize("language", SAMPLES)
def test_other_languages_are_coloured_too(language: str) -> None:
    code, expected = SAMPLES[language]
    found = [(style, text.strip()) for style, text in styled_pieces(code, language)]
    for style, text in expected.items():
        assert any(kind == style and text in part for kind, part in found), (style, text, found)
    assert "".join(text for _, text in styled_pieces(code, language)) == code


@pytest.mark.parametrize("language", ["text", "", "no such language"])
def test_prose_stays_plain(language: str) -> None:
    assert not is_coloured('if this is "prose" # 42', language)


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


@pytest.mark.parametrize(
    ("text", "html", "words"),
    [
        ("Is it **right**?", "Is it <strong>right</strong>?", "Is it right?"),
        ("Does `f(x)` *help*?", "Does <code>f(x)</code> <em>help</em>?", "Does f(x) help?"),
        ("# 1. Not a heading", "# 1. Not a heading", "# 1. Not a heading"),
        ("<b>a</b> & b", "&lt;b&gt;a&lt;/b&gt; &amp; b", "<b>a</b> & b"),
        ("snake_case_name * 2", "snake_case_name * 2", "snake_case_name * 2"),
    ],
)
def test_a_question_takes_the_markdown_of_a_line(text: str, html: str, words: str) -> None:
    assert render_inline(text) == html
    assert inline_text(text) == words


@pytest.mark.parametrize("text", ["[x](javascript:alert(1))", '<img src=x onerror="a()">', "![x](http://e/p.png)"])
def test_a_question_lets_nothing_dangerous_through(text: str) -> None:
    assert not re.search(r"<script|<img|href=.(javascript|data)", render_inline(text))


def test_what_cannot_be_seen_in_a_question_is_marked() -> None:
    for text in ("a\u202eb", "`a\u202eb`", "**a\u202eb**"):
        assert 'data-code="U+202E"' in render_inline(text)


def test_colours_have_enough_contrast_on_every_ground() -> None:
    sheet = "".join((PROJECT_ROOT / "static/css" / name).read_text() for name in ("code.css", "base.css"))
    colours = dict(re.findall(r"--([\w-]+): light-dark\((#\w{6}, #\w{6})\)", sheet))
    inks = [name for name in colours if name.startswith("code-")]
    assert len(inks) > 4
    for ink in (*inks, "text", "muted"):
        for ground in ("surface", "only"):
            for one, other in zip(colours[ink].split(", "), colours[ground].split(", "), strict=True):
                assert contrast(one, other) >= 4.5, f"{ink} {one} on {ground} {other}: {contrast(one, other):.2f}"
    for one, other in zip(colours["only-line"].split(", "), colours["only"].split(", "), strict=True):
        assert contrast(one, other) >= 3, "the line under what only one text has"


def contrast(one: str, other: str) -> float:
    """WCAG 2.2, relative luminance."""
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def luminance(colour: str) -> float:
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return sum(weight * channel for weight, channel in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
