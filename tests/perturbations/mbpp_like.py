"""Problems as MBPP has them, written for these tests: odd names, helpers, classes, imports, recursion, tabs."""

import ast
from functools import cache

from app.perturbations import Form, Problem
from app.perturbations.half_solutions import half_solution
from app.services.benchmarks.mbpp import AnyFunction, cut_at_signature, docstring

# What is asked, a reference, tests that call it by its name.
TASKS: tuple[tuple[str, str, list[str]], ...] = (
    (
        "Write a function to find the second largest number of a list, or None where there is none.",
        "def second_Largest(nums):\n    best = None\n    top = max(nums)\n    for num in nums:\n"
        "        if num < top and (best is None or num > best):\n            best = num\n    return best\n",
        ["assert second_Largest([4, 9, 7]) == 7", "assert second_Largest([3, 3]) == None"],
    ),
    (
        "Write a python function to count the steps that halving takes until a number is odd.",
        "def count_halvings(n):\n    if n % 2 != 0:\n        return 0\n    return 1 + count_halvings(n // 2)\n",
        ["assert count_halvings(8) == 3", "assert count_halvings(7) == 0", "assert count_halvings(12) == 2"],
    ),
    (
        "Write a function to find the longest chain of pairs, in which each begins where the one before has ended.",
        "class Pair(object):\n    def __init__(self, first, last):\n        self.first = first\n"
        "        self.last = last\n\ndef longest_chain(pairs):\n    lengths = [1 for _ in range(len(pairs))]\n"
        "    for i in range(1, len(pairs)):\n        for j in range(0, i):\n"
        "            if pairs[j].last <= pairs[i].first and lengths[i] < lengths[j] + 1:\n"
        "                lengths[i] = lengths[j] + 1\n    return max(lengths)\n",
        [
            "assert longest_chain([Pair(1, 2), Pair(2, 5), Pair(3, 4)]) == 2",
            "assert longest_chain([Pair(0, 9)]) == 1",
        ],
    ),
    (
        "Write a function to check whether the given string is a shout: capitals, with '!' at its end.",
        "import re\ndef is_shout(text: str) -> bool:\n"
        "    # what isn't matched is quiet\n    patterns = r'^[A-Z ]+!+$'\n"
        "    if re.search(patterns, text):\n        return True\n    else:\n        return False\n",
        ["assert is_shout('GO AWAY!')", "assert not is_shout('go away')", "assert is_shout('') == False"],
    ),
    (
        "Write a function to merge two sorted lists with the help of another function.",
        "def take(a, b):\n    return a if a[0] <= b[0] else b\n\ndef mergeSorted(left, right):\n"
        "    left, right = list(left), list(right)\n    merged = []\n    while left and right:\n"
        "        merged.append(take(left, right).pop(0))\n    return merged + left + right\n",
        ["assert mergeSorted([1, 4], [2, 3]) == [1, 2, 3, 4]", "assert mergeSorted([], [5]) == [5]"],
    ),
    (
        "Write a function to sum the squares below n. The value of n is at most 100, e.g. 5.",
        "import math\nLIMIT = 100\ndef sum_squares(n):\n    total = 0\n    i = 0\n    while i < n:\n"
        "        total += i * i\n        i += 1\n    assert total <= LIMIT * math.factorial(6)\n    return total\n",
        ["assert sum_squares(4) == 14", "assert sum_squares(0) == 0", "assert sum_squares(2) == 1"],
    ),
    (
        "Write a function to find the first letter that is repeated in the given string; 'none' where nothing is.",
        "def first_repeated_letter(word):\n    seen = set()\n    for index, letter in enumerate(word):\n"
        "        if letter in seen:\n            return letter\n        seen.add(letter)\n"
        "    else:\n        return 'none'\n",
        ["assert first_repeated_letter('abcab') == 'a'", "assert first_repeated_letter('xyz') == 'none'"],
    ),
    (
        "Write a function to double all numbers of a nested tuple.",
        "def double_all(numbers):\n"
        "    return tuple(double_all(each) if isinstance(each, tuple) else each * 2 for each in numbers)\n",
        ["assert double_all((1, (2, 3))) == (2, (4, 6))", "assert double_all(()) == ()"],
    ),
    (
        "Write a python function to put a line break behind every third word.",
        "def wrap3(words):\n    parts = []\n    for place in range(0, len(words), 3):\n"
        "        parts.append(' '.join(words[place:place + 3]))\n    return \"\\n\".join(parts)\n",
        ["assert wrap3(['a', 'b', 'c', 'd']) == 'a b c\\nd'", "assert wrap3([]) == ''"],
    ),
    (
        "Write a function to sort records by their value and then by name.\nRecords are (name, value).",
        "from typing import List, Tuple\ndef sort_records(records: List[Tuple[str, int]]) -> List[str]:\n"
        "    def rank(record):\n        name, value = record\n        return (value, name)\n"
        "    return [name for name, value in sorted(records, key=rank)]\n",
        ["assert sort_records([('b', 1), ('a', 1), ('c', 0)]) == ['c', 'a', 'b']"],
    ),
    (
        "Write a function to tell how many trailing zeros there are.",
        "def zeros(number):\n\tcount = 0\n\twhile number >= 10 and number % 10 == 0:\n\t\tnumber //= 10\n"
        "\t\tcount += 1\n\treturn count\n",
        ["assert zeros(1200) == 2", "assert zeros(7) == 0"],
    ),
    (
        "Write a function to negate.",
        "def negate(x): return -x\n",
        ["assert negate(3) == -3", "assert negate(0) == 0"],
    ),
)


def _problem(number: int, text: str, code: str, tests: list[str], *, is_released: bool) -> Problem:
    called = tests[0].removeprefix("assert ").removeprefix("not ").partition("(")[0]
    functions = [each for each in ast.parse(code).body if isinstance(each, AnyFunction)]
    halves = cut_at_signature(code, next(each for each in functions if each.name == called))
    prompt = halves.before + docstring(text, tuple(tests), halves.indent)
    lines = "\n".join(tests) + "\n"
    if is_released:  # ReCode calls MBPP's functions as HumanEval's are
        asserted = "".join(f"    {each.replace(f'{called}(', 'candidate(')}\n" for each in tests)
        lines = f"METADATA = {{}}\n\n\ndef check(candidate):\n{asserted}"
    key = f"MBPP/{number}{' released' if is_released else ''}"
    return Problem(key, prompt, called, halves.body, lines)


@cache
def whole() -> tuple[Problem, ...]:
    """Each with tests that call it by its name, and with those of ReCode's release."""
    numbered = list(enumerate(TASKS))
    return tuple(_problem(n, *task, is_released=way) for way in (False, True) for n, task in numbered)


@cache
def halved() -> tuple[Problem, ...]:
    """The same with half a solution each."""
    return tuple(map(half_solution, whole()))


def of_form(form: Form) -> tuple[Problem, ...]:
    """Those that a rule changes."""
    return halved() if form is Form.HALF else whole()


def passes(problem: Problem) -> bool:
    """Whether the problem's own solution passes its tests; here, since all of it was written for the tests."""
    names: dict[str, object] = {}
    exec(compile(problem.prompt + problem.canonical_solution, "problem", "exec"), names)
    try:
        exec(compile(problem.tests, "tests", "exec"), names)
        if "check" in names:
            names["check"](names[problem.entry_point])  # type: ignore[operator]
    except AssertionError:
        return False
    return True
