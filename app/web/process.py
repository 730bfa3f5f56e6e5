"""What a process does once, after it has loaded everything and before it serves."""

import gc


def settle() -> None:
    """Let what was loaded be, as it never becomes garbage: looking through all of it again holds up every answer."""
    gc.collect()
    gc.freeze()
