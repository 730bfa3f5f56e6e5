"""SynonymInsertion: some words are followed by others of the same meaning."""

from collections.abc import Iterable, Sequence
from random import Random

from app.perturbations.docstring.synonym_rule import SynonymRule
from app.perturbations.edits import Edit
from app.perturbations.parts_of_speech import Word
from app.perturbations.prose import Prose
from app.perturbations.registry import register


@register
class SynonymInsertion(SynonymRule):
    """Each noun, verb, adjective and adverb with probability 0.35, if WordNet knows another word for it."""

    label = "SynonymInsertion"
    released_name = "SynonymInsertion"

    def edits(self, words: Sequence[Word], prose: Prose, random: Random) -> Iterable[Edit]:
        """The synonym behind the word."""
        return (Edit(word.end, word.end, f" {synonym.lower()}") for word, synonym in self.drawn(words, prose, random))
