"""SynonymInsertion: some words are followed by others of the same meaning."""

from app.perturbations.docstring.rule import DrawnWords
from app.perturbations.edits import Edit
from app.perturbations.parts_of_speech import Word
from app.perturbations.registry import register
from app.perturbations.synonyms import lacking_wordnet
from app.perturbations.word_choices import WordChoices, synonym_choices


@register
class SynonymInsertion(DrawnWords):
    """Each noun, verb, adjective and adverb with probability 0.35, if WordNet knows another word for it."""

    label = "SynonymInsertion"
    released_name = "SynonymInsertion"

    def missing(self) -> str | None:
        """What parts of speech take, or WordNet."""
        return super().missing() or lacking_wordnet()

    def choices(self) -> WordChoices:
        """Synonyms."""
        return synonym_choices()

    def edit(self, word: Word, drawn: str) -> Edit:
        """The synonym behind the word."""
        return Edit(word.end, word.end, f" {drawn.lower()}")
