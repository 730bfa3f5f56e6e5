"""What all changes of a docstring have in common: its prose is read, and comes back changed."""

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from random import Random
from typing import ClassVar

from app.perturbations.character_rules import CharacterRules
from app.perturbations.edits import Edit
from app.perturbations.parts_of_speech import Word, lacking_packages, read_words
from app.perturbations.prose import NOTHING_CHANGED, Prose, edited, read_prose, with_prose
from app.perturbations.protocol import Category, Mode, Outcome, Problem, Rule, Unchanged
from app.perturbations.released_docstring import perturbed_as_released
from app.perturbations.seeds import generator


class CharacterChanges(Rule):
    """Changes of single characters, of which the released files are known byte for byte."""

    category = Category.DOCSTRING
    is_random = True
    rules: ClassVar[CharacterRules]

    def perturb(self, problem: Problem, seed: int, mode: Mode = Mode.PAPER) -> Outcome:
        """See ``Transformation``."""
        self.check(problem, mode)
        if mode is Mode.RELEASED:
            return perturbed_as_released(problem, self.rules.released, seed)
        prose = read_prose(problem)
        if isinstance(prose, Unchanged):
            return prose
        random = generator(self.name, problem.key, seed)
        return with_prose(problem, prose, self.rules.paper(prose.text, prose.is_free, random))


class WordChanges(Rule):
    """Changes of words by their part of speech, by the paper's rules.

    The released files can't be made again: another parser's judgements, or the order of hashes, made them.
    """

    category = Category.DOCSTRING
    modes = frozenset({Mode.PAPER})
    unchanged: ClassVar[str] = NOTHING_CHANGED

    def missing(self) -> str | None:
        """spaCy, its model or lemminflect."""
        return lacking_packages()

    def perturb(self, problem: Problem, seed: int, mode: Mode = Mode.PAPER) -> Outcome:
        """See ``Transformation``."""
        self.check(problem, mode)
        prose = read_prose(problem)
        if isinstance(prose, Unchanged):
            return prose
        edits = self.edits(read_words(prose.text), prose, generator(self.name, problem.key, seed))
        return edited(problem, prose, edits, self.unchanged)

    @abstractmethod
    def edits(self, words: Sequence[Word], prose: Prose, random: Random) -> Iterable[Edit]:
        """Changes at places of the prose, none of them where it is protected."""


def free_words(words: Sequence[Word], prose: Prose) -> Iterator[Word]:
    """Those that are words of letters alone and not protected."""
    return (each for each in words if each.text.isalpha() and prose.may_change(each.start, each.end))
