"""What holds for every rule of syntax and format, over HumanEval and over programs of chance."""

import ast
import io
import tokenize
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.perturbations import (
    Category,
    Form,
    Mode,
    Outcome,
    PerturbationError,
    Perturbed,
    Problem,
    Transformation,
    Unchanged,
    available,
)
from tests.perturbations.human_eval import halves
from tests.perturbations.programs import problems, results

RULES = [each for each in available() if each.category in (Category.SYNTAX, Category.FORMAT) and not each.missing()]
SYNTAX = [each for each in RULES if each.category is Category.SYNTAX]
by_name = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
seeds = st.integers(0, 9)


def test_all_of_the_paper_s_are_there() -> None:
    labels = {each.label for each in available() if each.category in (Category.SYNTAX, Category.FORMAT)}
    renamers = {"VarRenamerCB", "VarRenamerNaive", "VarRenamerRN"}
    newlines = {"NewlineRandom", "NewlineAfterCode", "NewlineAfterDoc"}
    syntax = {"DeadCodeInserter", "DeadCodeInserterLast", "ForWhileSwitch", "OperandSwap"}
    assert labels == syntax | renamers | newlines | {"TabIndent", "LineSplit", "Doc2Comments"}


@given(problems, st.sampled_from(RULES), seeds)
@settings(max_examples=150, deadline=None)
def test_a_changed_program_does_the_same(problem: Problem, rule: Transformation, seed: int) -> None:
    outcome = rule.perturb(problem, seed)
    if isinstance(outcome, Perturbed):
        assert outcome.problem.prompt != problem.prompt
        assert repr(results(outcome.problem)) == repr(results(problem))


@by_name
def test_human_eval_s_changed_programs_parse_and_their_prompts_differ(rule: Transformation) -> None:
    for problem, outcome in zip(halves(), rule.perturb_all(halves(), 2), strict=True):
        if isinstance(outcome, Perturbed):
            made = outcome.problem
            ast.parse(made.prompt + made.canonical_solution)
            assert made.prompt != problem.prompt
            assert replace(made, prompt="", canonical_solution="") == replace(
                problem, prompt="", canonical_solution=""
            )


@by_name
def test_alone_or_in_a_row_and_again_it_is_the_same(rule: Transformation) -> None:
    some = halves()[10:40]
    together = rule.perturb_all(some, 3)
    assert [rule.perturb(each, 3) for each in reversed(some)] == together[::-1]


@pytest.mark.parametrize("rule", [each for each in RULES if each.is_random], ids=lambda rule: rule.name)
def test_chance_differs_between_seeds_and_between_problems(rule: Transformation) -> None:
    lines = "def work(a, b):\n" + "    if a < b:\n        for i in range(a):\n            b = a\n" * 6
    given = Problem("one", lines, "work", "    return a\n", form=Form.HALF)
    assert len({prompt(rule.perturb(given, seed)) for seed in range(8)}) > 3
    alike = [[prompt(rule.perturb(replace(given, key=key), seed)) for seed in range(8)] for key in ("one", "two")]
    assert alike[0] != alike[1]


def prompt(outcome: Outcome) -> str:
    """What a changed problem shows; the reason where nothing changed."""
    return outcome.problem.prompt if isinstance(outcome, Perturbed) else outcome.reason


@pytest.mark.parametrize("rule", [each for each in RULES if not each.is_random], ids=lambda rule: rule.name)
def test_without_chance_every_seed_gives_the_same(rule: Transformation) -> None:
    assert rule.perturb_all(halves(), 0) == rule.perturb_all(halves(), 1)


@pytest.mark.parametrize("rule", SYNTAX, ids=lambda rule: rule.name)
def test_rules_of_syntax_leave_strings_and_comments_alone(rule: Transformation) -> None:
    for problem in halves():
        outcome = rule.perturb(problem, 1)
        if isinstance(outcome, Perturbed):
            before, after = texts(problem), texts(outcome.problem)
            assert before <= after  # dead code may copy some
            assert "DeadCode" in rule.name or before == after


def texts(problem: Problem) -> Counter[str]:
    """The strings and comments of a program."""
    readline = io.StringIO(problem.prompt + problem.canonical_solution).readline
    kinds = (tokenize.STRING, tokenize.COMMENT)
    return Counter(token.string for token in tokenize.generate_tokens(readline) if token.type in kinds)


ODD = {
    "": "The program has no function work.",
    "def work(n:\n": "The prompt and the solution together are no Python program.",
    "def other():\n    pass\n": "The program has no function work.",
    "class C:\n    def work(self):\n        pass\n": "The program has no function work.",
    "work = 3\n": "The program has no function work.",
    "def work():\n    x = '\ud800'\n": "The prompt and the solution together are no Python program.",
    "def work():\0\n": "The prompt and the solution together are no Python program.",
    "def work():\n    pass\nreturn 1\n": "The prompt and the solution together are no Python program.",
    "print 'a'\n": "The prompt and the solution together are no Python program.",
}


@by_name
@pytest.mark.parametrize("text", ODD)
def test_what_is_no_such_program_stays_with_a_reason(rule: Transformation, text: str) -> None:
    outcome = rule.perturb(Problem("odd", text, "work", form=Form.HALF), 0)
    assert outcome == Unchanged(ODD[text])


@by_name
@given(st.text("def work(n):\n\t \"'\\=<#;ifor"), st.integers(0, 60), seeds)
@settings(max_examples=40, deadline=None)
def test_no_text_is_an_error(rule: Transformation, text: str, split: int, seed: int) -> None:
    whole = "def work(n):\n    " + text
    problem = Problem("odd", whole[:split], "work", whole[split:], form=Form.HALF)
    for mode in rule.modes:
        outcome = rule.perturb(problem, seed, mode)
        assert isinstance(outcome, Perturbed) or outcome.reason


@by_name
def test_another_language_is_refused(rule: Transformation) -> None:
    with pytest.raises(PerturbationError, match="problem 'x' is java"):
        rule.perturb(Problem("x", "int f() {", "f", language="java"), 0, Mode.PAPER)
