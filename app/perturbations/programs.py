"""A text as a program: its syntax tree and its tokens, with their places counted in the text's characters."""

import ast
import re
import tokenize
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

from app.metrics.python_syntax import parse_python

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z")  # what Python takes for a line; str.splitlines knows others


class Token(NamedTuple):
    """A token and where it stands in the text."""

    kind: int  # of ``token``: NAME, STRING, COMMENT, …
    text: str
    start: int
    end: int


class Program:
    """A text that parses."""

    def __init__(self, text: str, tree: ast.Module) -> None:
        """ValueError where tokens can't be told, which Python's two readers may see differently."""
        self.text, self.tree = text, tree
        self._lines = _LINE.findall(text)
        self._starts = [0, *accumulate(map(len, self._lines))]
        self.tokens = tuple(self._tokens())

    def _tokens(self) -> list[Token]:
        lines = iter(self._lines)
        try:
            found = list(tokenize.generate_tokens(lambda: next(lines, "")))
        except (tokenize.TokenError, SyntaxError) as error:
            raise ValueError(str(error)) from error
        return [
            Token(each.type, each.string, self._index(*each.start), self._index(*each.end))
            for each in found
            if each.type in (tokenize.NAME, tokenize.STRING, tokenize.COMMENT, tokenize.OP)
        ]

    def _index(self, line: int, column: int) -> int:
        return self._starts[line - 1] + column

    def start(self, node: ast.expr | ast.stmt | ast.arg | ast.alias) -> int:
        """Where a node of the tree begins, which counts its columns in UTF-8's bytes."""
        return self._place(node.lineno, node.col_offset)

    def end(self, node: ast.expr | ast.stmt) -> int:
        """Where a node of the tree has ended."""
        return self._place(node.end_lineno or node.lineno, node.end_col_offset or node.col_offset)

    def _place(self, line: int, column: int) -> int:
        text = self._lines[line - 1]
        if text.isascii():
            return self._index(line, column)
        return self._index(line, len(text.encode("utf-8")[:column].decode("utf-8", "ignore")))


@lru_cache(maxsize=512)
def read_program(text: str) -> Program | None:
    """The text as a program; None where it is none. Kept, since each rule and each seed asks for the same ones."""
    tree = parse_python(text)
    if tree is None:
        return None
    try:
        return Program(text, tree)
    except ValueError:
        return None
