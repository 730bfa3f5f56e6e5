"""SynonymSubstitution: some words of the function's name give way to others of the same meaning."""

from app.perturbations.function_name.rule import NameWordChanges
from app.perturbations.registry import register
from app.perturbations.synonyms import lacking_wordnet
from app.perturbations.word_choices import WordChoices, synonym_choices


@register
class SynonymSubstitution(NameWordChanges):
    """Each noun, verb, adjective and adverb with probability 0.35, if WordNet knows another word for it."""

    label = "SynonymSubstitution"
    released_name = "FuncRenameSynonymSub"

    def missing(self) -> str | None:
        """What parts of speech take, or WordNet."""
        return super().missing() or lacking_wordnet()

    def choices(self) -> WordChoices:
        """Synonyms."""
        return synonym_choices()
