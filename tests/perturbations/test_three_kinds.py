"""What holds for every rule on each of three kinds of problems: MBPP-like ones here, with HumanEval and programs of
chance as far as other files leave something open. Models stand in by hand, so that no rule is left out."""

import ast
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.perturbations import Category, Form, Perturbed, Problem, Transformation, Unchanged, available
from app.perturbations.docstring.back_translation import BackTranslation
from app.perturbations.syntax.var_renamer_cb import VarRenamerCB
from tests.perturbations import human_eval, test_text_properties
from tests.perturbations.mbpp_like import of_form, passes, whole
from tests.perturbations.problems import ready
from tests.perturbations.programs import problems, results
from tests.perturbations.test_code_rules import texts
from tests.perturbations.test_text_properties import made_problems

pytestmark = pytest.mark.xdist_group("words")
SEEDS = (0, 1, 4)
TEXTS = (Category.DOCSTRING, Category.FUNCTION_NAME)


@dataclass(frozen=True)
class Guess:
    """As a masked model has it."""

    text: str
    probability: float


def in_other_words(paragraphs: Sequence[str]) -> list[str]:
    """What a pair of translators might make of text that begins as MBPP's does."""
    return [each.replace("Write a function to", "Create a function which should") for each in paragraphs]


def guesses(gaps: Sequence[str]) -> list[list[Guess]]:
    """Words of English, of which some are taken or are none."""
    return [[Guess("len", 0.5), Guess(" value", 0.3), Guess("if", 0.2), Guess("amount", 0.1)] for _ in gaps]


MODELS: dict[str, Transformation] = {
    each.name: each for each in (BackTranslation(in_other_words), VarRenamerCB(guesses))
}
RULES = tuple(MODELS.get(each.name, each) for each in available())
CODE = [each for each in RULES if each.category not in TEXTS]
each_rule = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)


def test_the_problems_are_sound() -> None:
    assert all(map(passes, whole()))
    assert not passes(replace(whole()[0], canonical_solution="    return 0\n"))


@each_rule
def test_mbpp_like_problems_keep_their_meaning(rule: Transformation) -> None:
    changed = 0
    for seed in SEEDS:
        for before in of_form(rule.form):
            outcome = ready(rule).perturb(before, seed)
            if isinstance(outcome, Perturbed):
                changed += 1
                check(rule, before, outcome.problem, seed)
                assert passes(outcome.problem), (before.key, seed, outcome.problem.prompt)
            else:
                assert outcome.reason.endswith(".")
    assert changed


def check(rule: Transformation, before: Problem, after: Problem, seed: int) -> None:
    """All that must hold of one change, by what its rule may change."""
    assert after.prompt != before.prompt
    assert (after.key, after.form, after.language) == (before.key, before.form, before.language)
    old, new = (ast.parse(each.prompt + each.canonical_solution) for each in (before, after))
    assert annotations(new) == annotations(old)
    assert examples(after) == examples(before)
    if rule.category in TEXTS:
        test_text_properties.check(rule, before, seed)
        return
    assert (after.entry_point, after.tests) == (before.entry_point, before.tests)
    if rule.category is Category.SYNTAX:
        assert texts(before) <= texts(after)  # dead code may copy some
        assert "DeadCode" in rule.name or texts(before) == texts(after)
    else:
        assert without_docstrings(new) == without_docstrings(old)


def annotations(tree: ast.Module) -> Counter[str]:
    """Names of types."""
    found = [getattr(node, name, None) for node in ast.walk(tree) for name in ("annotation", "returns")]
    return Counter(ast.dump(each) for each in found if each is not None)


def examples(problem: Problem) -> list[list[str]]:
    """Each call that a docstring shows and what it gives, whichever way the text is indented, or a comment; the name
    of the function is another matter."""
    lines = [line.strip() for line in problem.prompt.splitlines() if line.strip(" \t#")]
    shown = [lines[place : place + 2] for place, line in enumerate(lines) if line.lstrip("# ").startswith(">>>")]
    return [[_example(problem, line) for line in pair if _is_beside(pair[0], line)] for pair in shown]


def _is_beside(example: str, line: str) -> bool:
    """Whether a line still is of the docstring, or of the comment that it became."""
    return line.startswith("#") == example.startswith("#") and not line.startswith(("'''", '"""'))


def _example(problem: Problem, line: str) -> str:
    return re.sub(rf"\b{problem.entry_point}\b", "it", line.removeprefix("#").strip())


def without_docstrings(tree: ast.Module) -> str:
    """The program as it is run, without strings that stand alone."""
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [each for each in body if not _is_text(each)]  # type: ignore[attr-defined]
    return ast.dump(tree)


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


@each_rule
def test_human_eval_keeps_examples_types_and_strings(rule: Transformation) -> None:
    """For half-solution rules; the other two categories are held to more in test_text_properties."""
    for before in human_eval.halves()[::3] if rule.form is Form.HALF else human_eval.whole()[::3]:
        outcome = ready(rule).perturb(before, 1)
        if isinstance(outcome, Perturbed):
            check(rule, before, outcome.problem, 1)


@given(made_problems(), st.sampled_from([each for each in RULES if each.category in TEXTS]), st.integers(0, 9))
@settings(max_examples=150)
def test_made_up_problems_pass_with_another_text(problem: Problem, rule: Transformation, seed: int) -> None:
    outcome = ready(rule).perturb(problem, seed)
    if isinstance(outcome, Perturbed):
        check(rule, problem, outcome.problem, seed)
        assert passes(outcome.problem)


@given(problems, st.sampled_from(RULES), st.integers(0, 9))
@settings(max_examples=200)
def test_programs_of_chance_do_the_same(problem: Problem, rule: Transformation, seed: int) -> None:
    given = replace(problem, form=rule.form)
    outcome = ready(rule).perturb(given, seed)
    if isinstance(outcome, Perturbed):
        assert outcome.problem.prompt != problem.prompt
        assert examples(outcome.problem) == examples(given)
        assert repr(results(outcome.problem)) == repr(results(problem))


@each_rule
def test_where_there_is_nothing_to_change_that_is_said(rule: Transformation) -> None:
    """A function without docstring, loop, comparison, variable, name of several letters, or line to split."""
    bare = Problem("bare/0", "def f():\n", "f", "    pass\n", "f()\n", rule.form)
    outcome = ready(rule).perturb(bare, 0)
    if isinstance(outcome, Unchanged):
        assert outcome.reason.endswith(".")
    else:
        assert (
            rule.label in {"DeadCodeInserter", "DeadCodeInserterLast", "ChangeCharCase", "ButterFingers"} | NEWLINES
        )
        assert outcome.problem.prompt != bare.prompt


NEWLINES = {"NewlineRandom", "NewlineAfterCode", "NewlineAfterDoc"}
