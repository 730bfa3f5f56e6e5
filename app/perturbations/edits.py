"""Changes of a text at places that are counted in the old one."""

from collections.abc import Iterable
from typing import NamedTuple


class Edit(NamedTuple):
    """The characters from ``start`` to before ``end`` become ``text``; it is inserted where both are the same."""

    start: int
    end: int
    text: str


def apply(text: str, edits: Iterable[Edit]) -> str:
    """The text with all changes, which may come in any order but never overlap."""
    pieces, behind = [], 0
    for edit in sorted(edits):
        pieces += [text[behind : edit.start], edit.text]
        behind = edit.end
    return "".join([*pieces, text[behind:]])
