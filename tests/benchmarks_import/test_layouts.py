"""Each layout becomes problems whose canonical solutions pass their tests."""

import doctest
import gzip
import json
import math

import pytest

from app.execution.protocol import Outcome, Program, Verdict
from app.services.benchmarks import problems_of
from app.services.benchmarks.evalplus import judging_source
from app.services.benchmarks.mbpp import docstring, example
from app.services.execution.programs import of_solution
from app.storage.engine import Database
from app.storage.models import BenchmarkProblem
from tests.benchmarks_import.conftest import BenchmarkImporter
from tests.plain_runner import PlainRunner
from tests.shared_data import shared_data

MBPP = {
    "task_id": 11,
    "text": "Write a python function to remove first and last occurrence of a given character from the string.",
    "code": "import re\r\nBLANK = ''\r\ndef remove_Occ(s,ch): \r\n    # both\r\n    for i in range(len(s)): \r\n"
    "        if (s[i] == ch): \r\n            s = s[0 : i] + s[i + 1:] \r\n            break\r\n"
    "    s = s[::-1].replace(ch, BLANK, 1)[::-1]\r\n    return s \r\n",
    "test_list": [
        'assert remove_Occ("hello","l") == "heo"',
        'assert remove_Occ("abcda","a") == "bcd"',
        'assert remove_Occ("PHP","P") == "H"',
        'assert remove_Occ("xx","x") == ""',
    ],
    "test_setup_code": "",
    "challenge_test_list": ['assert remove_Occ("","l") == "x"'],
}
SANITIZED = {
    "source_file": "Benchmark Questions Verification V2.ipynb",
    "task_id": 82,
    "prompt": "Write a function to find the volume of a sphere.",
    "code": "import math\ndef volume_sphere(r):\n\tvolume=(4/3)*math.pi*r*r*r\n\treturn volume",
    "test_imports": ["import math"],
    "test_list": ["assert math.isclose(volume_sphere(10), 4188.790204786391, rel_tol=0.001)"],
}


def _stored(database: Database, imported: object) -> list[BenchmarkProblem]:
    with database.read() as session:
        return problems_of(session, imported.benchmark)  # type: ignore[attr-defined]


def _run(problem: BenchmarkProblem) -> Outcome:
    return PlainRunner().run(of_solution(problem, "python").program)


@pytest.mark.parametrize("packed", [False, True])
def test_humaneval_as_released(importing: BenchmarkImporter, database: Database, packed: bool) -> None:
    data = shared_data("humaneval", "HumanEval.jsonl").read_bytes()
    rows = [json.loads(line) for line in data.decode().splitlines()]
    problems = _stored(database, importing(gzip.compress(data) if packed else data, "humaneval"))
    assert [each.key for each in problems] == [f"HumanEval/{number}" for number in range(164)]
    assert [each.prompt + each.canonical_solution for each in problems] == [
        each["prompt"] + each["canonical_solution"] for each in rows
    ]
    assert "def poly(" in problems[32].helpers
    assert all(f"def {each.entry_point}(" not in each.helpers for each in problems)  # what is asked for is no help
    assert _run(problems[32]).verdict is Verdict.PASSED  # its tests call a helper of the prompt


@pytest.mark.sqlite_is_enough
def test_mbpp_as_released(importing: BenchmarkImporter, database: Database) -> None:
    (problem,) = _stored(database, importing(json.dumps(MBPP), "mbpp"))
    assert problem.key == "MBPP/11"
    assert problem.entry_point == "remove_Occ"
    assert problem.prompt == (
        "import re\nBLANK = ''\ndef remove_Occ(s,ch): \n"
        '    """\n'
        "    Write a python function to remove first and last occurrence of a given character from the string.\n"
        '    >>> remove_Occ("hello","l")\n    "heo"\n'
        '    >>> remove_Occ("abcda","a")\n    "bcd"\n'
        '    >>> remove_Occ("PHP","P")\n    "H"\n'
        '    """\n'
    )
    assert problem.canonical_solution.startswith("    # both\n    for i in range(len(s)): \n")
    assert '"xx"' in problem.tests
    assert '"x"' in problem.tests
    assert 'remove_Occ("","l")' not in problem.tests  # the challenge
    assert _run(problem).verdict is Verdict.PASSED


@pytest.mark.sqlite_is_enough
def test_mbpp_sanitized_is_a_list(importing: BenchmarkImporter, database: Database) -> None:
    (problem,) = _stored(database, importing(json.dumps([SANITIZED]), "mbpp"))
    assert problem.tests.startswith("import math\nassert math.isclose")
    assert '\t"""\n\tWrite a function to find the volume' in problem.prompt
    assert "\t>>> math.isclose(volume_sphere(10), 4188.790204786391, rel_tol=0.001)\n\tTrue\n" in problem.prompt
    assert _run(problem).verdict is Verdict.PASSED


@pytest.mark.sqlite_is_enough
@pytest.mark.parametrize(
    ("code", "head"),
    [
        ("def f(x): return x + 1", "def f(x):\n"),
        ("def f(x,\n      y=1):\n    return x + y", "def f(x,\n      y=1):\n"),
        ("class A: pass\n\ndef g(x):\n  return x\n\ndef f(x):\n  return g(x) + 1", "def f(x):\n"),
        ("def f(x):\n    @staticmethod\n    def g(y):\n        return y + 1\n    return g(x)", "def f(x):\n"),
        ("def f(x):\n    '''Own words.'''\n    return x + 1\n\nprint('after')", "def f(x):\n"),
    ],
)
def test_references_of_other_shapes_are_cut_right(
    importing: BenchmarkImporter, database: Database, code: str, head: str
) -> None:
    row = MBPP | {"code": code, "test_list": ["assert f(2) == 3"]}
    (problem,) = _stored(database, importing(json.dumps(row), "mbpp"))
    assert f"{head}" in problem.prompt
    assert problem.prompt.index(head) < problem.prompt.index('"""')
    assert _run(problem).verdict is Verdict.PASSED


def test_a_docstring_says_what_the_description_says() -> None:
    words = 'A path like C:\\new, and """ three quotes'
    text = "def f():\n" + docstring(words, ("assert f() == '\\n'",), "    ")
    scope: dict[str, object] = {}
    exec(text, scope)
    shown = scope["f"].__doc__
    assert words in str(shown)
    (found,) = doctest.DocTestParser().get_examples(str(shown))
    assert (found.source, found.want) == ("f()\n", "'\\n'\n")


def test_an_assertion_of_another_kind_is_shown_to_be_true() -> None:
    assert example("assert f(1)") == [">>> f(1)", "True"]
    assert example("assert f(1) == 2, 'why'") == [">>> f(1)", "2"]
    assert example("x = 1") == []


EVALPLUS = {
    "task_id": "HumanEval/9000",
    "prompt": "def half(x):\n    '''Half of it.'''\n",
    "entry_point": "half",
    "canonical_solution": "    return x / 2\n",
    "contract": "    assert x > 0\n",
    "base_input": [[3.0]],
    "plus_input": [[10**30], [float("inf")]],
    "atol": 0,
}


@pytest.mark.sqlite_is_enough
def test_evalplus_judges_by_the_canonical_solution(importing: BenchmarkImporter, database: Database) -> None:
    (problem,) = _stored(database, importing(json.dumps(EVALPLUS), "evalplus"))
    assert _run(problem).verdict is Verdict.PASSED
    runner = PlainRunner()
    for body, verdict in (
        ("    return x * 0.5 + 1e-12\n", Verdict.PASSED),  # floats need not be equal
        ("    return x * 0.5 + 1e-3\n", Verdict.FAILED),
        ("    return str(x / 2)\n", Verdict.FAILED),
        ("    return 1.5\n", Verdict.FAILED),  # right for the first input only
    ):
        program = Program(problem.prompt + body, problem.tests, "half", problem.helpers)
        assert runner.run(program).verdict is verdict, body


@pytest.mark.parametrize(
    ("expected", "found", "atol", "right"),
    [
        ("[1.0, 2.0]", "[1.0, 2.0 + 1e-9]", 0, True),
        ("[1.0, 2.0]", "(1.0, 2.0)", 0, False),
        ("[1.0, 2.0]", "[1.0]", 0, False),
        ("3", "3.0", 0, True),
        ("'a'", "'b'", 0.1, False),
        ("float('nan')", "float('nan')", 0, True),
        ("float('inf')", "1e308", 0, False),
        ("2.0", "2.05", 0.1, True),
    ],
)
def test_how_values_are_compared(expected: str, found: str, atol: float, right: bool) -> None:
    tests = judging_source(f"def f():\n    return {expected}\n", "f", [[]], atol)
    outcome = PlainRunner().run(Program(f"def f():\n    return {found}\n", tests, "f"))
    assert outcome.verdict is (Verdict.PASSED if right else Verdict.FAILED), outcome.reason


def test_any_zero_of_a_polynomial_is_right() -> None:
    tests = judging_source("def find_zero(xs):\n    return 1.0\n", "find_zero", [[[-1, 0, 1]]], 1e-4)
    for zero, right in ((1.0, True), (-1.0, True), (math.sqrt(2), False)):
        outcome = PlainRunner().run(Program(f"def find_zero(xs):\n    return {zero}\n", tests, "find_zero"))
        assert (outcome.verdict is Verdict.PASSED) is right


@pytest.mark.sqlite_is_enough
def test_a_file_of_ones_own(importing: BenchmarkImporter, database: Database) -> None:
    row = {"prompt": "def f(x):\n", "tests": "assert f(1) == 2\n", "entry_point": "f"}
    row |= {"canonical_solution": "    y = x\n    return y + 1\n", "partial": "    y = x\n"}
    table = "id,prompt,tests\n7,# one\n".replace("# one", '# one,"x = 1"')
    (problem,) = _stored(database, importing(json.dumps(row), "own"))
    assert (problem.key, problem.helpers, problem.partial) == (
        "1",
        "",
        "    y = x\n",
    )  # a bare signature is no program
    (other,) = _stored(database, importing(table, "own", "Table"))
    assert (other.key, other.prompt, other.tests) == ("7", "# one", "x = 1")
