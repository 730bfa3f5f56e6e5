"""Changes of single characters by the paper's rules (ReCode, section 3.1): same length, and only where it is allowed.

Each takes a text, for each character whether it may change, and a generator; what may not change draws no number.
"""

from collections.abc import Callable, Sequence
from random import Random

from app.perturbations.qwerty import NEIGHBOURS

TYPO, UPPER, SWAP = 0.05, 0.35, 0.05

CharacterRule = Callable[[str, Sequence[bool], Random], str]


def butter_fingers(text: str, is_free: Sequence[bool], random: Random) -> str:
    """Each letter becomes, with probability 0.05, one beside it on the keyboard, in its case."""
    return "".join(
        _neighbour(each, random) if free and each.lower() in NEIGHBOURS and random.random() < TYPO else each
        for each, free in zip(text, is_free, strict=True)
    )


def _neighbour(letter: str, random: Random) -> str:
    hit = random.choice(NEIGHBOURS[letter.lower()])
    return hit.upper() if letter.isupper() else hit


def upper_case(text: str, is_free: Sequence[bool], random: Random) -> str:
    """Each small letter becomes, with probability 0.35, a capital one."""
    return "".join(
        each.upper() if free and has_a_capital(each) and random.random() < UPPER else each
        for each, free in zip(text, is_free, strict=True)
    )


def has_a_capital(letter: str) -> bool:
    """Whether it is a small letter with a capital that is one letter, too: that of the sharp s is two."""
    return letter.islower() and len(letter.upper()) == 1


def swap_characters(text: str, is_free: Sequence[bool], random: Random) -> str:
    """Each two letters or digits side by side change places with probability 0.05; none moves twice."""
    characters, place = list(text), 0
    while place + 1 < len(characters):
        pair = slice(place, place + 2)
        is_swapped = (
            all(is_free[pair]) and all(each.isalnum() for each in characters[pair]) and random.random() < SWAP
        )
        if is_swapped:
            characters[pair] = reversed(characters[pair])
        place += 2 if is_swapped else 1
    return "".join(characters)
