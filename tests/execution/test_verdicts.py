"""What is odd without being hostile: each ends in a stated verdict with a reason that a person understands."""

import pytest

from app.execution.protocol import Limits, Program, Strength, Verdict
from app.execution.runner import Sandbox
from tests.execution.programs import program

ONE = "def f(x):\n    return x + 1\n"
TESTS = "def check(candidate):\n    assert candidate(1) == 2, 'one more than one'\n"


@pytest.mark.parametrize(
    ("given", "verdict", "reason"),
    [
        (program("def g(x):\n    return x\n", TESTS), Verdict.ERROR, "the program defines no f"),
        (program("", TESTS), Verdict.ERROR, "the program defines no f"),
        (program('def f(x):\n    """Add one."""\n', TESTS), Verdict.FAILED, "one more than one"),
        (program("def f(x):\n    return (x\n", TESTS), Verdict.ERROR, "SyntaxError"),
        (program("def f(x):\0\n", TESTS), Verdict.ERROR, "null bytes"),
        (program(ONE, "def check(candidate:\n"), Verdict.NOT_RUN, "the tests can't be compiled: SyntaxError"),
        (program(ONE, "# nothing\n"), Verdict.NOT_RUN, "there are no tests"),
        (program(ONE, TESTS, None), Verdict.NOT_RUN, "no entry point"),
        (program(ONE, TESTS, helpers="import nowhere"), Verdict.NOT_RUN, "helpers don't run: ModuleNotFoundError"),
        (program(ONE, TESTS), Verdict.PASSED, ""),
        (program(ONE + "# " + "x" * (1 << 20) + "\n", TESTS), Verdict.PASSED, ""),
        (program("x = '" + "y" * (1 << 20), TESTS), Verdict.ERROR, "SyntaxError"),
        (program(ONE, "assert f(1) == 2", None), Verdict.PASSED, ""),
        (program(ONE, "assert f(1) == 3", None), Verdict.FAILED, "assert f(1) == 3"),
        (program(ONE, "assert g(1) == 3"), Verdict.ERROR, "NameError"),
        (program("def f(x):\n    raise PermissionError(1, 'no')\n", TESTS), Verdict.BLOCKED, "PermissionError"),
        (program("def f(x):\n    return None\n", "assert f(1) < 2"), Verdict.ERROR, "TypeError"),
    ],
)
def test_what_is_odd_has_a_stated_verdict(runner: Sandbox, given: Program, verdict: Verdict, reason: str) -> None:
    outcome = runner.run(given)
    assert (outcome.verdict, reason in outcome.reason) == (verdict, True), outcome
    assert "\n" not in outcome.reason


@pytest.mark.parametrize(
    ("source", "tests"),
    [
        ("def f(x):\n    x.sort()\n", "a = [3, 1]\nf(a)\nassert a == [1, 3]"),
        ("def f(x):\n    x[0].append(2)\n", "b = [1]\na = [b]\nf(a)\nassert b == [1, 2] and a[0] is b"),
        ("def f(x):\n    x.clear()\n", "a = {1: 2}\nf(a)\nassert a == {}"),
        ("def f(x):\n    yield from range(x)\n", "assert list(f(3)) == [0, 1, 2]"),
        ("def f(x):\n    return lambda y: x + y\n", "assert f(1)(2) == 3"),
        ("class P:\n    def __init__(self, a):\n        self.a = a\ndef f(p):\n    return p.a\n",
         "assert f(P(7)) == 7"),
        ("def f(x):\n    return isinstance(1, x)\n", "assert f(int) is True"),
        ("def f(x):\n    return {(1, 2): {frozenset([3])}, 'a': b'b', 1.5: 2j, None: ...}\n",
         "assert f(0) == {(1, 2): {frozenset([3])}, 'a': b'b', 1.5: 2j, None: ...}"),
        ("def f(x):\n    return float('nan')\n", "assert f(0) != f(0)"),
        ("def f(x):\n    raise ValueError('bad')\n",
         "try:\n    f(0)\nexcept ValueError as e:\n    assert str(e) == 'bad'\nelse:\n    assert False"),
        ("import random\ndef f():\n    return random.random()\n", "assert f() == 0.8444218515250481"),
        ("from collections import *\ndef f(x):\n    return Counter(x)\n", "assert f('aab') == {'a': 2, 'b': 1}"),
        ("from collections import *\ndef f(x):\n    d = defaultdict(list)\n    d[1] += [x]\n    return d\n",
         "assert f(2) == {1: [2]} and f(2)[5] == []"),
        ("from collections import *\ndef f(x):\n    d = defaultdict(lambda: 0)\n    d[x] += 1\n    return d\n",
         "assert f(2) == {2: 1}"),
        ("from collections import *\ndef f(x):\n    return [OrderedDict(x), deque(x)]\n",
         "assert f([(1, 2)]) == [{1: 2}, __import__('collections').deque([(1, 2)])]"),
        ("from typing import *\nclass P(NamedTuple):\n    a: int\ndef f(x):\n    return P(x)\n",
         "assert f(3) == (3,) and f(3).a == 3"),
        ("class P:\n    def __init__(self, a):\n        self.a = a\n    def __eq__(self, other):\n"
         "        return self.a == other.a\ndef f(x):\n    return P(x)\n",
         "assert f(3) == f(3) and f(3) != f(4) and f(3) != 3 and f(3) in [f(3)]"),
        ("import enum\nclass C(enum.Enum):\n    A = 1\n    B = 2\ndef f():\n    return C.B\n",
         "assert f() == C.B and f() != C.A and f() != 2"),
        ("import enum\nclass E(enum.IntEnum):\n    A = 2\ndef f():\n    return {E.A: 'x'}\n",
         "assert f() == {2: 'x'}"),
        ("class S(str):\n    def __eq__(self, other):\n        return True\ndef f():\n    return S('a')\n",
         "assert f() == 'a' and f() != 'b' and 'b' not in [f()]"),
        ("from fractions import *\nfrom decimal import *\ndef f(x):\n    return Fraction(x, 2), Decimal('1.50')\n",
         "assert f(1) == (0.5, 1.5) and str(f(1)[1]) == '1.50'"),
        ("def f(x):\n    return x.most_common(1), range(3)\n",
         "from collections import Counter\nassert f(Counter('aab')) == ([('a', 2)], range(3))"),
        ("def f(d):\n    d.appendleft(1)\n",
         "from collections import deque\nd = deque([2], 3)\nf(d)\nassert d == deque([1, 2]) and d.maxlen == 3"),
        ("import datetime\ndef f(d):\n    return d + datetime.timedelta(days=1, microseconds=5)\n",
         "from datetime import *\nassert f(datetime(2020, 2, 28)) == datetime(2020, 2, 29, 0, 0, 0, 5)"),
    ],
)  # fmt: skip
def test_values_cross_to_the_judge_and_back(runner: Sandbox, source: str, tests: str) -> None:
    outcome = runner.run(program(source, tests))
    assert (outcome.verdict, outcome.strength) == (Verdict.PASSED, Strength.JUDGE), outcome


def test_an_object_of_the_programs_own_equals_no_value_of_the_tests(runner: Sandbox) -> None:
    source = "class Y:\n    def __eq__(self, other):\n        return True\ndef f():\n    return Y()\n"
    for tests in ("assert f() == 3", "assert 3 == f()", "assert [f()] == [3]", "assert f() in (1, 2)"):
        assert runner.run(program(source, tests)).verdict is Verdict.FAILED, tests


SHAPE = "class Shape:\n    def area(self):\n        return self.side() ** 2\n"
SUBCLASS = "class Square(Shape):\n    def side(self):\n        return {}\nassert Square().area() == 9\n"


@pytest.mark.parametrize(
    ("source", "tests", "entry_point", "verdict"),
    [
        (SHAPE, SUBCLASS.format(3), None, Verdict.PASSED),
        (SHAPE, SUBCLASS.format(4), None, Verdict.FAILED),
        ("def f(g):\n    return g(1)\n", "assert f(lambda x: x + 1) == 2", "f", Verdict.PASSED),
        ("def f(g):\n    assert False\n", "assert f(lambda x: x + 1) == 2", "f", Verdict.ERROR),
        ("def f(g):\n    import os\n    os._exit(0)\n", "assert f(lambda x: x + 1) == 2", "f", Verdict.ERROR),
        ("def f(g):\n    return g(1)\n", "def check(c):\n    assert c(lambda x: x) == 2", "f", Verdict.FAILED),
    ],
)
def test_a_suite_that_cannot_be_split_runs_in_process_and_says_so(
    runner: Sandbox, source: str, tests: str, entry_point: str | None, verdict: Verdict
) -> None:
    outcome = runner.run(program(source, tests, entry_point))
    assert (outcome.verdict, outcome.strength) == (verdict, Strength.IN_PROCESS), outcome


def test_an_outcome_tells_what_a_person_needs(runner: Sandbox) -> None:
    source = "import sys\ndef f(x):\n    print('a\\0b')\n    sys.stderr.write('e' * 5000 + 'end')\n    return x + 1\n"
    limits = Limits(cpu=3, wall=9, memory=300 << 20)
    outcome = runner.run(program(source, TESTS, limits=limits))
    assert outcome.verdict is Verdict.PASSED
    assert outcome.stdout == "a\ufffdb\n"
    assert len(outcome.stderr) == 1536
    assert outcome.stderr.endswith("end")
    assert outcome.limits == limits
    assert outcome.runtime.startswith("python:3.")
    assert outcome.runtime.endswith("|sandbox:1")
    assert 0 < outcome.cpu_seconds < 3
    assert 1 << 20 < outcome.memory_bytes < 300 << 20
    assert 0 < outcome.wall_seconds < 9


def test_a_traceback_shows_the_programs_own_line(runner: Sandbox) -> None:
    outcome = runner.run(program("def f(x):\n    return x / 0  # here\n", TESTS))
    assert outcome.verdict is Verdict.ERROR
    assert outcome.reason == "ZeroDivisionError: division by zero"
    assert "# here" in outcome.stderr


def test_tests_that_never_end_stop_at_the_limit(runner: Sandbox) -> None:
    limits = Limits(cpu=1, wall=10)
    outcome = runner.run(program(ONE, "while True:\n    pass", limits=limits))
    assert outcome.verdict is Verdict.TIMEOUT
    assert "tests" in outcome.reason


def test_a_language_that_nobody_runs_here_is_not_run(runner: Sandbox) -> None:
    outcome = runner.run(Program("puts 1", "", None, language="ruby"))
    assert outcome.verdict is Verdict.NOT_RUN
    assert "ruby" in outcome.reason
