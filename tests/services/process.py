"""Start a server for the length of the tests, on a port of its own, and be sure that it ends."""

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

START_SECONDS = 60.0
STOP_SECONDS = 20.0


class ServiceError(Exception):
    """A server did not start; the message ends with what it wrote last."""


def free_port() -> int:
    """Return a TCP port that was free a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def unprivileged_user(*names: str) -> str | None:
    """Return the first of these users that exists, for servers that refuse to run as root; None when not root."""
    if os.geteuid() != 0:
        return None
    known = {entry.pw_name for entry in pwd.getpwall()}
    return next(name for name in (*names, "nobody") if name in known)


def private_folder(prefix: str, owner: str | None) -> Path:
    """Return a new folder that only ``owner`` (None: oneself) may enter."""
    folder = Path(tempfile.mkdtemp(prefix=prefix))
    if owner is not None:
        shutil.chown(folder, owner)
    return folder


def as_user(user: str | None) -> dict[str, object]:
    """Return the words for ``subprocess`` that make a command run as this user."""
    if user is None:
        return {}
    return {"user": user, "group": pwd.getpwnam(user).pw_gid, "extra_groups": [], "umask": 0o077}


class Server:
    """One server process. It dies with the tests even if they are killed."""

    def __init__(self, command: list[str], *, user: str | None, folder: Path, is_ready: Callable[[], bool]) -> None:
        self._log = folder / "server.log"
        # PostgreSQL's and Redis's SIGINT: stop now, in good order.
        leash = ["setpriv", "--pdeathsig", "INT", "--"] if shutil.which("setpriv") else []
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(  # type: ignore[call-overload]
                [*leash, *command],
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # Ctrl-C is for the tests, which then stop this server themselves
                **as_user(user),
            )
        try:
            self._wait_until(is_ready)
        except BaseException:
            self.stop()
            raise

    def _wait_until(self, is_ready: Callable[[], bool]) -> None:
        deadline = time.monotonic() + START_SECONDS
        while not is_ready():
            if self._process.poll() is not None or time.monotonic() > deadline:
                text = self._log.read_text(encoding="utf-8", errors="replace")
                raise ServiceError(f"{self._process.args[0]} did not start: …{text[-2000:]}")
            time.sleep(0.05)

    def end_by(self, by: signal.Signals) -> None:
        """Send it this signal, and wait until it is gone."""
        self._process.send_signal(by)
        self._process.wait(STOP_SECONDS)

    def freeze(self, *, frozen: bool) -> None:
        """Stop it where it is, or let it go on: it takes connections and answers nobody."""
        self._process.send_signal(signal.SIGSTOP if frozen else signal.SIGCONT)

    def stop(self) -> None:
        """End the server, gently if it lets itself be."""
        if self._process.poll() is None:
            self._process.send_signal(2)
        try:
            self._process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
