"""EnglishInflectionalVariation: words take another of their forms, "returns" or "returned" for "return"."""

from collections.abc import Iterable, Sequence
from random import Random

from app.perturbations.docstring.rule import WordChanges, free_words
from app.perturbations.edits import Edit
from app.perturbations.inflections import drawn_form
from app.perturbations.parts_of_speech import Word
from app.perturbations.prose import Prose
from app.perturbations.registry import register


@register
class EnglishInflectionalVariation(WordChanges):
    """Each noun, verb and adjective takes one of its forms, its own among them, all as likely.

    The paper gives no probability ("randomly selects words"); that a word may draw its own form is the selection.
    """

    label = "EnglishInflectionalVariation"
    released_name = "EnglishInflectionalVariation"
    is_random = True

    def edits(self, words: Sequence[Word], prose: Prose, random: Random) -> Iterable[Edit]:
        """A draw for each word that has forms."""
        for word in free_words(words, prose):
            if (form := drawn_form(word, random)) is not None:
                yield Edit(word.start, word.end, form)
