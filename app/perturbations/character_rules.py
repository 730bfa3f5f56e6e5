"""Each change of characters by both kinds of rules, which docstrings and function names share."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

from app.perturbations import characters, released_characters
from app.perturbations.characters import CharacterRule, has_a_capital
from app.perturbations.qwerty import NEIGHBOURS
from app.perturbations.released_characters import ReleasedRule

CouldChange = Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class CharacterRules:
    """The paper's rule, and the one behind the released files; and of each whether there is anything in a text that
    some draw of it would change."""

    paper: CharacterRule
    released: ReleasedRule
    paper_could: CouldChange
    released_could: CouldChange


def _has_keys(text: str) -> bool:
    return any(each.lower() in NEIGHBOURS for each in text)


def _has_small_letters(text: str) -> bool:
    return any(map(has_a_capital, text))


def _has_letters_of_a_case(text: str) -> bool:
    return any(each.isupper() or each.islower() for each in text)


def _has_pairs(text: str) -> bool:
    return any(one != other and one.isalnum() and other.isalnum() for one, other in pairwise(text))


BUTTER_FINGERS = CharacterRules(characters.butter_fingers, released_characters.butter_fingers, _has_keys, _has_keys)
CHANGE_CASE = CharacterRules(
    characters.upper_case, released_characters.change_case, _has_small_letters, _has_letters_of_a_case
)
SWAP = CharacterRules(characters.swap_characters, released_characters.swap_characters, _has_pairs, _has_pairs)
