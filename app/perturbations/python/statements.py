"""The statements of the entry point's function, each with the function that it belongs to."""

import ast
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from app.perturbations.python.source import Function, Source, is_bare_string


class Placed(NamedTuple):
    """A statement, and the function whose scope it is in."""

    node: ast.stmt
    scope: Function


@lru_cache(maxsize=256)
def statements(source: Source) -> tuple[Placed, ...]:
    """All of them, inner ones too, in the text's order; those of a class's own body and bare strings are left out."""
    return tuple(_inside(source.function, source.function))


def _inside(node: ast.AST, scope: Function | None) -> Iterator[Placed]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt) and scope and not is_bare_string(child):
            yield Placed(child, scope)
        if isinstance(child, Function):
            yield from _inside(child, child)
        elif isinstance(child, ast.ClassDef):
            yield from _inside(child, None)
        elif isinstance(child, ast.stmt | ast.ExceptHandler | ast.match_case):
            yield from _inside(child, scope)
