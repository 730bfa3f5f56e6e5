"""Many programs at once, or one alone: what timed out beside others is tried once more when nothing else runs."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager


class Turns:
    """Shared by all slots of a runner."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._running = 0
        self._alone = False

    @contextmanager
    def beside_others(self) -> Iterator[None]:
        """Wait while somebody is alone."""
        with self._changed:
            self._changed.wait_for(lambda: not self._alone)
            self._running += 1
        try:
            yield
        finally:
            with self._changed:
                self._running -= 1
                self._changed.notify_all()

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Let nobody begin, and wait until nobody runs."""
        with self._changed:
            self._changed.wait_for(lambda: not self._alone)
            self._alone = True
            self._changed.wait_for(lambda: self._running == 0)
        try:
            yield
        finally:
            with self._changed:
                self._alone = False
                self._changed.notify_all()
