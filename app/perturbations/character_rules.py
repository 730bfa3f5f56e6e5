"""Each change of characters by both kinds of rules, which docstrings and function names share."""

from dataclasses import dataclass

from app.perturbations import characters, released_characters
from app.perturbations.characters import CharacterRule
from app.perturbations.released_characters import ReleasedRule


@dataclass(frozen=True, slots=True)
class CharacterRules:
    """The paper's rule, and the one behind the released files."""

    paper: CharacterRule
    released: ReleasedRule


BUTTER_FINGERS = CharacterRules(characters.butter_fingers, released_characters.butter_fingers)
CHANGE_CASE = CharacterRules(characters.upper_case, released_characters.change_case)
SWAP = CharacterRules(characters.swap_characters, released_characters.swap_characters)
