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
from itertools import groupby
from typing import NamedTuple, TypeVar

from markupsafe import Markup, escape

from app.hidden_characters import is_hidden, is_hidden_in_names, misleads
from app.web.colouring import styled_pieces
from app.web.difference import Part, difference
from app.words import pgettext

__all__ = ["CodeView", "PairView", "is_hidden", "isolated_name", "plain_text"]
__all__ += ["breakable_name", "view_code", "view_pair", "visible_name", "visible_text"]

# A cached view takes some ten times its text.
MOST_CACHED = 8_000

# What may need a mark: blanks at an edge of a line or beside a tab, more than one, and whatever is not plain ASCII.
ODD = re.compile(r"\t| {2,}|(?<![^\t\n]) | (?=[\t\r\n]|\Z)|[^ -~\n]")
# Where texts differ, blanks count, unless they only part two changed words, and so does every line end.
ODD_WHERE_CHANGED = re.compile(r"\t| +|\r?\n|[^ -~\n]")
ODD_IN_RUNNING_TEXT = re.compile(r"[^ -~\n\t]")

# Where a long name in one word may go on in the next line.
HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
LONG_WORD = 14

SIGNS = {"\t": "→", "\n": "↵", "\r\n": "CRLF"}

Attribute = TypeVar("Attribute")
Other = TypeVar("Other")


@dataclass(frozen=True, slots=True)
class CodeView:
    """Lines of HTML; ``hidden`` says whether marks stand for characters that can't be seen."""

    lines: tuple[Markup, ...]
    hidden: bool

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


class _Piece(NamedTuple):
    """A stretch of text in one style; ``mark`` says how it must be shown: as it is, as a blank, or by its name."""

    changed: bool
    style: str
    mark: str
    text: str


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
    styled = _overlaid(styled_pieces(text, language), _marks(text, changes))
    pieces = [_Piece(changed, style, mark, part) for (changed, (style, mark)), part in _overlaid(changes, styled)]
    return CodeView(
        tuple(Markup(_line_html(line, only)) for line in _lines(pieces)),  # noqa: S704 - each part was escaped  # nosec B704
        any(piece.mark == "hidden" for piece in pieces),
    )


_cached_code = lru_cache(maxsize=1024)(_view)
_cached_pair = lru_cache(maxsize=512)(_pair)


def _marks(text: str, changes: Iterable[tuple[bool, str]]) -> Iterator[tuple[str, str]]:
    """The whole text cut into stretches with the mark that each must carry ("" for none)."""
    start = 0
    for changed, part in changes:
        end = start + len(part)
        yield from _marks_between(text, start, end, ODD_WHERE_CHANGED if changed else ODD)
        start = end


def _marks_between(text: str, start: int, end: int, odd: re.Pattern[str]) -> Iterator[tuple[str, str]]:
    first = start
    for found in odd.finditer(text, start, end + 2):  # whether a blank ends a line is seen behind it
        if found.start() >= end:
            break
        if found[0] == " " and first < found.start() < end - 1 and _parts_words(text, found.start()):
            continue
        mark = "blank" if found[0].strip(" ") in ("", *SIGNS) else "hidden" if misleads(text, found.start()) else ""
        if mark:
            yield "", text[start : found.start()]
            start = min(found.end(), end)
            yield mark, text[found.start() : start]
    yield "", text[start:end]


def _parts_words(text: str, at: int) -> bool:
    """Whether a blank merely stands between two words: where both are changed, it is no change by itself."""
    return not text[at - 1].isspace() and not text[at + 1].isspace()


def _overlaid(
    first: Iterable[tuple[Attribute, str]], second: Iterable[tuple[Other, str]]
) -> Iterator[tuple[tuple[Attribute, Other], str]]:
    """One text cut in two ways, cut in both: each stretch with both its attributes."""
    others, left = iter(second), ""
    for attribute, text in first:
        start = 0
        while start < len(text):
            if not left:
                other, left = next(others)
                continue
            taken = min(len(left), len(text) - start)
            yield (attribute, other), left[:taken]
            start, left = start + taken, left[taken:]


def _lines(pieces: Iterable[_Piece]) -> list[list[_Piece]]:
    """The pieces cut at line ends; each line keeps its end, so that the lines together are the text."""
    lines: list[list[_Piece]] = [[]]
    for piece in pieces:
        for part in _cut(piece.text):
            lines[-1].append(piece._replace(text=part) if part is not piece.text else piece)
            if part.endswith("\n"):
                lines.append([])
    if not lines[-1] and len(lines) > 1:
        lines.pop()  # a final line end closes the last line; it opens no further one
    return lines


def _cut(value: str) -> list[str]:
    """Parts that end with "\\n" alone: str.splitlines would cut at characters that we mark instead."""
    if "\n" not in value:
        return [value]
    *whole, rest = value.split("\n")
    return [*(f"{part}\n" for part in whole), *([rest] if rest else [])]


def _line_html(line: Iterable[_Piece], only: str) -> str:
    return "".join(
        _changed_html(_styled_html(pieces), only) if changed else _styled_html(pieces)
        for changed, pieces in groupby(line, key=lambda piece: piece.changed)
    )


def _changed_html(content: str, only: str) -> str:
    return f'<span class="only" data-word="{escape(only)}">{content}</span>'


def _styled_html(pieces: Iterable[_Piece]) -> str:
    html = []
    for style, run in groupby(pieces, key=lambda piece: piece.style):
        content = list(run)
        inner = "".join(map(_piece_html, content))
        is_seen = style and not all(piece.text.isspace() for piece in content)
        html.append(f'<span class="{style}">{inner}</span>' if is_seen else inner)
    return "".join(html)


def _piece_html(piece: _Piece) -> str:
    if piece.mark == "blank":
        return f'<span class="w" data-sign="{SIGNS.get(piece.text, "·" * len(piece.text))}">{piece.text}</span>'
    return _name_mark(piece.text) if piece.mark else escape(piece.text)


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
