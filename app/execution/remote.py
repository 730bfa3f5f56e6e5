"""A runner that hands its programs to the runner service, so that a worker with secrets runs nothing itself."""

import json
import os
import socket
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from app.errors import NotFound
from app.execution.in_order import run_in_order
from app.execution.jobs import nothing
from app.execution.lines import GREETING, LONGEST, line, outcome_from_json, program_to_json
from app.execution.protocol import Outcome, Program, Tier, Verdict

GREETING_SECONDS = 5.0
TRIES, GRACE_SECONDS = 2, 60.0


class RemoteRunner:
    """Any thread may use it. Each program has a connection of its own, so a restarted service is found again."""

    def __init__(self, path: Path) -> None:
        """NotFound where no service answers at the socket ``path``."""
        self._path = path
        try:
            greeting = self._asked(GREETING, GREETING_SECONDS)
            self.tier, self.slots = Tier(greeting["tier"]), int(greeting["slots"])
        except (OSError, ValueError, KeyError) as error:
            raise NotFound(
                f"No host of the sandbox answers at {path}.", remedy="Start one: codejury runner"
            ) from error
        self._threads = ThreadPoolExecutor(self.slots, thread_name_prefix="remote-sandbox")

    def run(self, program: Program) -> Outcome:
        """Run one program to its verdict; where the service goes away meanwhile, ask once more."""
        # The service tries again what its sandbox failed at, and it may have other programs to run first.
        seconds = 4 * (program.limits.wall + GRACE_SECONDS)
        reason = ""
        for _ in range(TRIES):
            try:
                answer = self._asked({"program": program_to_json(program)}, seconds)
                return outcome_from_json(answer["outcome"])
            except (OSError, ValueError, KeyError, TypeError) as error:
                reason = f"the runner service gave no outcome: {type(error).__name__}: {error}"
        return nothing(Verdict.SANDBOX_ERROR, reason, program.limits, self.tier)

    def run_all(self, programs: Iterable[Program]) -> Iterator[Outcome]:
        """Outcomes in the programs' order, as many at once as the service has slots."""
        return run_in_order(self.run, programs, self._threads, self.slots)

    def close(self) -> None:
        """Let go; the service stays."""
        self._threads.shutdown(cancel_futures=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _asked(self, question: dict[str, Any], seconds: float) -> dict[str, Any]:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(seconds)
            connection.connect(os.fspath(self._path))
            connection.sendall(line(question))
            with connection.makefile("rb") as answers:
                answer: dict[str, Any] = json.loads(answers.readline(LONGEST))
        return answer
