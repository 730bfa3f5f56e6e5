"""Which part of a prompt may be changed: prose before the examples, without names, types, quotations and code."""

import pytest

from app.perturbations import Problem, Unchanged
from app.perturbations.prose import NO_DOCSTRING, NO_PROSE, Prose, read_prose, with_prose
from tests.perturbations.problems import function, human_eval


def prose_of(problem: Problem) -> Prose:
    found = read_prose(problem)
    assert isinstance(found, Prose), found
    return found


def free(problem: Problem) -> str:
    """The prose with a dot for each character that must stay."""
    prose = prose_of(problem)
    return "".join(each if free else "·" for each, free in zip(prose.text, prose.is_free, strict=True))


@pytest.mark.parametrize(
    ("docstring", "prose"),
    [
        ("Return it.", "Return it."),
        (" Return it.\n    ", "Return it."),
        ("Return it.\n    >>> solve(1)\n    1\n    And more.", "Return it."),
        ("Return it.\n\n    Example:\n    solve(1) is 1", "Return it."),
        ("Return it.\n    for examble:\n    2", "Return it."),
        ("Return it. For example, one for one.", "Return it."),
        ("Return it, e.g. one for one.", "Return it,"),
        ("Return it.\n    solve(1) == 1", "Return it."),
        ("Return it.\n    * solve(1) gives 1", "Return it."),
        ("Return it.\n    [1, 2]\n    And more.", "Return it."),
        ("Return it.\n    one => two\n    And more.", "Return it."),
        ("Return it.\n    Input: 3\n    Output: 4", "Return it."),
        ("Return the sum (of all).\n    Yes.", "Return the sum (of all).\n    Yes."),
    ],
)
def test_prose_ends_before_examples_and_code(docstring: str, prose: str) -> None:
    assert prose_of(function(docstring)).text == prose


@pytest.mark.parametrize(
    ("docstring", "shown"),
    [
        ("Take x and return y.", "Take · and return ·."),  # x is a parameter, y is no word
        ("Take a list of ints.", "Take a ···· of ints."),
        ("Say \"no way\" or 'yes' or `maybe`.", "Say ········ or ····· or ·······."),
        ("It isn't Joe's.", "It isn'· Joe'·."),
        ("Call other_name(x) or math.pi or max2.", "Call ············· or ······· or ····."),
        ("A camelCase word, 3.5 and x > 2.", "A ········· word, ··· and · · ·."),
        ("Sum of [1, 'a'] and {2}.", "Sum of ········ and ···."),
        ("Solve it: solve returns True.", "Solve it: ····· returns ····."),
        ("One\\nline.", "One··line."),
    ],
)
def test_what_is_protected(docstring: str, shown: str) -> None:
    assert free(function(docstring)) == shown


def test_a_name_of_the_solution_is_protected() -> None:
    problem = function("Return the total of all values.", body="    total = sum(values)\n    return total\n")
    assert free(problem) == "Return the ····· of all ······."


@pytest.mark.parametrize(
    "prompt",
    [
        "def solve(x):\n    'Return it.'\n",
        'def solve(x):\n    r"""Return it."""\n',
        "def solve(x):\n    '''\n    Return it.\n    '''\n",
        'import re\n\ndef solve(x):\n    import os\n    """\n    Return it."""\n',  # HumanEval/115 is so
        'class A:\n    """Not this one."""\n\ndef solve(x):\n    """Return it."""\n',
        '"""Return it."""\n',  # MBPP: nothing but a docstring
        '"""Return it."""\ndef solve(x):\n',  # the function has none
        '# ä\N{OGHAM SPACE MARK}ö\ndef solve(ä):\n    """Return it."""\n',
        'def solve(x):\n\t"""\n\tReturn it.\n\t"""\n',
    ],
)
def test_a_docstring_is_found(prompt: str) -> None:
    assert prose_of(Problem("made", prompt, "solve", "    return 1\n" if prompt.endswith(":\n") else "")).text == (
        "Return it."
    )


@pytest.mark.parametrize(
    ("prompt", "reason"),
    [
        ("", NO_DOCSTRING),
        ("def solve(x):\n", NO_DOCSTRING),
        ("no program at all", NO_DOCSTRING),
        ('def solve(x):\n    """Return it.', NO_DOCSTRING),
        ('def solve(x):\n    "Return " "it."\n', NO_DOCSTRING),
        ('def solve(x):\n    b"Return it."\n', NO_DOCSTRING),
        ('def solve(x):\n    """"""\n', NO_PROSE),
        ('def solve(x):\n    """>>> solve(1)\n    1"""\n', NO_PROSE),
    ],
)
def test_what_has_no_prose_says_why(prompt: str, reason: str) -> None:
    assert read_prose(Problem("made", prompt, "solve")) == Unchanged(reason)


def test_all_of_human_eval_has_prose() -> None:
    proses = [prose_of(problem) for problem in human_eval()]
    assert not any(">>>" in each.text or '"""' in each.text for each in proses)
    assert sum(sum(each.is_free) for each in proses) > 0.7 * sum(len(each.text) for each in proses)


def test_no_text_ends_the_docstring_early() -> None:
    problem = function("Return it.")
    for text in ('Return """ it.', "Return it.\\", 'Return it."'):
        assert isinstance(with_prose(problem, prose_of(problem), text, "as it was"), Unchanged)
