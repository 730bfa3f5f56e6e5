"""NewlineRandom: empty lines at places chosen by chance."""

from collections.abc import Sequence
from random import Random

from app.perturbations.edits import Edit
from app.perturbations.format.released_text import entry_docstring
from app.perturbations.format.rule import with_prompt
from app.perturbations.protocol import Category, Mode, Outcome, Problem, Unchanged
from app.perturbations.python.edits import changed
from app.perturbations.python.rule import PythonRule
from app.perturbations.python.source import Source
from app.perturbations.python.tokens import is_blank_line_allowed
from app.perturbations.registry import register

CHANCE = 0.5  # the paper names none; this is the released files'
NOTHING_CHOSEN = "Chance chose no line break."


@register
class NewlineRandom(PythonRule):
    """Each line break behind the docstring is doubled by chance. Source: ReCode, section 3.4.

    The released files come from one generator for each file, which runs on from problem to problem: there a problem
    made alone is as the first of a file, and ``perturb_all`` makes the files.
    """

    category = Category.FORMAT
    label = "NewlineRandom"
    released_name = "new_lines"
    is_random = True

    def change(self, source: Source, draws: Random, mode: Mode) -> Outcome:
        """See ``PythonRule``."""
        breaks = [place for place in range(source.body_start, source.split) if source.code[place] == ord("\n")]
        free = [place + 1 for place in breaks if is_blank_line_allowed(source, place)]
        if not free:
            return Unchanged("No line break in the visible code can be doubled.")
        chosen = [place for place in free if draws.random() < CHANCE]
        if not chosen:
            return Unchanged(NOTHING_CHOSEN)
        return changed(source, [Edit(place, place, "\n") for place in chosen])

    def perturb(self, problem: Problem, seed: int, mode: Mode = Mode.PAPER) -> Outcome:
        """See ``Transformation``."""
        return self.perturb_all([problem], seed, mode)[0]

    def perturb_all(self, problems: Sequence[Problem], seed: int, mode: Mode = Mode.PAPER) -> list[Outcome]:
        """See ``Transformation``."""
        if mode is Mode.PAPER:
            return [super(NewlineRandom, self).perturb(problem, seed, mode) for problem in problems]
        draws = Random(42 + seed)  # no secret  # noqa: S311  # nosec B311
        return [self._released_next(problem, draws, mode) for problem in problems]

    def _released_next(self, problem: Problem, draws: Random, mode: Mode) -> Outcome:
        self.check(problem, mode)
        span = entry_docstring(problem.prompt, problem.entry_point)
        kept = span.end if span else 0
        doubled = ["\n\n" if sign == "\n" and draws.random() < CHANCE else sign for sign in problem.prompt[kept:]]
        if "\n\n" not in doubled and "\n" in doubled:
            return Unchanged(NOTHING_CHOSEN)
        return with_prompt(problem, problem.prompt[:kept] + "".join(doubled))
