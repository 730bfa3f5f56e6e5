"""Comparisons of two values, and how to turn one round."""

from collections import deque
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from tree_sitter import Node

from app.perturbations.edits import Edit
from app.perturbations.python.names import declared_elsewhere, means_builtin
from app.perturbations.python.source import Source, walk

MIRRORED = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "==": "==", "!=": "!="}
# They change nothing, whatever of Python's own types they are given.
_HARMLESS = frozenset({"len", "abs", "ord", "chr", "int", "float", "str", "bool"})
_CAN_ACT = frozenset({"call", "await", "yield"})
_STAYS = frozenset({"integer", "float", "string", "true", "false", "none"})


class Comparison(NamedTuple):
    """One with a single operator; tree-sitter's operands include their brackets."""

    left: Node
    operator: Node
    right: Node

    @property
    def end(self) -> int:
        """Where it ends."""
        return self.right.end_byte


@lru_cache(maxsize=256)
def comparisons(source: Source) -> tuple[Comparison, ...]:
    """Those of the function, in breadth-first order; what is put into strings is left out."""
    start, end = source.start(source.function), source.end(source.function)
    function = source.root.descendant_for_byte_range(start, end)
    return tuple(_found(function)) if function else ()


def _found(function: Node) -> Iterator[Comparison]:
    level = deque([function])
    while level:
        node = level.popleft()
        if node.type == "comparison_operator":
            parts = [child for child in node.children if child.type != "comment"]
            if len(parts) == 3 and parts[1].type in MIRRORED:
                yield Comparison(*parts)
        level.extend(child for child in node.children if child.type != "string")


def is_swappable(source: Source, comparison: Comparison) -> bool:
    """Whether no operand does anything that the other one could notice, whichever is evaluated first."""
    sides = (comparison.left, comparison.right)
    if b":=" in source.code[comparison.left.start_byte : comparison.right.end_byte]:
        return False
    acting = [side for side in sides if _can_act(source, side)]
    return not acting or any(_stays(source, side) for side in sides if side not in acting)


def swapped(source: Source, comparison: Comparison) -> list[Edit]:
    """The operands in each other's place, and the operator mirrored; what stands between them stays."""
    left, operator, right = comparison
    texts = [source.text(node.start_byte, node.end_byte) for node in comparison]
    return [
        Edit(left.start_byte, left.end_byte, _apart(source, left, texts[2])),
        Edit(operator.start_byte, operator.end_byte, MIRRORED[texts[1]]),
        Edit(right.start_byte, right.end_byte, _apart(source, right, texts[0])),
    ]


def _can_act(source: Source, node: Node) -> bool:
    return any(each.type in _CAN_ACT and not _is_harmless(source, each) for each in walk(node))


def _is_harmless(source: Source, call: Node) -> bool:
    called = call.child_by_field_name("function")
    name = source.text(called.start_byte, called.end_byte) if called else ""
    return name in _HARMLESS and means_builtin(source, name)


def _stays(source: Source, node: Node) -> bool:
    """Whether its value is the same before and after whatever the other side does."""
    if node.type == "identifier":
        return source.text(node.start_byte, node.end_byte) not in declared_elsewhere(source)
    return node.type in _STAYS and b"{" not in source.code[node.start_byte : node.end_byte]


def _apart(source: Source, place: Node, text: str) -> str:
    """``text`` with a space where it would grow together with the word before or behind it."""
    before = source.code[: place.start_byte].decode("utf-8")[-1:]
    behind = source.code[place.end_byte :].decode("utf-8")[:1]
    front = " " if _is_word(before) and _is_word(text[:1]) else ""
    back = " " if _is_word(text[-1:]) and _is_word(behind) else ""
    return f"{front}{text}{back}"


def _is_word(sign: str) -> bool:
    return sign.isalnum() or sign in {"_", "'", '"'}
