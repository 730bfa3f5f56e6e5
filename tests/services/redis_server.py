"""A private Redis: its own port, nothing on disk unless asked for; tests of failures kill, freeze and start it."""

import shutil
import signal
from pathlib import Path

import redis

from tests.services.process import Server, free_port, private_folder


class RedisServer:
    """A Redis that lives until ``stop``."""

    def __init__(self, program: Path, *, keeps: bool = False) -> None:
        self._program = program
        self._keeps = keeps
        self._folder = private_folder("codejury-redis-", None)
        self._port = free_port()
        self.start()

    @property
    def url(self) -> str:
        """Return its address, which stays the same through ``stop`` and ``start``."""
        return f"redis://127.0.0.1:{self._port}/0"

    def start(self) -> None:
        """Start it: empty, or if it ``keeps`` with all that it had been given, as a team's should."""
        words = ["--bind", "127.0.0.1", "--port", str(self._port), "--save", ""]
        words += ["--appendonly", "yes", "--appendfsync", "always"] if self._keeps else ["--appendonly", "no"]
        command = [str(self._program), *words, "--dir", str(self._folder)]
        self._server = Server(command, user=None, folder=self._folder, is_ready=self._is_ready)

    def _is_ready(self) -> bool:
        with redis.Redis(host="127.0.0.1", port=self._port) as client:
            try:
                return bool(client.ping())
            except redis.ConnectionError:
                return False

    def kill(self) -> None:
        """End it as a crash does."""
        self._server.end_by(signal.SIGKILL)

    def freeze(self, *, frozen: bool) -> None:
        """Have it answer nobody, or answer again."""
        self._server.freeze(frozen=frozen)

    def stop(self) -> None:
        """End it in order."""
        self._server.stop()

    def remove(self) -> None:
        """End it and remove its folder."""
        self.stop()
        shutil.rmtree(self._folder, ignore_errors=True)
