"""Code as a reader must see it: white space exact, coloured, and with nothing hidden in it.

Every character of the text stays in the page in its order, so copying gives the original. Characters that can't be
seen, or that would move others about, are marked with their name. Blanks that matter carry a sign that the style
sheet shows on demand, and always where two texts differ.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby, pairwise
from operator import itemgetter
from typing import TypeVar

from markupsafe import Markup, escape

from app.hidden_characters import is_hidden, is_hidden_in_names, misleads
from app.web.colouring import styled_pieces
from app.web.difference import Part, difference
from app.words import pgettext

__all__ = ["CodeView", "PairView", "is_hidden", "isolated_name", "plain_text"]
__all__ += ["breakable_name", "view_code", "view_pair", "visible_name", "visible_text"]

# A cached view takes some ten times its text.
MOST_CACHED = 8_000

# What may need a mark: whatever is not plain ASCII, and blanks: more than one, at an edge of a line or beside a tab.
# Its first letter comes first, so that the search looks no closer at any other.
ODD = re.compile(r"[^!-~\n](?:(?<=[^ ])| +|(?<![^\t\n] )|(?=[\t\r\n]|\Z))")
# Where texts differ, blanks count, unless they only part two changed words, and so does every line end.
ODD_WHERE_CHANGED = re.compile(r"\t| +|\r?\n|[^ -~\n]")
LINE_END = re.compile(r"\n")
ODD_IN_RUNNING_TEXT = re.compile(r"[^ -~\n\t]")

# Where a long name in one word may go on in the next line.
HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
LONG_WORD = 14

SIGNS = {"\t": "→", "\n": "↵", "\r\n": "CRLF"}

Attribute = TypeVar("Attribute")
# A stretch of text within one line, changed or not, in one style; the mark says how it must be shown: as it is (""),
# as a blank, or by its name.
_Piece = tuple[tuple[int, bool], str, str, str]


@dataclass(frozen=True, slots=True)
class CodeView:
    """Lines of HTML; ``hidden`` says whether marks stand for characters that can't be seen."""

    lines: tuple[str, ...]
    hidden: bool

    @property
    def html(self) -> Markup:
        """All lines, each in its element."""
        lines = "".join([f'<span class="line">{line}</span>' for line in self.lines])
        return Markup(lines)  # noqa: S704 - each piece of a line was escaped  # nosec B704

    @property
    def digits(self) -> int:
        """How wide the line numbers are."""
        return len(str(len(self.lines)))

    @property
    def is_empty(self) -> bool:
        """Whether there is no text at all."""
        return not any(self.lines)


@dataclass(frozen=True, slots=True)
class PairView:
    """Two texts with what differs marked, and in how many places they do. ``names``: what each is called."""

    first: CodeView
    second: CodeView
    places: int
    names: tuple[str, str]


def view_code(text: str, language: str) -> CodeView:
    """The text as lines of HTML, coloured for the language where that is quick enough."""
    return _cached_code(text, language) if len(text) <= MOST_CACHED else _view(text, language)


def view_pair(first: str, second: str, language: str, names: tuple[str, str] = ("A", "B")) -> PairView:
    """Both texts, with what only one of them has marked: alike, since neither need be the earlier."""
    words = _only_in(names[0]), _only_in(names[1])
    small = len(first) + len(second) <= MOST_CACHED
    return (_cached_pair if small else _pair)(first, second, language, names, words)


def _only_in(name: str) -> str:
    """What a listener hears before such a stretch."""
    return pgettext("of two texts", "only in %(name)s", name=name)


def _pair(first: str, second: str, language: str, names: tuple[str, str], words: tuple[str, str]) -> PairView:
    found = difference(first, second)
    return PairView(
        _view(first, language, found.first, words[0]),
        _view(second, language, found.second, words[1]),
        found.places,
        names,
    )


def _view(text: str, language: str, parts: Iterable[Part] = (), only: str = "") -> CodeView:
    changes = [(part.changed, part.text) for part in parts] or [(False, text)]
    marks = _marks(text, changes)
    pieces = _pieces(text, _starts(changes), _starts(styled_pieces(text, language)), marks)
    count = text.count("\n") + (not text.endswith("\n"))  # a final line end opens no further line
    lines: list[list[str]] = [[] for _ in range(count)]
    for (line, changed), run in groupby(pieces, itemgetter(0)):
        html = _styled_html(run)
        lines[line].append(_changed_html(html, only) if changed else html)
    return CodeView(tuple(map("".join, lines)), "hidden" in marks.values())


_cached_code = lru_cache(maxsize=1024)(_view)
_cached_pair = lru_cache(maxsize=512)(_pair)


def _starts(parts: Iterable[tuple[Attribute, str]]) -> dict[int, Attribute]:
    """What is said of the text's parts, by where it starts to be."""
    starts: dict[int, Attribute] = {}
    at, before = 0, None
    for attribute, part in parts:
        if part and attribute != before:
            starts[at] = before = attribute
        at += len(part)
    return starts


def _marks(text: str, changes: Iterable[tuple[bool, str]]) -> dict[int, str]:
    """Where in the text the mark changes that what follows must carry ("" for none)."""
    marks = {0: ""}
    start = 0
    for changed, part in changes:
        end = start + len(part)
        for first, last, mark in _marks_between(text, start, end, ODD_WHERE_CHANGED if changed else ODD):
            marks[first], marks[last] = mark, ""
        start = end
    return marks


def _marks_between(text: str, start: int, end: int, odd: re.Pattern[str]) -> Iterator[tuple[int, int, str]]:
    for found in odd.finditer(text, start, end + 2):  # whether a blank ends a line is seen behind it
        first, last = found.span()
        if first >= end:
            break
        if found[0] == " " and start < first < end - 1 and _parts_words(text, first):
            continue
        mark = "blank" if found[0].strip(" ") in ("", *SIGNS) else "hidden" if misleads(text, first) else ""
        if mark:
            yield first, min(last, end), mark


def _parts_words(text: str, at: int) -> bool:
    """Whether a blank merely stands between two words: where both are changed, it is no change by itself."""
    return not text[at - 1].isspace() and not text[at + 1].isspace()


def _pieces(text: str, changes: dict[int, bool], styles: dict[int, str], marks: dict[int, str]) -> Iterator[_Piece]:
    """The text cut wherever a line, a change, a style or a mark starts."""
    # At "\n" alone: str.splitlines would cut at characters that we mark instead.
    lines = {found.end(): number for number, found in enumerate(LINE_END.finditer(text), start=1)}
    line, changed, style, mark = 0, False, "", ""
    for start, end in pairwise(sorted({*lines, *changes, *styles, *marks, len(text)})):
        line, changed = lines.get(start, line), changes.get(start, changed)
        style, mark = styles.get(start, style), marks.get(start, mark)
        yield (line, changed), style, mark, text[start:end]


def _changed_html(content: str, only: str) -> str:
    return f'<span class="only" data-word="{escape(only)}">{content}</span>'


def _styled_html(pieces: Iterable[_Piece]) -> str:
    html = []
    for style, run in groupby(pieces, itemgetter(1)):
        content = list(run)
        inner = "".join([_piece_html(mark, text) for _, _, mark, text in content])
        is_seen = style and not "".join([text for _, _, _, text in content]).isspace()
        html.append(f'<span class="{style}">{inner}</span>' if is_seen else inner)
    return "".join(html)


def _piece_html(mark: str, text: str) -> str:
    if not mark:
        return escape(text)
    if mark == "hidden":
        return _name_mark(text)
    return f'<span class="w" data-sign="{SIGNS.get(text, "·" * len(text))}">{text}</span>'


def visible_text(text: str) -> Markup:
    """Running text, escaped, with what can't be seen marked."""
    return _marked(text, lambda at: misleads(text, at))


def visible_name(text: object) -> Markup:
    """A name or a short text, escaped, with what can't be seen marked; in it a no-break space is just a space."""
    shown = str(text)
    if shown.isascii() and shown.isprintable():
        return escape(shown)
    return _marked(shown, lambda at: is_hidden_in_names(shown[at]))


def isolated_name(text: object) -> Markup:
    """As ``visible_name``, and so that its direction doesn't turn the words beside it round."""
    return Markup("<bdi>{}</bdi>").format(visible_name(text))


def breakable_name(text: object) -> Markup:
    """As ``visible_name``; a long word of a narrow column may break before its inner capitals."""
    shown = str(text)
    if not (shown.isascii() and shown.isprintable()):
        return visible_name(text)
    words = [HUMP.split(word) if len(word) >= LONG_WORD else [word] for word in shown.split(" ")]
    return Markup(" ").join(Markup("<wbr>").join(map(escape, parts)) for parts in words)


def plain_text(text: object) -> str:
    """The text without what can't be seen, for titles and attributes, which can hold no marks."""
    shown = str(text)
    if shown.isascii() and shown.isprintable():
        return shown
    return "".join(letter for letter in shown if not is_hidden_in_names(letter))


def _marked(text: str, is_marked: Callable[[int], bool]) -> Markup:
    html: list[str] = []
    start = 0
    for found in ODD_IN_RUNNING_TEXT.finditer(text):
        if is_marked(found.start()):
            html += [escape(text[start : found.start()]), _name_mark(found[0])]
            start = found.end()
    return Markup("".join([*html, escape(text[start:])]))  # noqa: S704 - each part was escaped  # nosec B704


def _name_mark(letter: str) -> str:
    code = f"U+{ord(letter):04X}"
    name = escape(unicodedata.name(letter, "control character").lower())
    # A character reference keeps a lone CR from being turned into a line end by the HTML parser.
    shown = "&#13;" if letter == "\r" else escape(letter)
    return f'<bdi class="hidden-character" data-code="{code}" title="{name}">{shown}</bdi>'
