"""Background work: wait for it, stop it, try it again."""

from __future__ import annotations

import time
from typing import Any

from codejury.connection import Connection

ENDED = ("done", "failed", "cancelled")
FIRST_LOOK, LONGEST_LOOK = 0.1, 5.0


class RunFailed(Exception):
    """The run ended without a result; the message says why, of an import with each row and column."""

    def __init__(self, run: Run) -> None:
        super().__init__(f"The {run.kind} {run.state}: {run.message}")
        self.run = run


class Run:
    """One unit of background work."""

    def __init__(self, connection: Connection, told: dict[str, Any]) -> None:
        self._connection = connection
        self.told = told

    def __repr__(self) -> str:
        return f"<Run {self.id}: {self.kind} {self.state}>"

    @property
    def id(self) -> str:
        """By what the server knows it."""
        return str(self.told["run"])

    @property
    def kind(self) -> str:
        """What is done: import, analysis, agreement, export."""
        return str(self.told["kind"])

    @property
    def state(self) -> str:
        """queued, running, done, failed or cancelled, as last heard."""
        return str(self.told["state"])

    @property
    def message(self) -> str:
        """What happens, or what went wrong."""
        return str(self.told["message"])

    @property
    def result(self) -> dict[str, Any]:
        """What it found, once it is done."""
        return dict(self.told["result"] or {})

    def refresh(self) -> Run:
        """Ask how it stands."""
        self.told = self._connection.get(f"/runs/{self.id}")
        return self

    def wait(self, timeout: float = 3600.0) -> Run:
        """Until it is done; RunFailed when it ends otherwise, TimeoutError when it takes longer (and it goes on)."""
        deadline, pause = time.monotonic() + timeout, FIRST_LOOK
        while self.refresh().state not in ENDED:
            if time.monotonic() + pause > deadline:
                raise TimeoutError(f"The {self.kind} is {self.state} after {timeout:g} seconds; it goes on.")
            time.sleep(pause)
            pause = min(pause * 1.5, LONGEST_LOOK)
        if self.state != "done":
            raise RunFailed(self)
        return self

    def cancel(self) -> Run:
        """Stop it."""
        self.told = self._connection.write("POST", f"/runs/{self.id}/cancel")
        return self

    def retry(self) -> Run:
        """Try it again, from its last stored step."""
        self.told = self._connection.write("POST", f"/runs/{self.id}/retry")
        return self
