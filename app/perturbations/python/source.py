"""A problem's program: its text, where the visible part ends, and its trees by ``ast`` and by tree-sitter."""

import ast
import re
import warnings
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeGuard

import tree_sitter_python
from tree_sitter import Language, Node, Parser

from app.metrics.python_syntax import parse_python
from app.perturbations.protocol import Problem, Unchanged

Function = ast.FunctionDef | ast.AsyncFunctionDef
Positioned = ast.stmt | ast.expr | ast.arg | ast.alias | ast.excepthandler | ast.pattern
_LANGUAGE = Language(tree_sitter_python.language())
_LINE = re.compile(rb"\r\n|\r|\n")


@dataclass(frozen=True, eq=False)
class Source:
    """A program that can be read. Places are offsets in ``code``, its bytes in UTF-8.

    split: where the prompt ends; what stands before it is what a model sees. function: the entry point's.
    """

    problem: Problem
    code: bytes
    split: int
    tree: ast.Module
    root: Node
    function: Function
    lines: tuple[int, ...]

    def start(self, node: Positioned) -> int:
        """Where a node of ``ast`` begins."""
        return self.lines[node.lineno - 1] + node.col_offset

    def end(self, node: Positioned) -> int:
        """Where a node of ``ast`` ends."""
        return self.lines[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)

    def text(self, start: int, end: int) -> str:
        """What stands between two places."""
        return self.code[start:end].decode("utf-8")

    def line_start(self, place: int) -> int:
        """Where the line that holds the place begins."""
        return self.lines[bisect_right(self.lines, place) - 1]

    def line_end(self, place: int) -> int:
        """Where that line ends, before its line break."""
        found = _LINE.search(self.code, place)
        return found.start() if found else len(self.code)

    def indent(self, place: int) -> str:
        """The white space that the line of the place begins with."""
        line = self.text(self.line_start(place), self.line_end(place))
        return line[: len(line) - len(line.lstrip(" \t"))]

    def begins_line(self, place: int) -> bool:
        """Whether nothing but white space stands before the place in its line."""
        return not self.code[self.line_start(place) : place].strip()

    @property
    def docstring(self) -> ast.expr | None:
        """The first bare string among the function's statements: its docstring, though an import may come before."""
        found = (node.value for node in self.function.body if is_bare_string(node))
        return next(found, None)

    @property
    def body_start(self) -> int:
        """Where the function's code begins: behind its docstring, else at its first statement."""
        return self.end(self.docstring) if self.docstring else self.start(self.function.body[0])


def is_bare_string(node: ast.AST) -> TypeGuard[ast.Expr]:
    """Whether it is a statement that is nothing but a string, as docstrings are: it does nothing."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def walk(node: Node, closed: Callable[[Node], bool] = lambda node: False) -> Iterator[Node]:
    """A node of tree-sitter and all below it, in the text's order; what is in a closed node is left out."""
    pending = [node]
    while pending:
        node = pending.pop()
        yield node
        if not closed(node):
            pending += reversed(node.children)


def is_program(text: str) -> bool:
    """Whether Python could run the text; what stands in a wrong place (``return``, ``nonlocal``) counts, too."""
    tree = parse_python(text)
    if tree is None:
        return False
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(tree, "program", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


@lru_cache(maxsize=256)
def read(problem: Problem) -> Source | Unchanged:
    """The problem's program, or why it can't be read."""
    text = problem.prompt + problem.canonical_solution
    tree = parse_python(text)
    if tree is None or not is_program(text):
        return Unchanged("The prompt and the solution together are no Python program.")
    named = [node for node in tree.body if isinstance(node, Function) and node.name == problem.entry_point]
    if not named:
        return Unchanged(f"The program has no function {problem.entry_point}.")
    code = text.encode("utf-8")
    root = Parser(_LANGUAGE).parse(code).root_node
    if root.has_error:
        return Unchanged("Tree-sitter can't read the program.")
    lines = (0, *(found.end() for found in _LINE.finditer(code)))
    source = Source(problem, code, len(problem.prompt.encode("utf-8")), tree, root, named[-1], lines)
    if source.start(source.function) >= source.split:
        return Unchanged(f"The function {problem.entry_point} does not begin in the prompt.")
    return source
