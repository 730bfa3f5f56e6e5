"""Code in styled pieces, by Pygments on the server; without colour where that would keep a reader waiting."""

import re
import time
from functools import lru_cache
from itertools import groupby
from operator import itemgetter

from pygments.lexer import RegexLexer
from pygments.token import Comment, Generic, Keyword, Name, Number, Operator, String, _TokenType

from app.services.code_languages import lexer_of
from app.web.lexing import Token, tokens_of

MOST_COLOURED = 20_000
LONGEST_COLOURED_LINE = 2_000
# The budget is looked at between tokens; within one, C's lexer takes a time that grows with the square of such a run.
LONG_BLANK = re.compile(r"\s{200}")
BUDGET_SECONDS = 0.15
LOOK_SECONDS = 0.01

# Few colours, few bytes: names, operators and punctuation stay as they are.
STYLES: tuple[tuple[_TokenType, str], ...] = (
    (Comment.PreprocFile, "s"),
    (Comment.Preproc, "k"),  # "#include" is no comment to a reader
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
    (Name.Exception, "b"),
    (Name.Tag, "k"),
    (Name.Attribute, "b"),
    (Generic.Heading, "k"),
    (Generic.Subheading, "k"),
)

Piece = tuple[str, str]  # style ("" for none) and text


def styled_pieces(text: str, language: str) -> list[Piece]:
    """The text in pieces of one style each; together they are the text."""
    return _coloured(text, language) or [("", text)]


def _coloured(text: str, language: str) -> list[Piece] | None:
    """None when the text is too long, the language unknown, or time is up."""
    lexer = lexer_of(language)
    if lexer is None or _is_too_much(text):
        return None
    try:
        # Many lexers see a comment on the last line only if a line end closes it.
        tokens = _within_budget(lexer, f"{text}\n")
    except TimeoutError:
        return None
    styled = [(_style(kind), value) for _, kind, value in tokens]
    pieces = [(style, "".join([value for _, value in run])) for style, run in groupby(styled, itemgetter(0))]
    # A lexer that drops or changes a character must not change what is graded.
    return _without_last(pieces) if "".join([value for _, value in pieces]) == f"{text}\n" else None


def _without_last(pieces: list[Piece]) -> list[Piece]:
    """The pieces without their last character."""
    style, value = pieces[-1]
    return [*pieces[:-1], (style, value[:-1])] if len(value) > 1 else pieces[:-1]


def _is_too_much(text: str) -> bool:
    if len(text) > MOST_COLOURED or LONG_BLANK.search(text):
        return True
    return max(map(len, text.split("\n"))) > LONGEST_COLOURED_LINE


def _within_budget(lexer: RegexLexer, text: str) -> list[Token]:
    # Before the clock runs: what the first text of a language costs would take its colours away for good.
    tokens = tokens_of(lexer, text)
    # The thread's own time: a busy machine must not take the colours away. Asking for it costs more than most tokens
    # do, so it is done now and then.
    deadline = time.thread_time() + BUDGET_SECONDS
    look = time.monotonic() + LOOK_SECONDS
    found: list[Token] = []
    for token in tokens:
        found.append(token)
        if time.monotonic() > look:
            if time.thread_time() > deadline:
                raise TimeoutError
            look = time.monotonic() + LOOK_SECONDS
    return found


@lru_cache(maxsize=256)
def _style(kind: _TokenType) -> str:
    # A token type is a tuple of names; its ancestors are the tuple's beginnings.
    return next((style for parent, style in STYLES if kind[: len(parent)] == parent), "")
