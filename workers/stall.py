"""Notice that a pool begins nothing any more."""

import time
from collections.abc import Callable, Collection, Hashable

STUCK_SECONDS = 30
# A process that was held up itself has seen nothing meanwhile: no single look counts for more.
LOOK_SECONDS = 1.0


class Stall:
    """For how long the same runs have been sent without one of them being begun.

    Where messages come through memory, the processes of a pool share a lock on where they come from. One that is
    killed while it waits there takes the lock with it: then no other ever gets a message, and nothing tells so.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._looked_at = clock()
        self._waited: dict[Hashable, float] = {}

    def is_stuck(self, unheard: Collection[Hashable]) -> bool:
        """``unheard``: what was sent and waits, while nothing at all is being done."""
        now = self._clock()
        passed, self._looked_at = min(now - self._looked_at, LOOK_SECONDS), now
        self._waited = {each: self._waited.get(each, -passed) + passed for each in unheard}
        return any(waited >= STUCK_SECONDS for waited in self._waited.values())
