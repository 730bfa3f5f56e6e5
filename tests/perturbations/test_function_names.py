"""New names for functions: how they are made, and that everything that means the function bears them."""

import pytest

from app.perturbations import Perturbed, Problem, Unchanged, find
from app.perturbations.name_parts import NameParts, split_name, why_not
from app.perturbations.renaming import NO_FUNCTION, renamed
from tests.perturbations.problems import function, human_eval, ready


def rename(new: str, prompt: str, solution: str = "", tests: str = "", old: str = "add") -> Problem:
    outcome = renamed(Problem("made", prompt, old, solution, tests), new)
    assert isinstance(outcome, Perturbed), outcome
    assert outcome.problem.entry_point == new
    return outcome.problem


@pytest.mark.parametrize(
    ("name", "words", "is_snake"),
    [
        ("has_close_elements", ("has", "close", "elements"), True),
        ("hasCloseElements", ("has", "close", "elements"), False),
        ("minSubArraySum", ("min", "sub", "array", "sum"), False),
        ("parseHTMLPage2", ("parse", "HTML", "page", "2"), False),
        ("add", ("add",), True),
        ("Strongest_Extension", ("Strongest", "Extension"), True),
        ("f", ("f",), True),
        ("__", (), True),
        ("_private__name_", ("private", "name"), True),
    ],
)
def test_a_name_is_words(name: str, words: tuple[str, ...], is_snake: bool) -> None:
    parts = split_name(name)
    assert (parts.words, parts.is_snake) == (words, is_snake)


def test_words_are_joined_as_they_were() -> None:
    assert split_name("hasCloseElements").joined(["had", "near", "element"]) == "hadNearElement"
    assert split_name("_has_elements").joined(["had", "element"]) == "_had_element"
    assert split_name("__") == NameParts("__", (), True, "")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("has_close_elements", "hasCloseElements"),
        ("digitSum", "digit_sum"),
        ("minSubArraySum", "min_sub_array_sum"),
        ("_has_elements", "_hasElements"),
        ("Strongest_Extension", "StrongestExtension"),
    ],
)
def test_the_other_style(old: str, new: str) -> None:
    outcome = find("function_name/CamelCase").perturb(function("Return it.", old), 0)
    assert isinstance(outcome, Perturbed)
    assert outcome.problem.entry_point == new


def test_one_word_has_no_other_style() -> None:
    assert find("function_name/CamelCase").perturb(function("Return it."), 0) == Unchanged("The name is one word.")


def test_signature_recursion_and_tests_are_renamed() -> None:
    changed = rename(
        "sum_up",
        "def add(a, b):\n    pass\n",
        "    return b if not a else add(a - 1, b + 1)\n",
        "assert add(1, 2) == 3\n\ndef check(candidate):\n    assert candidate(1, 2) == add(2, 1)\n",
    )
    assert changed.prompt == "def sum_up(a, b):\n    pass\n"
    assert changed.canonical_solution == "    return b if not a else sum_up(a - 1, b + 1)\n"
    assert changed.tests.count("sum_up") == 2
    assert "add" not in changed.tests


@pytest.mark.parametrize(
    "code",
    [
        "s = set()\ns.add(1)\n",  # an attribute
        "adder = added = _add = 1\n",  # part of another name
        "dict(add=1)\n",  # another function's parameter
        "def g(add):\n    return add + 1\n",  # another variable
        "def g():\n    add = 1\n    return add\n",
        "[add for add in range(3)]\n",
        "x = 'add'\n",  # data
        "x = 'please add(1, 2'\n",
        "x = b'add(1)'\n",
        "x = f'add({1}) {{add}}'\n",
        "x = [f'{add}' for add in range(3)]\n",
    ],
)
def test_what_means_something_else_stays(code: str) -> None:
    changed = rename("sum_up", "def add(a, b):\n    return a + b\n\n\n" + code)
    assert changed.prompt == "def sum_up(a, b):\n    return a + b\n\n\n" + code


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("x = [add for y in range(3)]\n", "x = [sum_up for y in range(3)]\n"),
        ("def g():\n    global add\n    return add\n", "def g():\n    global sum_up\n    return sum_up\n"),
        ("x = eval('add(1, 2)')\n", "x = eval('sum_up(1, 2)')\n"),
        ("x = f'{add(1, 2)} add'\n", "x = f'{sum_up(1, 2)} add'\n"),
        ("x = f'ä{{add}}{1:>{add(1, 2)}}'\n", "x = f'ä{{add}}{1:>{sum_up(1, 2)}}'\n"),
        ("x = f'''\n{add(\n1, 2)} {add}'''\n", "x = f'''\n{sum_up(\n1, 2)} {sum_up}'''\n"),
        ("# add(1, 2) is 3, so add it\n", "# sum_up(1, 2) is 3, so add it\n"),
        ("ä = 'ö' + add(1, 2)\n", "ä = 'ö' + sum_up(1, 2)\n"),
        ("async def g():\n    await add(1, 2)\n", "async def g():\n    await sum_up(1, 2)\n"),
    ],
)
def test_what_means_the_function_is_renamed(code: str, expected: str) -> None:
    changed = rename("sum_up", "def add(a, b):\n    return a + b\n\n\n" + code)
    assert changed.prompt == "def sum_up(a, b):\n    return a + b\n\n\n" + expected


@pytest.mark.parametrize(
    ("docstring", "expected"),
    [
        ("To add is the function add.", "To add is the function sum_up."),
        ("add(1, 2) adds; x.add(3) too.", "sum_up(1, 2) adds; x.add(3) too."),
        ("Use `add` to add.", "Use `sum_up` to add."),
        ("A function named add.", "A function named sum_up."),
        (">>> list(map(add, [1], [2]))\n    [3]", ">>> list(map(sum_up, [1], [2]))\n    [3]"),
    ],
)
def test_mentions_of_a_plain_word_are_told_from_the_word(docstring: str, expected: str) -> None:
    prompt = 'def {}(a, b):\n    """{}"""\n'
    assert rename("sum_up", prompt.format("add", docstring)).prompt == prompt.format("sum_up", expected)


def test_mentions_of_a_name_that_is_no_word_are_renamed_everywhere() -> None:
    changed = rename("addUp", 'def add_up(a):\n    """add_up sums. See re_add_up."""\n', old="add_up")
    assert changed.prompt == 'def addUp(a):\n    """addUp sums. See re_add_up."""\n'


@pytest.mark.parametrize(
    ("new", "reason"),
    [
        ("2add", "is no name"),
        ("", "is no name"),
        ("sum-up", "is no name"),
        ("class", "Python's own"),
        ("match", "Python's own"),
        ("sum", "is in use"),
        ("helper", "is in use"),
        ("a", "is in use"),
        ("candidate", "is in use"),
    ],
)
def test_a_name_must_be_free(new: str, reason: str) -> None:
    prompt = "def helper():\n    pass\n\n\ndef add(a, b):\n    return a + b\n"
    problem = Problem("made", prompt, "add", "", "def check(candidate):\n    pass\n")
    outcome = renamed(problem, new)
    assert isinstance(outcome, Unchanged)
    assert reason in outcome.reason
    assert why_not("sum_up", problem) is None


@pytest.mark.parametrize(
    ("prompt", "tests", "reason"),
    [
        ("", "", NO_FUNCTION),
        ("x = 1\n", "", NO_FUNCTION),
        ("class A:\n    def add(self):\n        pass\n", "", NO_FUNCTION),
        ("def add(:", "", "The program does not parse."),
        ("def add(a):\n    pass\n", "assert (", "The tests do not parse."),
    ],
)
def test_what_cant_be_renamed_says_why(prompt: str, tests: str, reason: str) -> None:
    assert renamed(Problem("made", prompt, "add", "", tests), "sum_up") == Unchanged(reason)


def test_a_name_that_python_reads_otherwise_is_not_renamed() -> None:
    assert renamed(Problem("made", "def ﬁ():\n    pass\n", "fi"), "sum_up") == Unchanged(NO_FUNCTION)


def test_a_prompt_that_is_only_a_docstring_keeps_its_function_in_the_solution() -> None:
    changed = rename(
        "sum_up",
        '"""Write a function to add.\nassert add(1, 2) == 3\n"""\n',
        "def add(a, b):\n    return a + b\n",
        "assert add(1, 2) == 3",
    )
    assert changed.prompt == '"""Write a function to add.\nassert sum_up(1, 2) == 3\n"""\n'
    assert changed.canonical_solution.startswith("def sum_up(")
    assert changed.tests == "assert sum_up(1, 2) == 3"


def test_the_solution_that_calls_itself_and_the_test_that_does_are_consistent() -> None:
    for key, part in (("HumanEval/55", "canonical_solution"), ("HumanEval/33", "tests")):
        problem = next(each for each in human_eval() if each.key == key)
        outcome = renamed(problem, "other_name")
        assert isinstance(outcome, Perturbed)
        assert "other_name(" in getattr(outcome.problem, part)
        assert f"{problem.entry_point}(" not in outcome.problem.prompt + getattr(outcome.problem, part)


@pytest.mark.parametrize("label", ["InflectionalVariation", "SynonymSubstitution"])
def test_words_of_a_name_change_in_its_style(label: str) -> None:
    rule = ready(find(f"function_name/{label}"))
    seen = set()
    for seed in range(30):
        outcome = rule.perturb(function("Return it.", "findNumbers2"), seed)
        if isinstance(outcome, Perturbed):
            seen.add(outcome.problem.entry_point)
            assert "_" not in outcome.problem.entry_point
            assert outcome.problem.entry_point.endswith("2")
    assert len(seen) > 2
