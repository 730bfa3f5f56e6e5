"""EnglishInflectionalVariation: words take another of their forms, "returns" or "returned" for "return"."""

from app.perturbations.docstring.rule import DrawnWords
from app.perturbations.registry import register
from app.perturbations.word_choices import WordChoices, inflection_choices


@register
class EnglishInflectionalVariation(DrawnWords):
    """Each noun, verb and adjective takes one of its forms, its own among them, all as likely."""

    label = "EnglishInflectionalVariation"
    released_name = "EnglishInflectionalVariation"

    def choices(self) -> WordChoices:
        """Forms."""
        return inflection_choices()
