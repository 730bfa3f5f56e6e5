"""SynonymSubstitution: some words of the function's name give way to others of the same meaning."""

from collections.abc import Callable
from functools import partial
from random import Random

from app.perturbations.function_name.rule import NameWordChanges
from app.perturbations.parts_of_speech import Word
from app.perturbations.registry import register
from app.perturbations.synonyms import drawn_synonym, lacking_wordnet, wordnet


@register
class SynonymSubstitution(NameWordChanges):
    """Each noun, verb, adjective and adverb with probability 0.35, if WordNet knows another word for it."""

    label = "SynonymSubstitution"
    released_name = "FuncRenameSynonymSub"

    def missing(self) -> str | None:
        """What parts of speech take, or WordNet."""
        return super().missing() or lacking_wordnet()

    def changer(self) -> Callable[[Word, Random], str | None]:
        """A draw for each word that has synonyms."""
        return partial(drawn_synonym, wordnet())
