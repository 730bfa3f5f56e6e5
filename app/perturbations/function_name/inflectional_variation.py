"""InflectionalVariation: words of the function's name take another of their forms, "filters" for "filter"."""

from collections.abc import Callable
from random import Random

from app.perturbations.function_name.rule import NameWordChanges
from app.perturbations.inflections import drawn_form
from app.perturbations.parts_of_speech import Word
from app.perturbations.registry import register


@register
class InflectionalVariation(NameWordChanges):
    """Each noun, verb and adjective takes one of its forms, its own among them, all as likely."""

    label = "InflectionalVariation"
    released_name = "FuncRenameInflectionalVariation"

    def changer(self) -> Callable[[Word, Random], str | None]:
        """A draw for each word that has forms."""
        return drawn_form
