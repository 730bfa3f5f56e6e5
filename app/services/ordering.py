"""Seeded order: the same seed gives the same places, on any machine and database."""

import hashlib

MAX_PLACE = 2**62


def place(seed: int, *parts: object) -> int:
    """A place in [0, 2**62) that follows from the seed and the parts alone."""
    text = "\x1f".join([str(seed), *map(str, parts)])
    return int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:8], "big") % MAX_PLACE
