"""``codejury`` in a process that dies at a chosen point. Nothing of this is in the product.

TEST_FAULT=before_commit:3    the process kills itself (-9) just before its third commit of a grade
                    after_commit:3     just after it, when the answer is not sent yet
                    alone:1            when it asks for anything beyond this machine
                    clock:10800        never; its clock is three hours ahead
                    statement:40       before the fortieth statement that it sends to its database
"""

import os
import signal
import sys
import time
from typing import Any

import time_machine
from sqlalchemy import Connection, Engine, event
from sqlalchemy.pool import Pool

SETTING = "TEST_FAULT"


class _DieAt:
    """Counts down, and ends the process as the system does it when memory is out."""

    def __init__(self, number: int) -> None:
        self.left = number

    def step(self) -> None:
        self.left -= 1
        if self.left == 0:
            os.kill(os.getpid(), signal.SIGKILL)


def install(fault: str) -> None:
    """Have the process die there."""
    point, _, number = fault.partition(":")
    if point == "clock":
        time_machine.travel(time.time() + int(number), tick=True).start()
        return
    end = _DieAt(int(number))
    if point == "alone":
        sys.addaudithook(lambda name, arguments: end.step() if _leaves_the_machine(name, arguments) else None)
        return
    if point == "statement":
        event.listen(Engine, "before_cursor_execute", lambda *_: end.step())
        return
    event.listen(Engine, "before_cursor_execute", _note_grades)
    if point == "before_commit":
        event.listen(Engine, "commit", lambda connection: end.step() if connection.info.get("grades") else None)
    event.listen(Pool, "checkin", lambda _, record: end.step() if record.info.pop("grades", False) else None)


def _leaves_the_machine(name: str, arguments: tuple[Any, ...]) -> bool:
    """Whether what Python reports is a name that is looked up, or a connection, that is not one's own."""
    if name not in ("socket.getaddrinfo", "socket.connect", "socket.gethostbyname"):
        return False
    host = arguments[1][0] if name == "socket.connect" and isinstance(arguments[1], tuple) else arguments[0]
    return isinstance(host, str) and host not in ("127.0.0.1", "localhost", "::1")


def _note_grades(connection: Connection, _cursor: object, statement: str, *_: object) -> None:
    if "INSERT INTO grade_events" in statement:  # alone, or as a part of another (app.storage.together)
        connection.info["grades"] = True


if __name__ == "__main__":
    if SETTING in os.environ:
        install(os.environ[SETTING])
    from app.cli import main

    main()
