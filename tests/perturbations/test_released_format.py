"""As released, the rules of format give the released files, byte for byte."""

import pytest

from app.perturbations import Mode, find
from tests.perturbations.changes import text_of
from tests.perturbations.human_eval import half, halves, released

# The released script lost or doubled characters of double-quoted strings there.
BROKEN_SPLITS = {f"HumanEval/{number}" for number in (50, 66, 117, 118, 140, 148, 156)}


def different(name: str, seed: int = 0) -> set[str]:
    """Problems whose prompt or solution is not the released one."""
    rule = find(name)
    outcomes = rule.perturb_all(halves(), seed, Mode.RELEASED)
    rows = released("format", str(rule.released_name), seed)
    made = [text_of(outcome, given) for outcome, given in zip(outcomes, halves(), strict=True)]
    return {
        problem.key
        for problem, row in zip(made, rows, strict=True)
        if (problem.prompt, problem.canonical_solution) != (row["prompt"], row["canonical_solution"])
    }


@pytest.mark.parametrize("label", ["NewlineAfterCode", "NewlineAfterDoc", "Doc2Comments", "TabIndent"])
def test_all_rows_are_equal(label: str) -> None:
    assert different(f"format/{label}") == set()


@pytest.mark.parametrize("seed", range(5))
def test_all_rows_of_new_lines_are_equal(seed: int) -> None:
    assert different("format/NewlineRandom", seed) == set()


def test_split_lines_are_equal_but_for_the_broken_strings() -> None:
    assert different("format/LineSplit") == BROKEN_SPLITS


def test_a_line_split_as_released_keeps_its_strings() -> None:
    made = text_of(find("format/LineSplit").perturb(half(66), 0, Mode.RELEASED), half(66))
    assert '    if s ==  \\\n  "": return 0\n' in made.prompt
