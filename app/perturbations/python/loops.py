"""The loops of a function: where their parts stand, and what their bodies do."""

import ast
from dataclasses import dataclass
from functools import lru_cache

from tree_sitter import Node

from app.perturbations.edits import Edit
from app.perturbations.python.source import Function, Source, walk
from app.perturbations.python.statements import statements

_LOOPS = frozenset({"for_statement", "while_statement"})
_BRACKETED = frozenset({"parenthesized_expression", "list", "set", "dictionary", "tuple", "list_comprehension"})


@dataclass(frozen=True, eq=False)
class Loop:
    """A ``for`` or ``while`` of the function ``scope``; start to colon is its head, the colon included."""

    node: ast.For | ast.While
    scope: Function
    syntax: Node
    start: int
    colon: int

    def part(self, source: Source, name: str) -> str:
        """The text of a part of its head, by tree-sitter's name; in brackets where it could not stand alone."""
        part = self.syntax.child_by_field_name(name)
        if part is None:  # tree-sitter's grammar has it in every loop
            raise LookupError(f"a loop without {name}")
        text = source.text(part.start_byte, part.end_byte)
        is_open = part.type == "expression_list" or ("\n" in text and part.type not in _BRACKETED)
        return f"({text})" if is_open else text


@lru_cache(maxsize=256)
def loops(source: Source) -> tuple[Loop, ...]:
    """Those in the scope of a function, in the text's order; an ``async for`` has no other form."""
    syntax = {node.start_byte: node for node in walk(source.root) if node.type in _LOOPS}
    found = []
    for node, scope in statements(source):
        here = syntax.get(source.start(node))
        if isinstance(node, ast.For | ast.While) and here is not None and source.begins_line(here.start_byte):
            colon = next(child for child in here.children if child.type == ":")
            found.append(Loop(node, scope, here, here.start_byte, colon.end_byte))
    return tuple(found)


def own_continue(loop: Loop) -> bool:
    """Whether a ``continue`` of the body goes on with this loop, not with one inside."""
    return any(_continues(statement) for statement in loop.node.body)


def _continues(node: ast.AST) -> bool:
    if isinstance(node, ast.Continue):
        return True
    if isinstance(node, Function | ast.ClassDef | ast.Lambda):
        return False
    if isinstance(node, ast.For | ast.AsyncFor | ast.While):
        return any(_continues(child) for child in node.orelse)
    return any(_continues(child) for child in ast.iter_child_nodes(node))


def at_body_start(source: Source, loop: Loop, *lines: str) -> Edit:
    """Statements put before the body's: right below the head, so that they are visible where the head is."""
    first = source.start(loop.node.body[0])
    if not source.begins_line(first):
        return Edit(first, first, "".join(f"{line}; " for line in lines))
    place = source.line_end(loop.colon)
    return Edit(place, place, "".join(f"\n{source.indent(first)}{line}" for line in lines))


def at_body_end(source: Source, loop: Loop, line: str) -> Edit:
    """A statement put behind the body's last one."""
    first, last = source.start(loop.node.body[0]), source.end(loop.node.body[-1])
    if not source.begins_line(first):
        return Edit(last, last, f"; {line}")
    place = source.line_end(last)
    return Edit(place, place, f"\n{source.indent(first)}{line}")


def head(source: Source, loop: Loop, *lines: str) -> Edit:
    """The loop's head replaced by lines, the last of which is the new head."""
    return Edit(loop.start, loop.colon, f"\n{source.indent(loop.start)}".join(lines))
