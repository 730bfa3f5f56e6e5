"""What both changes of tense have in common."""

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from random import Random

from app.perturbations.docstring.rule import WordChanges
from app.perturbations.edits import Edit
from app.perturbations.parts_of_speech import Word
from app.perturbations.prose import Prose

Tense = Callable[[Sequence[Word]], Iterator[Edit]]


class TenseRule(WordChanges):
    """Every verb that shows a tense, or commands, is put into another one; there is nothing to draw."""

    def edits(self, words: Sequence[Word], prose: Prose, random: Random) -> tuple[list[Edit], str]:
        """Those of the tense, as far as they are allowed."""
        allowed = [each for each in self.tense()(words) if prose.may_change(each.start, each.end)]
        return allowed, "No verb of the docstring shows a tense that could change."

    @abstractmethod
    def tense(self) -> Tense:
        """Where it puts verbs."""
