"""ChangeCharCase: some letters of the function's name become capitals."""

from app.perturbations.character_rules import CHANGE_CASE
from app.perturbations.function_name.rule import NameCharacterChanges
from app.perturbations.registry import register


@register
class ChangeCharCase(NameCharacterChanges):
    """Each small letter with probability 0.35 (released: capitals become small, too)."""

    label = "ChangeCharCase"
    released_name = "FuncRenameChangeChar"
    rules = CHANGE_CASE
