"""EvalPlus: HumanEval's problems with many more inputs, for which the canonical solution says what is right.

The tests that are made of a row hold the inputs and the canonical solution: the judge, which no candidate can reach,
computes what should come out and compares it as EvalPlus does: equal, or close where floats or ``atol`` say so.
``HumanEval/32`` asks for any zero of a polynomial, so there the polynomial is evaluated. The contract is left out,
as EvalPlus leaves it out when it grades.

MBPP+ is refused: its file holds tuples and sets as lists, and other code knows, task by task, which they were.
"""

import json
from collections.abc import Iterator
from typing import Any

from app.execution.helpers import helpers_of
from app.services.benchmarks.rows import BenchmarkRow
from app.services.imports.cells import Cells
from app.services.imports.decoding import text_lines
from app.services.imports.problems import ProblemList
from app.services.imports.reading import Row
from app.services.imports.sources import Bounded
from app.words import gettext

COLUMNS = {
    "key": ["task_id"],
    "prompt": ["prompt"],
    "entry_point": ["entry_point"],
    "canonical_solution": ["canonical_solution"],
    "atol": ["atol"],
}
FIND_ZERO = "find_zero"

COMPARING = """
import copy
import json
import math


def _is_floats(value):
    if isinstance(value, (list, tuple)) and value:
        return all(isinstance(each, float) for each in value)
    return isinstance(value, float)


def _is_close(found, expected, atol):
    if isinstance(expected, (list, tuple)):
        same = type(found) is type(expected) and len(found) == len(expected)
        return same and all(_is_close(a, b, atol) for a, b in zip(found, expected))
    if isinstance(expected, (int, float)) and isinstance(found, (int, float)):
        if found == expected or (found != found and expected != expected):
            return True
        return math.isfinite(expected) and abs(found - expected) <= atol + 1e-07 * abs(expected)
    return found == expected


def _is_right(found, expected, atol):
    if found == expected:
        return True
    if atol == 0 and _is_floats(expected):
        atol = 1e-06
    return atol != 0 and type(found) is type(expected) and _is_close(found, expected, atol)
"""

CHECKING = """
_reference = {{}}
exec(compile({source}, "canonical solution", "exec"), _reference)
_inputs = json.loads({inputs})


def check(candidate):
    for number, arguments in enumerate(_inputs, start=1):
        found = candidate(*copy.deepcopy(arguments))
        {judged}, f"input {{number}} of {{len(_inputs)}} gives another value"
"""
COMPARED = (
    "expected = _reference[{name}](*copy.deepcopy(arguments))\n        assert _is_right(found, expected, {atol})"
)
# The judge's own polynomial: any zero will do.
ZERO = (
    "value = sum(factor * math.pow(found, power) for power, factor in enumerate(arguments[0]))\n"
    "        assert abs(value) <= {atol}"
)


def read_lines(stream: Bounded, problems: ProblemList) -> Iterator[Row]:
    """The rows of the file. Inputs may hold any number that Python writes, infinite ones and long ones, too: they
    become a text in the tests, and never a value in the database."""
    head = stream.read(4)
    for number, line in enumerate(text_lines(stream, problems, head), start=1):
        if line.isspace():
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError) as error:
            problems.add(gettext("This line is not JSON: %(error)s.", error=str(error)), row=number)
            continue
        if isinstance(value, dict):
            yield Row(number, value)
        else:
            problems.add(gettext("Expected an object with named values."), row=number)


def read_evalplus(cells: Cells) -> BenchmarkRow:
    """The problem of a row; what is wrong with it is noted in ``cells``."""
    key, prompt, name = cells.name("key"), cells.text("prompt"), cells.name("entry_point")
    canonical = cells.text("canonical_solution")
    atol = 0.0 if cells.row.values.get("atol") in (None, "") else cells.number("atol")
    inputs = [*_inputs(cells, "base_input"), *_inputs(cells, "plus_input")]
    if key.lower().startswith("mbpp"):
        cells.fail(
            gettext("MBPP+ keeps tuples and sets as lists, and its tests would judge wrongly."),
            "task_id",
            gettext("Import MBPP itself with the layout mbpp."),
        )
    elif not cells.bad and not inputs:
        cells.fail(gettext("There are no inputs."), "base_input", gettext("Leave the problem out."))
    return BenchmarkRow(
        key=key,
        row=cells.row.number,
        prompt=prompt,
        tests=judging_source(prompt + canonical, name, inputs, atol),
        entry_point=name,
        canonical_solution=canonical,
        helpers=helpers_of(prompt, name),
    )


def _inputs(cells: Cells, column: str) -> list[Any]:
    given = cells.row.values.get(column)
    if given in (None, ""):
        return []
    if isinstance(given, list) and all(isinstance(each, list) for each in given):
        return given
    cells.fail(gettext("Expected a list of lists of arguments."), column)
    return []


def judging_source(reference: str, name: str, inputs: list[Any], atol: float) -> str:
    """Source that defines ``check``."""
    judged = ZERO if name == FIND_ZERO else COMPARED
    return COMPARING + CHECKING.format(
        source=ascii(reference),
        inputs=ascii(json.dumps(inputs)),
        judged=judged.format(name=ascii(name), atol=repr(atol)),
    )
