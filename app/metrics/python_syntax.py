"""Abstract syntax of Python text that may be anything at all."""

import ast
import warnings
from collections.abc import Iterator

# Beyond these bounds a text counts as one that doesn't parse. They keep the parser's own limits, which depend
# on how deep the caller's stack is and on the Python version, from deciding a score. Versions still differ in
# brackets nested deeper than about 90, and in f-strings that only Python 3.12's grammar allows.
MAX_CHARACTERS = 200_000
MAX_DEPTH = 200
GRAMMAR = (3, 11)


def parse_python(text: str) -> ast.Module | None:
    """The syntax tree by Python 3.11's grammar, or None where there is none; never raises, never warns."""
    if len(text) > MAX_CHARACTERS:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text, feature_version=GRAMMAR)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return tree if _is_shallow(tree) else None


def _is_shallow(tree: ast.AST) -> bool:
    level = [tree]
    for _ in range(MAX_DEPTH):
        level = [child for node in level for child in ast.iter_child_nodes(node)]
        if not level:
            return True
    return False


def repeats_an_argument(tree: ast.AST) -> bool:
    """Whether a call names a keyword twice or a function a parameter: it parses, but can't be compiled."""
    return any(len(names) != len(set(names)) for names in _argument_lists(tree))


def _argument_lists(tree: ast.AST) -> Iterator[list[str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield [keyword.arg for keyword in node.keywords if keyword.arg]
        elif isinstance(node, ast.arguments):
            yield [parameter.arg for parameter in all_parameters(node)]


def all_parameters(node: ast.arguments) -> list[ast.arg]:
    """Parameters of a function in the order of its text."""
    starred = [node.vararg] if node.vararg else []
    double_starred = [node.kwarg] if node.kwarg else []
    return [*node.posonlyargs, *node.args, *starred, *node.kwonlyargs, *double_starred]
