"""Web processes to break: ``codejury serve`` of a team, which has no worker beside it, on a free port."""

import http.client
import re
import signal
import threading
from pathlib import Path

from tests.faults.launch import SETTING
from tests.workers.process import Launched, wait_for

ADDRESS = re.compile(r"CodeJury is at http://127\.0\.0\.1:(\d+)")
# Nobody listens there: grading must not need the broker.
NO_BROKER = "redis://127.0.0.1:1/0"


class Web(Launched):
    """A web server; with ``fault`` it dies where that says (see tests.faults.launch)."""

    module = "tests.faults.launch"

    def __init__(
        self, database_url: str, data_dir: Path, *, port: int = 0, fault: str = "", processes: int = 1, **more: str
    ) -> None:
        environment = {"DATABASE_URL": database_url, "BROKER_URL": NO_BROKER, "CODEJURY_DATA_DIR": str(data_dir)}
        faults = {SETTING: fault} if fault else {}
        command = ("serve", "--processes", str(processes))
        super().__init__(*command, **environment, **faults, PORT=str(port), **more)
        try:
            self.port = self._announced_port()
        except BaseException:
            super().end()
            raise
        self._said: list[str] = []
        # Somebody must read what it logs, or it waits for that.
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout
        self._said.extend(self.process.stdout)

    def stop(self, by: int = signal.SIGTERM) -> str:
        """Ask it to stop; what it said since it told its address."""
        self.process.send_signal(by)
        self.process.wait(30)
        self._reader.join()
        return "".join(self._said)

    def end(self) -> None:
        """Leave nothing behind, whatever the test did."""
        self.process.kill()
        self._reader.join()
        super().end()

    def _announced_port(self) -> int:
        assert self.process.stdout
        before = []
        for line in self.process.stdout:
            if found := ADDRESS.match(line):
                return int(found[1])
            before.append(line)
        raise AssertionError("".join(before))

    def ask(self, path: str, timeout: float = 10) -> tuple[int, bytes]:
        """Status and body of a page."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            connection.request("GET", path)
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def wait_until_dead(self) -> None:
        """Until it died of the fault that it was given."""
        wait_for(lambda: self.process.poll() is not None, "the web process to die")


class Migrating(Launched):
    """``codejury migrate`` in a process of its own."""

    module = "tests.faults.launch"

    def __init__(self, database_url: str, data_dir: Path, *, fault: str = "") -> None:
        environment = {"DATABASE_URL": database_url, "BROKER_URL": NO_BROKER, "CODEJURY_DATA_DIR": str(data_dir)}
        super().__init__("migrate", **environment, **({SETTING: fault} if fault else {}))

    def ended(self) -> tuple[int, str]:
        """Its exit status and what it said."""
        said = self.process.communicate(timeout=60)[0]
        return self.process.returncode, said
