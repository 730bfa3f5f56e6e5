"""How the released files' scripts find their way in a prompt: by its letters, not by its syntax."""

from typing import NamedTuple

QUOTES = ('"""', "'''")


class Span(NamedTuple):
    """A docstring, its quotes included."""

    start: int
    end: int


def docstring_span(prompt: str, behind: int) -> Span | None:
    """The first text between triple double quotes from a place on, else between triple single ones."""
    for quotes in QUOTES:
        start = prompt.find(quotes, behind)
        if start >= 0:
            end = prompt.find(quotes, start + 3)
            return Span(start, len(prompt) if end < 0 else end + 3)
    return None


def entry_docstring(prompt: str, entry_point: str) -> Span | None:
    """The first docstring behind the first mention of the entry point."""
    return docstring_span(prompt, max(prompt.find(entry_point), 0))


def leading_space(line: str) -> str:
    """The white space that a line begins with."""
    return line[: len(line) - len(line.lstrip())]
