"""ButterFingers: some letters of the function's name become those beside them on the keyboard."""

from app.perturbations.character_rules import BUTTER_FINGERS
from app.perturbations.function_name.rule import NameCharacterChanges
from app.perturbations.registry import register


@register
class ButterFingers(NameCharacterChanges):
    """Each letter with probability 0.05 (released: 0.06, of which some hit the right key)."""

    label = "ButterFingers"
    released_name = "FuncRenameButterFinger"
    rules = BUTTER_FINGERS
