"""The tokens of a program, strings whole, and the places between them."""

from functools import lru_cache
from typing import NamedTuple

from tree_sitter import Node

from app.perturbations.python.source import Source, walk

_WHOLE = frozenset({"string", "comment"})


class Token(NamedTuple):
    """A word, sign, string or comment of the program's text."""

    start: int
    end: int
    kind: str


@lru_cache(maxsize=256)
def tokens(source: Source) -> tuple[Token, ...]:
    """All of them in the text's order; a string counts as one, whatever is put into it."""
    nodes = walk(source.root, _is_whole)
    return tuple(
        Token(node.start_byte, node.end_byte, node.type)
        for node in nodes
        if (_is_whole(node) or not node.children) and node.end_byte > node.start_byte
    )


def _is_whole(node: Node) -> bool:
    return node.type in _WHOLE


@lru_cache(maxsize=256)
def strings(source: Source) -> tuple[Token, ...]:
    """The program's strings."""
    return tuple(token for token in tokens(source) if token.kind == "string")


@lru_cache(maxsize=256)
def identifiers(source: Source) -> dict[int, str]:
    """The place and text of each name; those in ``f"{name=}"`` are left out, whose text is printed."""
    nodes = (node for node in walk(source.root, _prints_its_text) if node.type == "identifier")
    return {node.start_byte: source.text(node.start_byte, node.end_byte) for node in nodes}


def _prints_its_text(node: Node) -> bool:
    return node.type == "interpolation" and any(child.type == "=" for child in node.children)


def in_string(source: Source, place: int) -> bool:
    """Whether a place lies within a string, behind its first and before its last quote."""
    return any(token.start < place < token.end for token in strings(source))


def is_blank_line_allowed(source: Source, place: int) -> bool:
    """Whether a line break may be put in at a place that ends or begins a line, and the program stays the same.

    Not within a string, and not between a backslash and the line that it goes on with.
    """
    before = source.code[:place].rstrip(b"\r\n")
    in_comment = any(token.end == len(before) for token in tokens(source) if token.kind == "comment")
    return not in_string(source, place) and (in_comment or not before.endswith(b"\\"))
