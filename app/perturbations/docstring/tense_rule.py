"""What both changes of tense have in common."""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from random import Random

from app.perturbations.docstring.rule import WordChanges
from app.perturbations.edits import Edit
from app.perturbations.parts_of_speech import Word
from app.perturbations.prose import Prose

Tense = Callable[[Sequence[Word]], Iterator[Edit]]


class TenseRule(WordChanges):
    """Every verb that shows a tense, or commands, is put into another one; there is nothing to draw."""

    unchanged = "No verb of the docstring shows a tense that could change."

    def edits(self, words: Sequence[Word], prose: Prose, random: Random) -> Iterable[Edit]:
        """Those of the tense, as far as they are allowed."""
        return (each for each in self.tense()(words) if prose.may_change(each.start, each.end))

    @abstractmethod
    def tense(self) -> Tense:
        """Where it puts verbs."""
