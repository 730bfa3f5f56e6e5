"""InflectionalVariation: words of the function's name take another of their forms, "filters" for "filter"."""

from app.perturbations.function_name.rule import NameWordChanges
from app.perturbations.registry import register
from app.perturbations.word_choices import WordChoices, inflection_choices


@register
class InflectionalVariation(NameWordChanges):
    """Each noun, verb and adjective takes one of its forms, its own among them, all as likely."""

    label = "InflectionalVariation"
    released_name = "FuncRenameInflectionalVariation"

    def choices(self) -> WordChoices:
        """Forms."""
        return inflection_choices()
