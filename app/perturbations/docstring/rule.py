"""What all changes of a docstring have in common: its prose is read, and comes back changed."""

from abc import abstractmethod
from collections.abc import Sequence
from random import Random
from typing import ClassVar

from app.perturbations.character_rules import CharacterRules
from app.perturbations.edits import Edit
from app.perturbations.parts_of_speech import Word, lacking_packages, read_words
from app.perturbations.prose import Prose, edited, read_prose, why_unchanged, with_prose
from app.perturbations.protocol import Category, Mode, Outcome, Problem, Rule, Unchanged
from app.perturbations.released_docstring import perturbed_as_released
from app.perturbations.seeds import generator
from app.perturbations.word_choices import WordChoices


class CharacterChanges(Rule):
    """Changes of single characters, of which the released files are known byte for byte."""

    category = Category.DOCSTRING
    is_random = True
    rules: ClassVar[CharacterRules]

    def perturb(self, problem: Problem, seed: int, mode: Mode = Mode.PAPER) -> Outcome:
        """See ``Transformation``."""
        self.check(problem, mode)
        if mode is Mode.RELEASED:
            return perturbed_as_released(problem, self.rules.released, seed, self.rules.released_could)
        prose = read_prose(problem)
        if isinstance(prose, Unchanged):
            return prose
        random = generator(self.name, problem.key, seed)
        text = self.rules.paper(prose.text, prose.is_free, random)
        could_change = self.rules.paper_could(prose.free_text)
        return with_prose(problem, prose, text, why_unchanged(could_change=could_change))


class WordChanges(Rule):
    """Changes of words by their part of speech, by the paper's rules.

    The released files can't be made again: another parser's judgements, or the order of hashes, made them.
    """

    category = Category.DOCSTRING
    modes = frozenset({Mode.PAPER})

    def missing(self) -> str | None:
        """spaCy, its model or lemminflect."""
        return lacking_packages()

    def perturb(self, problem: Problem, seed: int, mode: Mode = Mode.PAPER) -> Outcome:
        """See ``Transformation``."""
        self.check(problem, mode)
        prose = read_prose(problem)
        if isinstance(prose, Unchanged):
            return prose
        edits, unchanged = self.edits(read_words(prose.text), prose, generator(self.name, problem.key, seed))
        return edited(problem, prose, edits, unchanged)

    @abstractmethod
    def edits(self, words: Sequence[Word], prose: Prose, random: Random) -> tuple[list[Edit], str]:
        """Changes at places of the prose, none of them where it is protected; and why there are none."""


class DrawnWords(WordChanges):
    """Changes of words that are drawn one by one."""

    is_random = True

    def edits(self, words: Sequence[Word], prose: Prose, random: Random) -> tuple[list[Edit], str]:
        """A draw for each word of letters alone that is not protected."""
        free = [each for each in words if each.text.isalpha() and prose.may_change(each.start, each.end)]
        choices = self.choices()
        drawn = [(word, choices.draw(word, random)) for word in free]
        return [self.edit(word, text) for word, text in drawn if text is not None], choices.why_unchanged(free)

    @abstractmethod
    def choices(self) -> WordChoices:
        """What may become of a word."""

    def edit(self, word: Word, drawn: str) -> Edit:
        """What was drawn in the word's place."""
        return Edit(word.start, word.end, drawn)
