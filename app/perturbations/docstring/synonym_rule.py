"""What both changes by synonyms have in common: which words are drawn, and which synonyms."""

from collections.abc import Iterator, Sequence
from random import Random

from app.perturbations.docstring.rule import WordChanges, free_words
from app.perturbations.parts_of_speech import Word
from app.perturbations.prose import Prose
from app.perturbations.synonyms import drawn_synonym, lacking_wordnet, wordnet


class SynonymRule(WordChanges):
    """A draw for each word that has synonyms; words that say little by themselves ("other", "not") have none."""

    is_random = True

    def missing(self) -> str | None:
        """What parts of speech take, or WordNet."""
        return super().missing() or lacking_wordnet()

    def drawn(self, words: Sequence[Word], prose: Prose, random: Random) -> Iterator[tuple[Word, str]]:
        """Words with the synonym that was drawn for each."""
        source = wordnet()
        for word in free_words(words, prose):
            synonym = None if word.is_stop else drawn_synonym(source, word, random)
            if synonym is not None:
                yield word, synonym
