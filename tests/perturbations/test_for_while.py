"""For-While Switch: cases worked by hand, and the traps of the released script."""

import pytest

from tests.perturbations.changes import code, perturbed, problem, reason
from tests.perturbations.human_eval import half
from tests.perturbations.running import failing

NAME = "syntax/ForWhileSwitch"
NOTHING = "No loop in the visible code can be one of the other kind."


def switched(loop: str, rest: str = "    return n\n", head: str = "def work(n, xs: list):\n") -> str:
    """The whole changed function of one loop."""
    return "".join(code(NAME, head + loop, rest)).removeprefix(head).removesuffix(rest)


def test_a_range_is_counted_up_at_the_end() -> None:
    assert switched("    for i in range(n):\n        print(i)\n") == (
        "    i = 0\n    while i < n:\n        print(i)\n        i += 1\n"
    )


def test_a_range_down() -> None:
    assert switched("    for i in range(n, -1, -2):  # down\n        print(i)\n") == (
        "    i = n\n    while i > -1:  # down\n        print(i)\n        i -= 2\n"
    )


def test_an_end_that_may_change_is_kept() -> None:
    assert switched("    for i in range(1, len(xs)):\n        xs.append(i)\n") == (
        "    i = 1\n    stop = len(xs)\n    while i < stop:\n        xs.append(i)\n        i += 1\n"
    )
    assert switched("    for i in range(n):\n        n = 1\n") == (
        "    i = 0\n    stop = n\n    while i < stop:\n        n = 1\n        i += 1\n"
    )


@pytest.mark.parametrize(
    ("body", "rest"),
    [
        ("        if i: continue\n        n += i\n", "    return n\n"),  # would skip the counting
        ("        n += i\n", "    return n + i\n"),  # would see one more
        ("        i += 5\n        n += i\n", "    return n\n"),  # would skip turns
        ("        xs.append(lambda: i)\n", "    return [x() for x in xs]\n"),  # would see one more, later
    ],
)
def test_where_counting_would_show_an_index_is_counted_before(body: str, rest: str) -> None:
    assert switched(f"    for i in range(n):\n{body}", rest) == (
        "    items = range(n)\n    index = 0\n    while index < len(items):\n        i = items[index]\n"
        f"        index += 1\n{body}"
    )


def test_a_step_that_is_no_number_goes_by_an_index() -> None:
    assert "items = range(0, 9, n)" in switched("    for i in range(0, 9, n):\n        print(i)\n")


def test_a_list_by_its_index_and_anything_else_by_its_iterator() -> None:
    assert switched("    for x in xs:\n        print(x)\n") == (
        "    index = 0\n    while index < len(xs):\n        x = xs[index]\n        index += 1\n        print(x)\n"
    )
    assert switched("    for a, b in n.items():\n        print(a)\n") == (
        "    iterator = iter(n.items())\n    while (item := next(iterator, iterator)) is not iterator:\n"
        "        a, b = item\n        print(a)\n"
    )


def test_a_tuple_without_brackets_gets_some() -> None:
    assert switched("    for x in 1, n:\n        print(x)\n").startswith("    items = (1, n)\n")


def test_a_loop_of_one_line_stays_one() -> None:
    assert switched("    for i in range(n): print(i); print(n)  # both\n") == (
        "    i = 0\n    while i < n: print(i); print(n); i += 1  # both\n"
    )


def test_new_names_are_used_nowhere() -> None:
    assert "index2 = 0" in switched("    for x in xs:\n        print(x)  # index\n")


def test_while_asks_its_condition_before_each_turn() -> None:
    assert switched("    while n:\n        n -= 1\n    else:\n        n = 7\n") == (
        "    for _ in iter(lambda: bool(n), False):\n        n -= 1\n    else:\n        n = 7\n"
    )
    assert switched("    while True:\n        break\n").startswith("    for _ in iter(lambda: True, False):\n")
    assert switched("    while n > 1 and n != 5:\n        n -= 1\n") == (
        "    for _ in iter(lambda: n > 1 and n != 5, False):\n        n -= 1\n"
    )
    assert "iter(lambda: bool(n > 1 and xs), False)" in switched("    while n > 1 and xs:\n        n -= 1\n")
    assert switched("    while not n:\n        break\n").startswith("    for _ in iter(lambda: not n, False):\n")


@pytest.mark.parametrize("condition", ["(x := n.pop())", "next(xs)", "(yield n)"])
def test_a_condition_that_a_lambda_would_change_stays(condition: str) -> None:
    lines = f"def work(n, xs):\n    while {condition}:\n        print(n)\n"
    assert reason(NAME, problem(lines)) == NOTHING


def test_own_len_or_iter_stop_the_rule() -> None:
    assert reason(NAME, problem("def work(len):\n    for x in len:\n        print(x)\n")) == NOTHING


def test_what_reads_names_is_left_alone() -> None:
    given = problem("def work(n):\n    for i in range(n):\n        pass\n", "    return locals()\n")
    assert "reads the names of its variables" in reason(NAME, given)


def test_a_head_that_is_hidden_is_not_chosen() -> None:
    assert reason(NAME, problem("def work(n):\n    x = 1\n", "    for i in range(n):\n        pass\n")) == NOTHING


def test_the_end_of_a_hidden_body_is_changed_there() -> None:
    prompt, rest = code(NAME, "def work(n):\n    for i in range(n):\n", "        print(i)\n    return n\n")
    assert prompt == "def work(n):\n    i = 0\n    while i < n:\n"
    assert rest == "        print(i)\n        i += 1\n    return n\n"


def test_the_start_of_a_hidden_body_is_visible_where_its_head_is() -> None:
    prompt, rest = code(NAME, "def work(xs: list):\n    for x in xs:\n", "        print(x)\n")
    assert prompt.endswith("    while index < len(xs):\n        x = xs[index]\n        index += 1\n")
    assert rest == "        print(x)\n"


def test_the_problems_that_the_released_script_broke() -> None:
    numbers = (75, 95, 150)  # continue; dict.keys()[i]; for/else
    assert failing(perturbed(NAME, half(number), seed) for number in numbers for seed in range(3)) == []
