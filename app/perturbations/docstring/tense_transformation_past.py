"""TenseTransformationPast: the docstring tells of the past."""

from app.perturbations.docstring.tense_rule import Tense, TenseRule
from app.perturbations.registry import register
from app.perturbations.tenses import past


@register
class TenseTransformationPast(TenseRule):
    """ "Return the list that is given" becomes "Returned the list that was given"."""

    label = "TenseTransformationPast"
    released_name = "TenseTransformationPast"

    def tense(self) -> Tense:
        """Into the past."""
        return past
