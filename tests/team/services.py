"""A service of docker-compose.yml as a process of this machine: its command, its variables, the image's files.

What an engine gives it is put in its place: names of hosts become addresses of real local servers, volumes become
folders, and the port that only the proxy would reach becomes a free one.
"""

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.services.process import free_port
from tests.team.compose import read_service
from tests.team.dockerfile import environment_of, words_of
from tests.workers.process import children_of, is_alive, wait_for

PATIENCE = 90


@dataclass(frozen=True)
class Place:
    """Where the services of one test are."""

    image: Path
    folder: Path
    translations: Mapping[str, str]

    def translated(self, text: str) -> str:
        """With what is here instead of what an engine would give."""
        for there, here in self.translations.items():
            text = text.replace(there, here)
        return text


def variables_of(place: Place, name: str) -> dict[str, str]:
    """What a service finds in its environment."""
    described = read_service(name)
    own = environment_of(described["build"]["target"]) | described["environment"]
    here = {"PATH": os.environ["PATH"], "PORT": str(free_port()), "HOST": "127.0.0.1", "PYTHONPATH": str(place.image)}
    return {name: place.translated(value) for name, value in own.items()} | here


class Service:
    """One service, started when it is made."""

    def __init__(self, place: Place, name: str) -> None:
        described = read_service(name)
        target = described["build"]["target"]
        self._health = described.get("healthcheck", {}).get("test") or ["CMD", *words_of(target, "HEALTHCHECK")]
        self._place = place
        self.environment = variables_of(place, name)
        self.process = self._start([sys.executable, *words_of(target, "ENTRYPOINT")[1:], *described["command"]])

    @property
    def address(self) -> str:
        """Where the proxy would find it."""
        return f"http://127.0.0.1:{self.environment['PORT']}"

    def _start(self, command: list[str]) -> "subprocess.Popen[str]":
        pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
        return subprocess.Popen(command, cwd=self._place.image, env=self.environment, text=True, **pipes)  # type: ignore[call-overload,no-any-return]

    def is_healthy(self) -> bool:
        """What its own health check, with its own variables, says now."""
        with self._start([sys.executable, *self._health[2:]]) as check:
            check.communicate(timeout=PATIENCE)
        return check.returncode == 0

    def wait_until_healthy(self) -> None:
        """Until its health check is content."""

        def look() -> bool:
            assert self.process.poll() is None, self.process.communicate()[0]
            return self.is_healthy()

        wait_for(look, "a health check", PATIENCE)

    def finish(self) -> str:
        """The output of a service that ends by itself, as it should."""
        output = self.process.communicate(timeout=PATIENCE)[0]
        assert self.process.returncode == 0, output
        return output

    def stop(self) -> str:
        """Stop it as an engine does; all of it ends, in order. Its output."""
        family = [self.process.pid]
        for pid in family:
            family.extend(children_of(pid))
        self.process.terminate()
        output = self.process.communicate(timeout=PATIENCE)[0]
        wait_for(lambda: not any(is_alive(pid) for pid in family), "all of it to end")
        return output

    def end(self) -> None:
        """Leave nothing behind, whatever the test did."""
        if self.process.poll() is None:
            family = [self.process.pid]
            for pid in family:
                family.extend(children_of(pid))
            self.process.kill()
            self.process.communicate()
            wait_for(lambda: not any(is_alive(pid) for pid in family), "all of it to end")
