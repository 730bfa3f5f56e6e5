"""TenseTransformationFuture: the docstring tells of the future."""

from app.perturbations.docstring.tense_rule import Tense, TenseRule
from app.perturbations.registry import register
from app.perturbations.tenses import future


@register
class TenseTransformationFuture(TenseRule):
    """ "Return the list that is given" becomes "Will return the list that will be given"."""

    label = "TenseTransformationFuture"
    released_name = "TenseTransformationFuture"

    def tense(self) -> Tense:
        """Into the future."""
        return future
