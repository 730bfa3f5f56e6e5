"""MBPP in its two common layouts, with prompts made from the reference solutions.

mbpp.jsonl has text, code, test_list, test_setup_code and challenge_test_list; the sanitized list has prompt, code,
test_imports and test_list. As published results count test_list alone, challenge_test_list is left out.

The prompt is what the reference has before the function that the tests call, its ``def``, and a docstring with the
description and the tests as examples; the canonical solution is the rest of the reference.
"""

import ast
from dataclasses import dataclass

from app.execution.helpers import helpers_of
from app.services.benchmarks.rows import BenchmarkRow
from app.services.imports.cells import Cells
from app.words import gettext

COLUMNS = {
    "key": ["task_id"],
    "description": ["text"],
    "code": ["code"],
    "tests": ["test_list"],
    "setup": ["test_setup_code"],
}
ALIASES = {"description": ("text", "prompt"), "setup": ("test_setup_code", "test_imports")}
EXAMPLES = 3
AnyFunction = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Halves:
    """A reference solution, cut behind the signature of the function that is asked for."""

    name: str
    before: str  # up to the end of the signature's line
    indent: str
    body: str


def read_mbpp(cells: Cells) -> BenchmarkRow:
    """The problem of a row; what is wrong with it is noted in ``cells``."""
    key, description = f"MBPP/{cells.name('key', 100)}", cells.text("description")
    code = cells.text("code").replace("\r\n", "\n").replace("\r", "\n")
    tests, setup = cells.texts("tests"), "\n".join(cells.texts("setup"))
    empty = BenchmarkRow(key, cells.row.number, "", "")
    if cells.bad:
        return empty
    halves = _halves(cells, code, tests)
    if halves is None:
        return empty
    prompt = halves.before + docstring(description, tests, halves.indent)
    lines = [setup, *tests] if setup.strip() else [*tests]
    return BenchmarkRow(
        key=key,
        row=cells.row.number,
        prompt=prompt,
        tests="\n".join(lines) + "\n",
        entry_point=halves.name,
        canonical_solution=halves.body,
        helpers=helpers_of(prompt, halves.name),
    )


def _halves(cells: Cells, code: str, tests: tuple[str, ...]) -> Halves | None:
    try:
        tree = ast.parse(code)
        called = [name for test in tests for name in _called(ast.parse(test))]
    except (SyntaxError, ValueError, RecursionError) as error:
        cells.fail(gettext("The reference solution or a test is no Python: %(error)s", error=str(error)))
        return None
    functions = {each.name: each for each in tree.body if isinstance(each, AnyFunction)}
    name = next((each for each in called if each in functions), None)
    if name is None:
        cells.fail(
            gettext("No test calls a function of the reference solution."),
            cells.column("tests"),
            gettext("Correct the name in code or in test_list."),
        )
        return None
    return cut_at_signature(code, functions[name])


def _called(tree: ast.AST) -> list[str]:
    """Names that are called, in the order of the text."""
    calls = [each for each in ast.walk(tree) if isinstance(each, ast.Call) and isinstance(each.func, ast.Name)]
    calls.sort(key=lambda call: (call.lineno, call.col_offset))
    return [call.func.id for call in calls if isinstance(call.func, ast.Name)]


def cut_at_signature(code: str, function: AnyFunction) -> Halves:
    """The reference in two; a body on the line of its ``def`` gets a line of its own."""
    lines = code.split("\n")
    first = function.body[0]
    begun = lines[first.lineno - 1].encode()[: first.col_offset].decode()
    if begun.strip():  # def f(x): return x
        head = [*lines[: first.lineno - 1], begun.rstrip()]
        rest = [lines[first.lineno - 1][len(begun) :], *lines[first.lineno :]]
        return Halves(function.name, "\n".join(head) + "\n", "    ", "    " + "\n".join(rest).rstrip("\n") + "\n")
    end = _end_of_signature(lines, function)
    body = "\n".join(lines[end:]).rstrip("\n") + "\n"
    return Halves(function.name, "\n".join(lines[:end]) + "\n", begun, body)


def _end_of_signature(lines: list[str], function: AnyFunction) -> int:
    """How many lines there are up to the colon; what follows (comments, blank lines) is the body's."""
    first = function.body[0]
    decorators = getattr(first, "decorator_list", [])
    begin: int = min([first.lineno, *(each.lineno for each in decorators)])
    last = max(begin - 1, function.lineno)
    while last > function.lineno and (not lines[last - 1].strip() or lines[last - 1].lstrip().startswith("#")):
        last -= 1
    return last


def docstring(description: str, tests: tuple[str, ...], indent: str) -> str:
    """The description with the first three tests as examples."""
    lines = [
        '"""',
        *description.strip().splitlines(),
        *(line for each in tests[:EXAMPLES] for line in example(each)),
        '"""',
    ]
    text = "\n".join(indent + line if line else "" for line in lines)
    # In a docstring a backslash or three quotes would be read as something else.
    inner = text[len(indent) + 3 : -3].replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    return f'{indent}"""{inner}"""\n'


def example(test: str) -> list[str]:
    """``assert f(2) == 4`` as an example: what is called, and what it gives. Other tests are shown to be True."""
    try:
        statements = ast.parse(test.strip()).body
    except SyntaxError:
        return []
    if len(statements) != 1 or not isinstance(statements[0], ast.Assert):
        return []
    asserted = statements[0].test
    if isinstance(asserted, ast.Compare) and len(asserted.ops) == 1 and isinstance(asserted.ops[0], ast.Eq):
        shown, given = asserted.left, asserted.comparators[0]
        pair = (ast.get_source_segment(test.strip(), shown), ast.get_source_segment(test.strip(), given))
    else:
        pair = (ast.get_source_segment(test.strip(), asserted), "True")
    called, value = (" ".join((each or "").split()) if "\n" in (each or "") else each or "" for each in pair)
    return [f">>> {called}", value]
