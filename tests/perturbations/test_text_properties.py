"""What holds for every change of a docstring or a function's name: over HumanEval and made-up problems."""

import ast
import re
from dataclasses import replace
from itertools import groupby

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.perturbations import Category, Mode, Perturbed, Problem, Transformation, Unchanged
from app.perturbations.name_parts import why_not
from app.perturbations.prose import Prose, read_prose
from tests.metrics.strategies import anything
from tests.perturbations.problems import function, human_eval, problem_after, ready, texts

TEXTS = tuple(texts())
each = pytest.mark.parametrize("transformation", TEXTS, ids=lambda one: one.name)
pytestmark = pytest.mark.xdist_group("words")

WORDS = [
    *(
        "Return",
        "Find",
        "Check",
        "given",
        "the",
        "largest",
        "of",
        "words",
        "numbers",
        "is",
        "are",
        "takes",
        "and",
        "not",
    ),
    *(
        "if",
        "x",
        "values",
        "total",
        "list",
        "True",
        "'quoted'",
        '"two words"',
        "`code`",
        "[1, 'a']",
        "solve",
        "solve(x)",
    ),
    *("don't", "it's", "camelCase", "snake_case", "3.5", "e.g.", "naïve", ".", ",", "\\n", "\n    ", "\n\n    "),
]
_ENDS = st.sampled_from(["", "\n    >>> solve(1)\n    1\n    ", "\n\n    Example:\n        solve(2) == 2\n    "])
_TEXT = st.lists(st.sampled_from(WORDS), min_size=1, max_size=30)
_NAMES = st.sampled_from(["solve", "find_largest", "sortedWords", "f", "list_words2", "add"])
_BODIES = st.sampled_from(["    return x\n", "    total = x\n    return total\n", "    return x and {name}(x - 1)\n"])


@st.composite
def made_problems(draw: st.DrawFn) -> Problem:
    """Functions of one argument, with docstrings of words, names, quotations and examples."""
    name = draw(_NAMES)
    docstring = (" ".join(draw(_TEXT)) + draw(_ENDS)).replace("solve", name)
    problem = function(docstring, name, draw(_BODIES).replace("{name}", name))
    return replace(problem, key=f"made/{draw(st.integers(0, 99))}")


def check(transformation: Transformation, before: Problem, seed: int) -> None:
    """All that must hold of one change by the paper's rules."""
    outcome = transformation.perturb(before, seed)
    assert outcome == transformation.perturb(before, seed)
    if isinstance(outcome, Unchanged):
        assert outcome.reason.endswith(".")
        return
    after = outcome.problem
    assert after != before
    assert (after.key, after.form, after.language) == (before.key, before.form, before.language)
    assert after.prompt.count("\n") == before.prompt.count("\n")
    assert _indentation(after.prompt) == _indentation(before.prompt)
    ast.parse(after.prompt + after.canonical_solution)
    ast.parse(after.tests)
    (_check_docstring if transformation.category is Category.DOCSTRING else _check_name)(before, after)


def _indentation(text: str) -> list[str]:
    return [line[: len(line) - len(line.lstrip())] for line in text.splitlines() if line.strip()]


def _check_docstring(before: Problem, after: Problem) -> None:
    prose = read_prose(before)
    assert isinstance(prose, Prose)
    assert replace(after, prompt=before.prompt) == before
    assert after.prompt.startswith(before.prompt[: prose.start])
    assert after.prompt.endswith(before.prompt[prose.start + len(prose.text) :])
    place = 0
    for piece in _protected(prose):
        place = after.prompt.index(piece, place) + len(piece)


def _protected(prose: Prose) -> list[str]:
    """What must stay, piece by piece."""
    pairs = zip(prose.text, prose.is_free, strict=True)
    runs = groupby(pairs, key=lambda pair: pair[1])
    return ["".join(character for character, _ in run) for is_free, run in runs if not is_free]


def _check_name(before: Problem, after: Problem) -> None:
    assert why_not(after.entry_point, before) is None
    for part in ("prompt", "canonical_solution", "tests"):
        pieces = [re.split(r"(\w+)", getattr(problem, part)) for problem in (before, after)]
        changed = {(old, new) for old, new in zip(*pieces, strict=True) if old != new}
        assert changed <= {(before.entry_point, after.entry_point)}
    nodes = list(ast.walk(ast.parse(after.prompt + after.canonical_solution)))
    defined = {node.name for node in nodes if isinstance(node, ast.FunctionDef)}
    used = {node.id for node in nodes if isinstance(node, ast.Name)}
    assert after.entry_point in defined
    assert before.entry_point not in defined | used


@each
@pytest.mark.parametrize("seed", [0, 4])
def test_over_human_eval(transformation: Transformation, seed: int) -> None:
    for problem in human_eval():
        check(ready(transformation), problem, seed)


@each
@given(made_problems(), st.integers(0, 99))
def test_over_made_problems(transformation: Transformation, problem: Problem, seed: int) -> None:
    check(ready(transformation), problem, seed)


@each
@given(st.builds(Problem, anything, anything, anything, anything, anything), st.sampled_from(Mode))
def test_no_text_makes_it_raise(transformation: Transformation, problem: Problem, mode: Mode) -> None:
    if mode in ready(transformation).modes:
        outcome = transformation.perturb(problem, 0, mode)
        assert isinstance(outcome, Perturbed) or outcome.reason


@each
def test_each_problem_is_changed_as_if_alone(transformation: Transformation) -> None:
    some = human_eval()[::9]
    assert (
        ready(transformation).perturb_all(some, 3) == [transformation.perturb(one, 3) for one in reversed(some)][::-1]
    )


@each
def test_problems_and_seeds_draw_by_themselves(transformation: Transformation) -> None:
    before = human_eval()[4]  # its name and its docstring are long
    others = [replace(before, key=f"other/{number}") for number in range(12)]
    by_key = {problem_after(ready(transformation).perturb(one, 0), one).prompt for one in others}
    by_seed = {problem_after(transformation.perturb(before, seed), before).prompt for seed in range(12)}
    assert (len(by_key) > 1, len(by_seed) > 1) == (transformation.is_random, transformation.is_random)
