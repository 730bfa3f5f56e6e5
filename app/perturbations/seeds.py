"""Where a transformation's draws come from."""

from random import Random

from app.ids import content_hash


def generator(name: str, key: str, seed: int) -> Random:
    """A generator that depends on nothing but the transformation's name, the problem's key and the seed.

    So that any perturbed problem can be made again alone, and no two problems are changed alike because they come
    next to each other (the released generators begin anew for every problem, with the same numbers).
    """
    return Random(int(content_hash(name, key, str(seed))[:16], 16))  # no secret  # noqa: S311  # nosec B311
