"""The sandbox's host: a process without network and secrets that runs what models wrote.

It stands apart (in docker-compose.yml: no network, nothing to write to, no rights) and listens on its socket.
app.execution.remote is its other side.
"""

import json
import os
import re
import socket
import socketserver
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from app.errors import Conflict, NotFound
from app.execution.lines import LONGEST, line, outcome_to_json, program_from_json
from app.execution.runner import Sandbox

SECRET_NAMES = re.compile(r"^(DATABASE_URL|BROKER_URL|PGPASS\w*|AWS_\w+|CODEJURY_\w*(SECRET|KEY|TOKEN|PASSWORD)\w*)$")
ANSWER_SECONDS = 5


class _Answering(socketserver.StreamRequestHandler):
    """A line in, a line out, until the other side has nothing more to ask."""

    server: "_Host"
    timeout = 60

    def handle(self) -> None:
        while question := self.rfile.readline(LONGEST):
            self.wfile.write(line(answer(self.server.sandbox, question)))


class _Host(socketserver.ThreadingUnixStreamServer):
    daemon_threads = True
    sandbox: Sandbox


def answer(sandbox: Sandbox, question: bytes) -> dict[str, Any]:
    """The outcome of a program; else which tier stands here, or what is wrong with the question."""
    try:
        asked = json.loads(question)
        if "program" not in asked:
            return {"tier": sandbox.tier, "slots": len(sandbox.slots)}
        return {"outcome": outcome_to_json(sandbox.run(program_from_json(asked["program"])))}
    except (ValueError, TypeError, RecursionError) as error:
        return {"error": f"That is no question: {error}"}


def refuse_secrets(environment: Mapping[str, str]) -> None:
    """Conflict names what this process must not know, since what it runs could read it."""
    if known := sorted(name for name, value in environment.items() if value and SECRET_NAMES.match(name)):
        raise Conflict(
            "The sandbox's host runs other people's programs, so it must know no secrets.",
            remedy=f"Start it without {', '.join(known)}.",
        )


def host(path: Path, sandbox: Sandbox, announce: Callable[[], None]) -> None:
    """Listen until somebody ends this process; a newer host takes the place of an older one."""
    with _listening(path) as server:
        server.sandbox = sandbox
        announce()
        server.serve_forever()


def _listening(path: Path) -> _Host:
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        server = _Host(str(path), _Answering)
        path.chmod(0o600)
    except OSError as error:
        raise Conflict(
            f"The sandbox's host can't listen at {path}: {error.strerror or error}.",
            remedy="Correct its folder's owner or mode, or choose another place with CODEJURY_RUNNER_SOCKET.",
        ) from error
    return server


def ask(path: Path, question: dict[str, object]) -> dict[str, object]:
    """What the host says; NotFound where none listens."""
    try:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(ANSWER_SECONDS)
            connection.connect(os.fspath(path))
            connection.sendall(json.dumps(question).encode() + b"\n")
            said: dict[str, object] = json.loads(connection.makefile().readline())
    except (OSError, ValueError) as error:
        raise NotFound(f"No host of the sandbox answers at {path}.", remedy="Start one: codejury runner") from error
    return said
