"""The rules of format by the paper: cases worked by hand, and what they must leave alone."""

import ast

import pytest

from app.perturbations import Perturbed, find
from tests.perturbations.changes import code, perturbed, problem, reason
from tests.perturbations.human_eval import half, halves

WORK = 'def work(n):\n    """Work.\n\n    >>> work(1)\n    1\n    """\n    x = n\n'


def test_tab_indent_changes_both_halves() -> None:
    prompt, rest = code("format/TabIndent", WORK, "    if x:\n        return 1\n    return x\n")
    assert prompt == 'def work(n):\n\t"""Work.\n\n\t>>> work(1)\n\t1\n\t"""\n\tx = n\n'
    assert rest == "\tif x:\n\t\treturn 1\n\treturn x\n"


def test_tabs_become_four_spaces() -> None:
    assert code("format/TabIndent", "def work(n):\n\tif n:\n", "\t\treturn 1\n") == (
        "def work(n):\n    if n:\n",
        "        return 1\n",
    )


def test_blocks_of_another_depth_get_one_unit_each() -> None:
    lines = "def work(n):\n    if n:\n      return [1,\n              2]\n    else:\n      x = 3\n"
    assert code("format/TabIndent", lines, "      return x\n") == (
        "def work(n):\n\tif n:\n\t\treturn [1,\n\t\t\t  2]\n\telse:\n\t\tx = 3\n",
        "\t\treturn x\n",
    )


def test_a_string_s_own_lines_keep_their_indentation() -> None:
    lines = 'def work():\n    x = """\n    a\n        b"""\n'
    assert code("format/TabIndent", lines, "    return x\n")[0] == 'def work():\n\tx = """\n    a\n        b"""\n'


def test_a_body_beside_its_head_has_no_indentation() -> None:
    assert "shares a line" in reason("format/TabIndent", problem("def work(): return 1\n"))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("    x = n + n\n    y = 1\n", "    x = \\\n        n + n\n    y = 1\n"),
        ("    y = 1\n    for a in n:\n", "    y = 1\n    for a \\\n        in n:\n"),
        ("    print('a b c d', n)\n", "    print('a b c d', \\\n        n)\n"),  # not in a string
        ("    x = n  # a long comment here\n", "    x \\\n        = n  # a long comment here\n"),  # nor in a comment
        ("    x = f'{n + n} {n}' + n\n", "    x = \\\n        f'{n + n} {n}' + n\n"),
        (
            "    x = [1, 2,\n         3333, 4444, 5555]\n",
            "    x = [1, 2,\n         3333, \\\n             4444, 5555]\n",
        ),
    ],
)
def test_the_longest_line_is_split_before_its_middle_word(before: str, after: str) -> None:
    hidden = "        pass\n" if before.endswith(":\n") else "    return n\n"
    assert code("format/LineSplit", "def work(n):\n" + before, hidden) == ("def work(n):\n" + after, hidden)


@pytest.mark.parametrize("body", ["", "    x=n\n", "    print('a b c')\n", '    x=("""a\n b c d""")\n'])
def test_a_line_without_white_space_in_its_code_is_not_split(body: str) -> None:
    given = problem('def work(n):\n    """Do a lot of work."""\n' + body, "    return n + n\n")
    assert reason("format/LineSplit", given) == "No line of the visible code has white space to be split at."


def test_a_docstring_becomes_comments_with_its_examples() -> None:
    assert code("format/Doc2Comments", WORK, "    return x\n")[0] == (
        "def work(n):\n    # Work.\n    #\n    # >>> work(1)\n    # 1\n    x = n\n"
    )


@pytest.mark.parametrize(
    ("docstring", "comments"),
    [
        ('""" One line. """', "    # One line.\n"),
        ("'short'", "    # short\n"),
        ('r"""\\d\n  left\n      right"""', "    # \\d\n    # left\n    #   right\n"),
        ("'''\n\n    a # b\n    '''", "    # a # b\n"),
    ],
)
def test_other_docstrings(docstring: str, comments: str) -> None:
    lines = f"def work(n):\n    {docstring}\n    return n\n"
    assert code("format/Doc2Comments", lines)[0] == f"def work(n):\n{comments}    return n\n"


def test_a_function_of_nothing_but_its_docstring_stays_valid() -> None:
    assert (
        code("format/Doc2Comments", 'def work(n):\n    """Do it."""\n')[0] == "def work(n):\n    # Do it.\n    pass\n"
    )


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        ("def work(n):\n    return n\n", "The function has no docstring."),
        ('def work(n): "Do it."; return n\n', "The docstring shares a line with other code."),
        ('def work(n):\n    "Do it."; x = n\n', "The docstring shares a line with other code."),
        ('def work(n):\n    ""\n    return n\n', "The docstring is empty."),
        ('def work(n):\n    "Do " "it."\n    return n\n', "The docstring is put together from several strings."),
        ('def work(n):\n    "Do it."\n    return work.__doc__\n', "The program or its tests read the docstring."),
    ],
)
def test_where_no_comments_can_be_made(lines: str, why: str) -> None:
    assert reason("format/Doc2Comments", problem(lines)) == why


def test_an_empty_line_behind_the_docstring_and_behind_the_code() -> None:
    assert code("format/NewlineAfterDoc", WORK)[0] == WORK.replace('    """\n', '    """\n\n')
    assert code("format/NewlineAfterCode", WORK, "    return x\n") == (WORK + "\n", "    return x\n")
    assert (
        reason("format/NewlineAfterDoc", problem("def work():\n    return 1\n")) == "The function has no docstring."
    )


@pytest.mark.parametrize(
    ("lines", "rest"),
    [('def work():\n    x = """a\n', 'b"""\n'), ("def work(n):\n    x = n + \\\n", "        n\n")],
)
def test_no_empty_line_in_a_string_or_behind_a_backslash(lines: str, rest: str) -> None:
    assert "in a string or behind a backslash" in reason("format/NewlineAfterCode", problem(lines, rest))
    assert (
        reason("format/NewlineRandom", problem(lines, rest), 3) == "No line break in the visible code can be doubled."
    )


def test_half_of_the_line_breaks_are_doubled() -> None:
    lines = 'def work(n):\n    """Work.\n    """\n' + "    n += 1\n" * 200
    doubled = [
        code("format/NewlineRandom", lines, "    return n\n", seed=seed)[0].count("\n") - 203 for seed in range(20)
    ]
    assert abs(sum(doubled) - 20 * 100.5) < 5 * (20 * 201 / 4) ** 0.5
    assert len(set(doubled)) > 5


def test_chance_may_leave_all_as_it_is() -> None:
    outcomes = [find("format/NewlineRandom").perturb(half(2), seed) for seed in range(20)]  # one line break
    unchanged = [each for each in outcomes if not isinstance(each, Perturbed)]
    assert 2 < len(unchanged) < 18
    assert all(each.reason == "Chance chose no line break." for each in unchanged)


@pytest.mark.parametrize("label", ["LineSplit", "NewlineRandom", "NewlineAfterCode", "NewlineAfterDoc"])
def test_human_eval_s_programs_stay_the_same_to_the_parser(label: str) -> None:
    for given in halves():
        outcome = find(f"format/{label}").perturb(given, 4)
        if isinstance(outcome, Perturbed):
            made = perturbed(f"format/{label}", given, 4)
            assert tree(made.prompt + made.canonical_solution) == tree(given.prompt + given.canonical_solution)


def tree(text: str) -> str:
    """The syntax tree, docstrings with it."""
    return ast.dump(ast.parse(text))
