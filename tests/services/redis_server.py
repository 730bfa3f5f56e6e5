"""A private Redis: its own port, nothing on disk; it can be stopped and started again, as tests of failures do."""

import shutil
from pathlib import Path

import redis

from tests.services.process import Server, free_port, private_folder


class RedisServer:
    """A Redis that lives until ``stop``."""

    def __init__(self, program: Path) -> None:
        self._program = program
        self._folder = private_folder("codejury-redis-", None)
        self._port = free_port()
        self.start()

    @property
    def url(self) -> str:
        """Return its address, which stays the same through ``stop`` and ``start``."""
        return f"redis://127.0.0.1:{self._port}/0"

    def start(self) -> None:
        """Start it, empty."""
        words = ["--bind", "127.0.0.1", "--port", str(self._port), "--save", "", "--appendonly", "no"]
        command = [str(self._program), *words, "--dir", str(self._folder)]
        self._server = Server(command, user=None, folder=self._folder, is_ready=self._is_ready)

    def _is_ready(self) -> bool:
        with redis.Redis(host="127.0.0.1", port=self._port) as client:
            try:
                return bool(client.ping())
            except redis.ConnectionError:
                return False

    def stop(self) -> None:
        """End it; what it held is gone."""
        self._server.stop()

    def remove(self) -> None:
        """End it and remove its folder."""
        self.stop()
        shutil.rmtree(self._folder, ignore_errors=True)
