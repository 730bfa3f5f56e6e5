"""Whether a changed text is still the same program."""

import ast

from app.metrics.python_syntax import parse_python
from app.perturbations.protocol import Problem
from app.perturbations.python.source import Source, is_bare_string


def is_same_program(source: Source, problem: Problem) -> bool:
    """Whether the syntax trees are equal, bare strings such as docstrings left aside."""
    tree = parse_python(problem.prompt + problem.canonical_solution)
    return tree is not None and _code(tree) == _code(source.tree)


def _code(tree: ast.Module) -> list[str]:
    bare = {node.value for node in ast.walk(tree) if is_bare_string(node)}
    return [_shape(node) for node in ast.walk(tree) if node not in bare]


def _shape(node: ast.AST) -> str:
    """A node's type and its own values, without those of its parts; the walk's order gives the structure."""
    values = [value for value in vars(node).items() if not value[0].endswith(("lineno", "col_offset"))]
    own = [(name, value) for name, value in values if not isinstance(value, ast.AST | list)]
    lengths = [(name, len(value)) for name, value in values if isinstance(value, list)]
    return f"{type(node).__name__}{own}{lengths}"
