"""Docstrings and function names changed as in the files that the paper's authors released, byte for byte."""

import pytest

from app.perturbations import Mode, PerturbationError, Perturbed, Problem, Transformation, Unchanged
from tests.perturbations.problems import function, human_eval, problem_after, released, texts

KNOWN = [each for each in texts() if Mode.RELEASED in each.modes]


def test_these_are_known() -> None:
    characters = {"ButterFingers", "ChangeCharCase", "SwapCharacters"}
    assert {each.name for each in KNOWN} == {
        *(f"docstring/{label}" for label in characters | {"Whitespace"}),
        *(f"function_name/{label}" for label in characters | {"CamelCase"}),
    }


@pytest.mark.parametrize("transformation", KNOWN, ids=lambda each: each.name)
def test_all_rows_are_those_that_were_released(transformation: Transformation) -> None:
    for seed in range(5 if transformation.is_random else 1):
        rows = list(released(transformation, seed))
        outcomes = [transformation.perturb(problem, seed, Mode.RELEASED) for problem in human_eval()]
        made = [problem_after(*pair) for pair in zip(outcomes, human_eval(), strict=True)]
        assert made == rows
        same = [row == problem for row, problem in zip(rows, human_eval(), strict=True)]
        assert [isinstance(each, Unchanged) for each in outcomes] == same


@pytest.mark.parametrize(
    "transformation", [each for each in texts() if each not in KNOWN], ids=lambda each: each.name
)
def test_what_nobody_can_make_again_says_so(transformation: Transformation) -> None:
    with pytest.raises(PerturbationError, match=r"can't be made in the mode .*import the released files"):
        transformation.perturb(function("Return it."), 0, Mode.RELEASED)


@pytest.mark.parametrize("transformation", KNOWN, ids=lambda each: each.name)
@pytest.mark.parametrize(
    "prompt", ["", "x = 1\n", "def f(:", 'def solve(x):\n    """', "def solve(x):\n    '''<|||> it'''\n"]
)
def test_odd_text_is_no_error(transformation: Transformation, prompt: str) -> None:
    outcome = transformation.perturb(Problem("odd", prompt, "solve"), 0, Mode.RELEASED)
    assert isinstance(outcome, Perturbed) or outcome.reason
