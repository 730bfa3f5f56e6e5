"""The renamers: which variable, where it is meant, and which name it gets."""

import re
import string
from collections.abc import Sequence

import pytest

from app.language_models import ModelSpec
from app.language_models.masked import Guess, MaskedModel
from app.perturbations import PerturbationError, Perturbed, find
from app.perturbations.syntax.var_renamer_cb import GAP, VarRenamerCB
from tests.language_models.conftest import model_libraries, tiny_models  # noqa: F401
from tests.language_models.tiny import TinyModels
from tests.perturbations.changes import code, problem, reason
from tests.perturbations.human_eval import halves

NAIVE, RANDOM, MODEL = "syntax/VarRenamerNaive", "syntax/VarRenamerRN", "syntax/VarRenamerCB"
NOTHING = "No variable in the visible code may get another name."


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("def work(n):\n    return n\n", "def work(VAR_0):\n    return VAR_0\n"),
        ("def work(n, m):\n    return m * m\n", "def work(n, VAR_0):\n    return VAR_0 * VAR_0\n"),
        (  # the first of equals
            "def work(n, m):\n    return m * n\n",
            "def work(VAR_0, m):\n    return m * VAR_0\n",
        ),
        (  # the docstring, other strings, comments, attributes and keywords of calls are no mentions
            'def work(n):\n    """Use n."""\n    f(n.n, k="n")  # n\n',
            'def work(VAR_0):\n    """Use n."""\n    f(VAR_0.n, k="n")  # n\n',
        ),
        (  # what stands in a formatted string is
            'def work(n):\n    return f"n is {n} or {n!r:>{n}}"\n',
            'def work(VAR_0):\n    return f"n is {VAR_0} or {VAR_0!r:>{VAR_0}}"\n',
        ),
        (  # another function's variable of that name is another variable
            "def work(n):\n    g = lambda n: 1\n    return [n for n in range(n)] + [n, n]\n",
            "def work(VAR_0):\n    g = lambda n: 1\n    return [n for n in range(VAR_0)] + [VAR_0, VAR_0]\n",
        ),
        (  # an inner function that uses it means the same
            "def work(n):\n    def f(m):\n        return n + n\n    return f(n)\n",
            "def work(VAR_0):\n    def f(m):\n        return VAR_0 + VAR_0\n    return f(VAR_0)\n",
        ),
        ("def work(é):\n    return é\n", "def work(VAR_0):\n    return VAR_0\n"),
        ("def work(n):\n    return n  # VAR_0\n", "def work(VAR_1):\n    return VAR_1  # VAR_0\n"),
    ],
)
def test_a_variable_is_renamed_where_it_is_meant(before: str, after: str) -> None:
    assert code(NAIVE, before)[0] == after


def test_both_halves_change_and_the_visible_one_is_counted() -> None:
    prompt, rest = code(NAIVE, "def work(n, m):\n    x = n\n", "    return m + m + m + n\n")
    assert (prompt, rest) == ("def work(VAR_0, m):\n    x = VAR_0\n", "    return m + m + m + VAR_0\n")


@pytest.mark.parametrize(
    "lines",
    [
        "import math\n\ndef work():\n    return math.pi\n",
        "LIMIT = 3\n\ndef work():\n    return LIMIT\n",
        "def work():\n    import re\n    return re\n",
        "def work():\n    def inner():\n        return 1\n    return inner()\n",
        "def work():\n    f = print\n    return f()\n",  # called, so it is a function
        "def work(list):\n    return list\n",
        "def work():\n    global n\n    n = 3\n",
        "def work():\n    class C:\n        n = 1\n    return C.n\n",
        "def work():\n    try:\n        pass\n    except ValueError as error:\n        return error\n",
        'def work(n):\n    return f"{n=}"\n',  # the name is printed
    ],
)
def test_what_is_no_plain_variable_keeps_its_name(lines: str) -> None:
    assert reason(NAIVE, problem(lines)) == NOTHING


def test_parameters_that_calls_name_stay() -> None:
    lines = "def work(n):\n    return n\n"
    assert reason(NAIVE, problem(lines, tests="def check(candidate):\n    candidate(n=1)\n")) == NOTHING
    assert reason(NAIVE, problem(lines, tests="def check(candidate):\n    candidate(**{'n': 1})\n")) == NOTHING
    assert reason(NAIVE, problem("def work(n):\n    return work(n=2)\n")) == NOTHING


@pytest.mark.parametrize("reader", ["locals()", "eval('n')", "vars()"])
def test_a_program_that_reads_its_names_stays(reader: str) -> None:
    given = problem(f"def work(n):\n    return {reader}\n")
    assert reason(NAIVE, given) == "The program reads the names of its variables."


def test_random_names_are_as_long_as_the_old_ones_and_start_with_a_letter() -> None:
    names = {code(RANDOM, "def work(count):\n    return 1\n", seed=seed)[0][9:14] for seed in range(300)}
    assert len(names) == 300
    assert all(name.isidentifier() and name[0] in string.ascii_letters for name in names)
    assert {character for name in names for character in name[1:]} == {*string.ascii_letters, *string.digits}


def test_where_all_names_are_taken_there_is_no_new_one() -> None:
    letters = " ".join(string.ascii_letters)
    assert reason(RANDOM, problem(f"def work(a):\n    return a  # {letters}\n")) == "There is no new name for a."


class Model:
    """Fills gaps from a list, and keeps what it was asked."""

    def __init__(self, *answers: Sequence[Guess]) -> None:
        self.answers = answers
        self.asked: list[str] = []

    def fill(self, texts: Sequence[str]) -> list[Sequence[Guess]]:
        self.asked = list(texts)
        return [self.answers[number % len(self.answers)] for number in range(len(texts))]


def test_a_model_s_names_are_added_up_over_the_places() -> None:
    model = Model(
        [Guess("first", 0.5), Guess(" both", 0.4), Guess("n", 0.9)],
        [Guess("both", 0.2), Guess("if", 0.9), Guess("2x", 0.9), Guess("len", 0.9), Guess("m", 0.9)],
    )
    outcome = VarRenamerCB(model.fill).perturb(problem("def work(n, m):\n    return n\n"), 0)
    assert isinstance(outcome, Perturbed)
    assert outcome.problem.prompt == "def work(both, m):\n    return both\n"
    assert model.asked == [f"def work({GAP}, m):\n    return n\n", f"def work(n, m):\n    return {GAP}\n"]


def test_a_model_that_names_nothing_new_changes_nothing() -> None:
    outcome = VarRenamerCB(Model([Guess("n", 1.0)]).fill).perturb(problem("def work(n):\n    return n\n"), 0)
    assert outcome.reason == "There is no new name for n."  # type: ignore[union-attr]


def test_windows_hold_256_characters_around_a_gap() -> None:
    model = Model([Guess("other", 1.0)])
    VarRenamerCB(model.fill).perturb(problem("def work(n):\n" + "    x = 1\n" * 100 + "    return n\n"), 0)
    assert all(len(text) <= 256 + len(GAP) for text in model.asked)


def test_without_a_model_the_rule_is_not_available() -> None:
    assert find(MODEL).missing() is not None
    with pytest.raises(PerturbationError, match="VarRenamerCB is not available: no masked language model is set"):
        find(MODEL).perturb(problem("def work(n):\n    return n\n"), 0)


@pytest.mark.slow
def test_a_real_model_gives_a_name_that_it_knows(tiny_models: TinyModels) -> None:  # noqa: F811
    model = MaskedModel(ModelSpec("hugging_face", str(tiny_models.masked), device="cpu"))
    rule = VarRenamerCB(lambda texts: model.fill(texts, 24))
    outcome = rule.perturb(problem("def work( n ):\n    return n + 1\n"), 0)
    assert isinstance(outcome, Perturbed)
    assert outcome.problem.prompt.split()[2] in {"x", "y", "z"}


@pytest.mark.parametrize("name", [NAIVE, RANDOM])
def test_human_eval_s_new_names_stand_nowhere_else(name: str) -> None:
    for given in halves():
        outcome = find(name).perturb(given, 1)
        if isinstance(outcome, Perturbed):
            made = outcome.problem
            before = set(re.findall(r"\w+", given.prompt + given.canonical_solution))
            new = set(re.findall(r"\w+", made.prompt + made.canonical_solution)) - before
            assert len(new) == 1
            assert not new & set(re.findall(r"\w+", given.tests))
