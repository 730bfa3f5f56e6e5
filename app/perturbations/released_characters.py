"""Changes of single characters as the released files hold them: their generators begin anew with each text.

So the same seed changes all problems alike. Where these rules differ from the paper's text, the files decide.
"""

from collections.abc import Callable
from random import Random

import numpy as np

from app.perturbations.qwerty import RELEASED_NEIGHBOURS

ReleasedRule = Callable[[str, int], str]


def butter_fingers(text: str, seed: int) -> str:
    """A key of the table is mistyped in six cases of a hundred; the table holds the right key, too."""
    random = _generator(seed)
    return "".join(_typed(each, random) for each in text)


def _typed(character: str, random: Random) -> str:
    hit = RELEASED_NEIGHBOURS.get(character.lower())
    if hit is None or random.choice(range(100)) > 5:
        return character
    typed = random.choice(hit)
    return typed.upper() if character.isupper() else typed


def change_case(text: str, seed: int) -> str:
    """Capitals become small and small letters capital, with probability 0.35 each."""
    random = _generator(seed)
    return "".join(
        each.swapcase() if (each.isupper() or each.islower()) and random.random() < 0.35 else each for each in text
    )


def swap_characters(text: str, seed: int) -> str:
    """Pairs chosen with probability 0.05 change places in a random order, if both are letters or digits."""
    random = np.random.RandomState((seed + sum(map(ord, text))) % 2**32)
    places = np.where(random.rand(max(len(text) - 1, 0)) < 0.05)[0]
    random.shuffle(places)
    characters = list(text)
    for place in places.tolist():
        pair = slice(place, place + 2)
        if all(each.isalnum() for each in characters[pair]):
            characters[pair] = reversed(characters[pair])
    return "".join(characters)


def change_spaces(text: str, seed: int) -> str:
    """White space goes with probability 0.1; any other character gets a space behind it with probability 0.05."""
    random = _generator(seed)
    return "".join(_spaced(each, random.random()) for each in text)


def _spaced(character: str, draw: float) -> str:
    if character.isspace():
        return "" if draw < 0.1 else character
    return character + " " if draw < 0.05 else character


def _generator(seed: int) -> Random:
    return Random(seed)  # no secret  # noqa: S311  # nosec B311
