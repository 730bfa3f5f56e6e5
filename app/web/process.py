"""What a process does once, after it has loaded everything and before it serves."""

import gc

# A request makes thousands of objects, nearly all of which go by themselves: the default, 700, would look for cycles
# several times during each.
ALLOCATIONS = 20_000
# Where several web processes on one port add up what they count (prometheus_client reads this variable) and find
# their cores.
COUNTS_FOLDER = "PROMETHEUS_MULTIPROC_DIR"


def settle() -> None:
    """Let what was loaded be, as it never becomes garbage: looking through all of it again holds up every answer."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(ALLOCATIONS)
