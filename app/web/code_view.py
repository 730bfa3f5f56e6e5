"""Code as a reader must see it: white space exact, coloured, and with nothing hidden in it.

Every character of the text stays in the page in its order, so copying gives the original. Characters that can't be
seen, or that would move others about, are marked with their name (CVE-2021-42574 shows why).
"""

import time
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from markupsafe import Markup, escape
from pygments.lexer import RegexLexer
from pygments.lexers import get_lexer_by_name
from pygments.token import Comment, Keyword, Name, Number, Operator, String, _TokenType
from pygments.util import ClassNotFound

# Colouring must never keep a grader waiting; beyond these, code is shown plain.
MOST_COLOURED = 20_000
LONGEST_COLOURED_LINE = 2_000
BUDGET_SECONDS = 0.15

# Few colours, few bytes: names, operators and punctuation stay as they are.
STYLES: tuple[tuple[_TokenType, str], ...] = (
    (Comment, "c"),
    (String.Doc, "c"),
    (String, "s"),
    (Number, "m"),
    (Keyword.Constant, "m"),
    (Keyword, "k"),
    (Operator.Word, "k"),
    (Name.Function, "f"),
    (Name.Class, "f"),
    (Name.Decorator, "f"),
    (Name.Builtin, "b"),
)
# Letters and symbols by category, yet blank to the eye.
BLANK_LETTERS = frozenset("\u115f\u1160\u3164\uffa0\u2800")

Piece = tuple[str, str]  # style ("" for none) and text


@dataclass(frozen=True, slots=True)
class CodeView:
    """Lines of HTML; ``hidden`` says whether marks stand for characters that can't be seen."""

    lines: tuple[Markup, ...]
    hidden: bool

    @property
    def digits(self) -> int:
        """How wide the line numbers are."""
        return len(str(len(self.lines)))


@lru_cache(maxsize=1024)
def view_code(text: str, language: str) -> CodeView:
    """The text as lines of HTML, coloured for the language where that is quick enough."""
    pieces = _coloured(text, language) or [("", text)]
    lines = tuple(Markup("").join(map(_piece_html, line)) for line in _lines(pieces))
    return CodeView(lines, any(map(is_hidden, text.replace("\r\n", "\n"))))


def visible_text(text: str) -> Markup:
    """Running text, escaped, with what can't be seen marked."""
    return _marked(text)


def visible_name(text: object) -> Markup:
    """A name or a short text, escaped, with what can't be seen marked; in it a no-break space is just a space."""
    shown = str(text)
    return escape(shown) if shown.isascii() and shown.isprintable() else _marked(shown, _is_hidden_in_names)


def plain_text(text: object) -> str:
    """The text without what can't be seen, for titles and attributes, which can hold no marks."""
    return "".join(letter for letter in str(text) if not _is_hidden_in_names(letter))


def spelled_text(text: str) -> str:
    """The text with what can't be seen spelled out, for figures: they hold no marks but tell names apart."""
    return "".join(f"[U+{ord(letter):04X}]" if _is_hidden_in_names(letter) else letter for letter in text)


def _is_hidden_in_names(letter: str) -> bool:
    return is_hidden(letter) and unicodedata.category(letter) != "Zs" and letter != "\r"


def is_hidden(letter: str) -> bool:
    """Whether a reader would not see this character, or would take it for another."""
    if letter in "\t\n ":
        return False
    category = unicodedata.category(letter)
    return category in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp", "Zs") or letter in BLANK_LETTERS


def _coloured(text: str, language: str) -> list[Piece] | None:
    """The text in styled pieces; None when it is too long, the language unknown, or time is up."""
    lexer = _lexer(language)
    if lexer is None or len(text) > MOST_COLOURED or max(map(len, text.split("\n"))) > LONGEST_COLOURED_LINE:
        return None
    deadline = time.monotonic() + BUDGET_SECONDS
    pieces: list[Piece] = []
    for _, kind, value in lexer.get_tokens_unprocessed(text):
        if time.monotonic() > deadline:
            return None
        style = _style(kind)
        if pieces and pieces[-1][0] == style:
            pieces[-1] = (style, pieces[-1][1] + value)
        else:
            pieces.append((style, value))
    # A lexer that drops or changes a character must not change what is graded.
    return pieces if "".join(value for _, value in pieces) == text else None


@lru_cache(maxsize=32)
def _lexer(language: str) -> RegexLexer | None:
    try:
        lexer = get_lexer_by_name(language)
    except ClassNotFound:
        return None
    return lexer if isinstance(lexer, RegexLexer) else None


@lru_cache(maxsize=256)
def _style(kind: _TokenType) -> str:
    # A token type is a tuple of names; its ancestors are the tuple's beginnings.
    return next((style for parent, style in STYLES if kind[: len(parent)] == parent), "")


def _lines(pieces: Iterable[Piece]) -> list[list[Piece]]:
    """The pieces cut at line ends; each line keeps its end, so that the lines together are the text."""
    lines: list[list[Piece]] = [[]]
    for style, value in pieces:
        for part in _cut(value):
            lines[-1].append((style, part))
            if part.endswith("\n"):
                lines.append([])
    if not lines[-1] and len(lines) > 1:
        lines.pop()  # a final line end closes the last line; it opens no further one
    return lines


def _cut(value: str) -> Iterator[str]:
    """Parts that end with "\\n" alone: str.splitlines would cut at characters that we mark instead."""
    *whole, rest = value.split("\n")
    for part in whole:
        yield f"{part}\n"
    if rest:
        yield rest


def _piece_html(piece: Piece) -> Markup:
    style, text = piece
    content = _marked(text)
    return Markup('<span class="{}">{}</span>').format(style, content) if style and text.strip() else content


def _marked(text: str, hides: Callable[[str], bool] = is_hidden) -> Markup:
    return Markup("").join(_letters(text, hides))


def _letters(text: str, hides: Callable[[str], bool]) -> Iterator[Markup]:
    start = 0
    for index, letter in enumerate(text):
        if not hides(letter) or text[index : index + 2] == "\r\n":
            continue
        yield escape(text[start:index])
        yield _mark(letter)
        start = index + 1
    yield escape(text[start:])


def _mark(letter: str) -> Markup:
    code = f"U+{ord(letter):04X}"
    name = unicodedata.name(letter, "control character").lower()
    # A character reference keeps a lone CR from being turned into a line end by the HTML parser.
    shown = Markup("&#13;") if letter == "\r" else escape(letter)
    return Markup('<bdi class="hidden-character" data-code="{}" title="{}">{}</bdi>').format(code, name, shown)
