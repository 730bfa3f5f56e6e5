"""Where a problem's docstring stands, and how far its prose goes: to the first example, or to its last word."""

import ast
import re
import tokenize
from typing import NamedTuple

from app.metrics.python_syntax import parse_python
from app.perturbations.programs import Program, read_program
from app.perturbations.protocol import Problem

_QUOTED = re.compile(r"[rRuU]?(\"\"\"|'''|\"|')")
_EXAMPLES_BEGIN = re.compile(
    r">>>|^[^\S\n]*(?:for\s+)?exam[pb]les?\b|\bfor\s+examples?\b|\be\.\s?g\.|^[^\S\n]*(?:in|out)puts?\s*\d*\s*:",
    re.IGNORECASE | re.MULTILINE,
)
_RESULT = re.compile(r"==|=>|->|➞|→")


class Span(NamedTuple):
    """From ``start`` to before ``end``."""

    start: int
    end: int


def find_docstring(problem: Problem) -> Span | None:
    """What stands between the quotes of the docstring in the prompt; None where the prompt has none.

    The docstring is the first string that stands alone in the function (HumanEval/115 imports something before it),
    else at the top of the text.
    """
    program = read_program(problem.prompt) or read_program(problem.prompt + problem.canonical_solution)
    if program is None:
        return None
    places = [_function(program.tree, problem.entry_point), program.tree]
    strings = (string for place in places if place is not None and (string := _alone(place.body)) is not None)
    return next((span for each in strings if (span := _inside(program, each, len(problem.prompt)))), None)


def _function(tree: ast.Module, name: str) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    found = [node for node in ast.walk(tree) if isinstance(node, kinds) and node.name == name]
    return found[-1] if found else None


def _alone(body: list[ast.stmt]) -> ast.Constant | None:
    values = (each.value for each in body if isinstance(each, ast.Expr))
    return next((each for each in values if isinstance(each, ast.Constant) and isinstance(each.value, str)), None)


def _inside(program: Program, string: ast.Constant, limit: int) -> Span | None:
    """Without its quotes; None where it is made of several literals, or goes on behind the prompt."""
    start, end = program.start(string), program.end(string)
    literals = [each for each in program.tokens if each.kind == tokenize.STRING and start <= each.start < end]
    opening = _QUOTED.match(program.text, start)
    if len(literals) != 1 or opening is None or end > limit:
        return None
    return Span(opening.end(), end - len(opening[1]))


def prose_end(text: str, start: int, end: int, entry_point: str) -> int:
    """Where the prose of a docstring ends: at examples, at lines of code, or with its last word."""
    begins = _EXAMPLES_BEGIN.search(text, start, end)
    stop = begins.start() if begins else end
    code = _first_code(text[start:stop], entry_point)
    stop = stop if code is None else start + code
    return start + len(text[start:stop].rstrip())


def _first_code(text: str, entry_point: str) -> int | None:
    place = 0
    for line in text.splitlines(keepends=True):
        if _is_code(line.strip(), entry_point):
            return place
        place += len(line)
    return None


def _is_code(line: str, entry_point: str) -> bool:
    """Whether a docstring's line shows code instead of telling what it does."""
    begins_with_call = re.match(rf"(?:[*#-]\s*)?(?:assert\b|{re.escape(entry_point)}\s?\()", line) is not None
    return begins_with_call or _RESULT.search(line) is not None or _is_statement(line)


def _is_statement(line: str) -> bool:
    """``x = [1, 2]``, ``[1, 2]`` or ``g(1)``; but ``sum (of all)`` is a word and what it means."""
    tree = parse_python(line) if set("([{=") & set(line) else None
    match tree.body if tree else ():
        case [ast.Assign() | ast.AugAssign() | ast.Assert()]:
            return True
        case [ast.Expr(value=ast.List() | ast.Dict() | ast.Set() | ast.Tuple() | ast.Call())]:
            return re.match(r"\w+\s+\(", line) is None
    return False
