"""Why a prompt stayed as it was: by chance only where another draw would have changed it."""

import pytest

from app.perturbations import Mode, Outcome, Problem, Unchanged, find
from app.perturbations.prose import NOTHING_CHANGED, NOTHING_TO_CHANGE
from tests.perturbations.problems import function

SEEDS = range(99)
PROTECTED = "<script>alert(1)</script> & <b>bold words</b>"  # names of tags, and what stands in quotes or brackets
CHARACTERS = ("ButterFingers", "ChangeCharCase", "SwapCharacters")
modes = pytest.mark.parametrize("mode", list(Mode))


def outcomes(name: str, problem: Problem, mode: Mode = Mode.PAPER) -> list[Outcome]:
    return [find(name).perturb(problem, seed, mode) for seed in SEEDS]


def reasons(name: str, problem: Problem, mode: Mode = Mode.PAPER) -> set[str]:
    return {each.reason for each in outcomes(name, problem, mode) if isinstance(each, Unchanged)}


@pytest.mark.parametrize(
    ("label", "docstring"), [*((label, PROTECTED) for label in CHARACTERS), ("Whitespace", "`x` y")]
)
def test_where_every_word_is_protected_no_chance_is_told_of(label: str, docstring: str) -> None:
    problem = function(docstring)
    assert outcomes(f"docstring/{label}", problem) == [Unchanged(NOTHING_TO_CHANGE)] * len(SEEDS)


@pytest.mark.parametrize("label", CHARACTERS)
def test_where_the_released_rules_spare_every_word_no_chance_is_told_of(label: str) -> None:
    problem = function("x", body="    return x\n")
    tried = outcomes(f"docstring/{label}", Problem("k", problem.prompt.replace('x"""', 'x\n    >>> 1"""'), "solve"))
    assert tried == [Unchanged(NOTHING_TO_CHANGE)] * len(SEEDS)


@modes
@pytest.mark.parametrize("label", CHARACTERS)
def test_chance_is_told_of_where_another_draw_changes_something(label: str, mode: Mode) -> None:
    for name, problem in ((f"docstring/{label}", function("Go on.")), (f"function_name/{label}", function("", "go"))):
        tried = outcomes(name, problem, mode)
        assert 0 < sum(isinstance(each, Unchanged) for each in tried) < len(tried), name
        assert reasons(name, problem, mode) == {NOTHING_CHANGED}, name


@pytest.mark.parametrize(
    ("name", "mode", "function_name", "reason"),
    [
        ("ChangeCharCase", Mode.PAPER, "_F1", NOTHING_TO_CHANGE),
        ("ChangeCharCase", Mode.RELEASED, "_1", NOTHING_TO_CHANGE),
        ("ButterFingers", Mode.PAPER, "_1", NOTHING_TO_CHANGE),
        ("ButterFingers", Mode.RELEASED, "_1", NOTHING_TO_CHANGE),
        ("SwapCharacters", Mode.PAPER, "f_1", NOTHING_TO_CHANGE),
        ("SwapCharacters", Mode.RELEASED, "f_1", NOTHING_TO_CHANGE),
        ("CamelCase", Mode.PAPER, "solve", "The name is one word."),
        ("CamelCase", Mode.RELEASED, "solve", "The name is one word."),
    ],
)
def test_names_without_anything_to_change(name: str, mode: Mode, function_name: str, reason: str) -> None:
    assert reasons(f"function_name/{name}", function("Go on.", function_name), mode) == {reason}


def test_no_chance_left_a_prompt_that_does_not_name_its_function() -> None:
    problem = Problem("k", 'def f(x):\n    """Go."""\n', "go_on")
    assert reasons("function_name/CamelCase", problem, Mode.RELEASED) == {"The prompt does not name the function."}


def test_released_line_breaks_that_chance_left_are_told_as_such() -> None:
    problem = function("Go on.")
    assert reasons("format/NewlineRandom", problem, Mode.RELEASED) == {"Chance chose no line break."}
    bare = Problem("k", 'def f(x):\n    """Go."""', "f")
    assert reasons("format/NewlineRandom", bare, Mode.RELEASED) == {"There is nothing that the rule changes."}
