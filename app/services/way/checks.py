"""Where checks stand among a person's items: one of each kind in every block, at a place that the seed gives."""

from app.services.ordering import place
from app.services.study_options import Checks

KINDS = ("loud", "silent", "repeat")
# A repeated item was graded at least so many items before.
REPEAT_AFTER = 5


def size_of(checks: Checks, kind: str) -> int:
    """How long the blocks of that kind are; 0 where the study has none."""
    return int(getattr(checks, f"{kind}_every"))


def kind_at(seed: int, person: int, checks: Checks, number: int) -> str | None:
    """The kind of check that the person's item of that number (from 1) is; None for an ordinary one."""
    return next(
        (kind for kind in KINDS if _place(seed, person, checks, kind, _block(checks, kind, number)) == number), None
    )


def _block(checks: Checks, kind: str, number: int) -> int:
    size = size_of(checks, kind)
    return (number - 1) // size if size else 0


def _place(seed: int, person: int, checks: Checks, kind: str, block: int) -> int | None:
    """The number of the item at which the block's check of that kind stands.

    It is the first free one from a hashed offset on, round the block. Where every place is taken by other kinds, or
    lies before there is anything to repeat, the block has none.
    """
    size = size_of(checks, kind)
    if not size:
        return None
    start = block * size + 1
    offset = place(seed, "check", kind, person, block) % size
    ring = [start + (offset + turn) % size for turn in range(size)]
    return next((number for number in ring if _is_free(seed, person, checks, kind, number)), None)


def _is_free(seed: int, person: int, checks: Checks, kind: str, number: int) -> bool:
    if kind == "repeat" and number <= REPEAT_AFTER:
        return False
    earlier = KINDS[: KINDS.index(kind)]
    return all(_place(seed, person, checks, other, _block(checks, other, number)) != number for other in earlier)
