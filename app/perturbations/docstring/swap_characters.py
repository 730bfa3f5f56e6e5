"""SwapCharacters: some neighbouring letters change places."""

from app.perturbations.character_rules import SWAP
from app.perturbations.docstring.rule import CharacterChanges
from app.perturbations.registry import register


@register
class SwapCharacters(CharacterChanges):
    """Each two neighbours with probability 0.05."""

    label = "SwapCharacters"
    released_name = "SwapCharactersPerturbation"
    rules = SWAP
