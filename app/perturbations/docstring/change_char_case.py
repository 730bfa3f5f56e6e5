"""ChangeCharCase: some letters become capitals."""

from app.perturbations.character_rules import CHANGE_CASE
from app.perturbations.docstring.rule import CharacterChanges
from app.perturbations.registry import register


@register
class ChangeCharCase(CharacterChanges):
    """Each small letter with probability 0.35 (released: capitals become small, too)."""

    label = "ChangeCharCase"
    released_name = "ChangeCharCase"
    rules = CHANGE_CASE
