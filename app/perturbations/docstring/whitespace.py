"""Whitespace: some spaces go, and some come into words."""

from collections.abc import Sequence
from random import Random

from app.perturbations.prose import read_prose, why_unchanged, with_prose
from app.perturbations.protocol import Category, Mode, Outcome, Problem, Rule, Unchanged
from app.perturbations.registry import register
from app.perturbations.released_characters import change_spaces
from app.perturbations.released_docstring import perturbed_as_released
from app.perturbations.seeds import generator

REMOVED, ADDED = 0.05, 0.1


@register
class Whitespace(Rule):
    """A space goes with probability 0.05, another character gets one behind it with 0.1 (released: 0.1 and 0.05)."""

    category = Category.DOCSTRING
    label = "Whitespace"
    released_name = "WhitespacePerturbation"
    is_random = True

    def perturb(self, problem: Problem, seed: int, mode: Mode = Mode.PAPER) -> Outcome:
        """See ``Transformation``. The released files spare no words here."""
        self.check(problem, mode)
        if mode is Mode.RELEASED:
            return perturbed_as_released(problem, change_spaces, seed, bool, spares_words=False)
        prose = read_prose(problem)
        if isinstance(prose, Unchanged):
            return prose
        text = spaced(prose.text, prose.is_free, generator(self.name, problem.key, seed))
        could_change = any(_may_change(prose.text, prose.is_free, place) for place in range(len(prose.text)))
        return with_prose(problem, prose, text, why_unchanged(could_change=could_change))


def spaced(text: str, is_free: Sequence[bool], random: Random) -> str:
    """The text with spaces gone and added; indentation, line breaks and spaces beside what is protected stay."""
    return "".join(
        _changed(each, random) if _may_change(text, is_free, place) else each for place, each in enumerate(text)
    )


def _changed(character: str, random: Random) -> str:
    draw = random.random()
    if character == " ":
        return "" if draw < REMOVED else character
    return character + " " if draw < ADDED else character


def _may_change(text: str, is_free: Sequence[bool], place: int) -> bool:
    """Whether nothing beside it is protected, and, of a space, whether it stands alone between two words."""
    around = slice(max(place - 1, 0), place + 2)
    before_and_behind = text[around.start : place] + text[place + 1 : around.stop]
    is_alone = len(before_and_behind) == 2 and not any(each.isspace() for each in before_and_behind)
    return all(is_free[around]) and (is_alone or not text[place].isspace())
