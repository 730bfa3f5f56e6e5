"""SwapCharacters: some neighbouring letters of the function's name change places."""

from app.perturbations.character_rules import SWAP
from app.perturbations.function_name.rule import NameCharacterChanges
from app.perturbations.registry import register


@register
class SwapCharacters(NameCharacterChanges):
    """Each two neighbours with probability 0.05."""

    label = "SwapCharacters"
    released_name = "FuncRenameSwapChar"
    rules = SWAP
