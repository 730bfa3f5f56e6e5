"""Half a solution in the prompt: as in the released nominal set, and never another text."""

from hypothesis import given
from hypothesis import strategies as st

from app.perturbations import Form, Problem
from app.perturbations.half_solutions import half_solution
from tests.perturbations.human_eval import halves, rows, whole


def test_they_are_the_released_ones() -> None:
    released = [(row["task_id"], row["prompt"], row["canonical_solution"]) for row in rows("humaneval_partial.jsonl")]
    assert [(each.key, each.prompt, each.canonical_solution) for each in halves()] == released


def test_a_solution_of_one_line_stays_hidden() -> None:
    kept = [half for half, problem in zip(halves(), whole(), strict=True) if half.prompt == problem.prompt]
    assert len(kept) == 37
    assert all(half.canonical_solution.count("\n") == 1 and half.form is Form.HALF for half in kept)


def test_of_an_odd_number_of_lines_the_smaller_half_is_shown() -> None:
    half = half_solution(Problem("p", "def f():\n", "f", "    a = 1\n    b = 2\n    return a + b\n"))
    assert (half.prompt, half.canonical_solution) == ("def f():\n    a = 1\n", "    b = 2\n    return a + b\n")


def test_a_half_is_not_halved_again() -> None:
    half = halves()[0]
    assert half_solution(half) is half


@given(st.text("ab \n\r\f\x1c"))
def test_no_character_is_lost_and_only_line_feeds_end_lines(solution: str) -> None:
    half = half_solution(Problem("p", "def f():\n", "f", solution))
    assert half.prompt + half.canonical_solution == "def f():\n" + solution
    lines = solution.count("\n") + (not solution.endswith("\n") and solution != "")
    assert half.prompt.removeprefix("def f():\n").count("\n") == lines // 2
