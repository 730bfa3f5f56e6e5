"""What tests ask of a rule for code."""

from app.perturbations import Form, Mode, Outcome, Perturbed, Problem, Unchanged, find


def problem(visible: str, hidden: str = "", tests: str = "") -> Problem:
    """The function ``work`` with half a solution."""
    return Problem("written/0", visible, "work", hidden, tests, Form.HALF)


def perturbed(name: str, given: Problem, seed: int = 0, mode: Mode = Mode.PAPER) -> Problem:
    """What the rule makes of it; it must change it."""
    outcome = find(name).perturb(given, seed, mode)
    assert isinstance(outcome, Perturbed), outcome
    return outcome.problem


def code(name: str, visible: str, hidden: str = "", tests: str = "", seed: int = 0) -> tuple[str, str]:
    """The changed prompt and solution."""
    made = perturbed(name, problem(visible, hidden, tests), seed)
    return made.prompt, made.canonical_solution


def reason(name: str, given: Problem, seed: int = 0) -> str:
    """Why the rule leaves it unchanged."""
    outcome = find(name).perturb(given, seed)
    assert isinstance(outcome, Unchanged), outcome
    return outcome.reason


def text_of(outcome: Outcome, given: Problem) -> Problem:
    """The problem as a model would get it: the given one where nothing changed."""
    return outcome.problem if isinstance(outcome, Perturbed) else given
