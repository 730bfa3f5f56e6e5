"""ButterFingers: some letters become those beside them on the keyboard."""

from app.perturbations.character_rules import BUTTER_FINGERS
from app.perturbations.docstring.rule import CharacterChanges
from app.perturbations.registry import register


@register
class ButterFingers(CharacterChanges):
    """Each letter with probability 0.05 (released: 0.06, of which some hit the right key)."""

    label = "ButterFingers"
    released_name = "ButterFingersPerturbation"
    rules = BUTTER_FINGERS
