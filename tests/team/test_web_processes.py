"""Several web processes on one port."""

import os
import re
import signal
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from app.storage import migrate
from tests.workers.process import Launched, is_alive, wait_for

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("team")]


class Web(Launched):
    """``codejury web`` or ``serve``, on a free port unless one is named."""

    def __init__(self, *arguments: str, command: str = "web", **environment: str) -> None:
        super().__init__(command, *arguments, **{"PORT": "0"} | environment)

    def address(self) -> str:
        """What it prints first, which it does once all its processes answer."""
        assert self.process.stdout
        line = self.process.stdout.readline()
        found = re.match(r"CodeJury is at (http://\S+)", line)
        assert found, line + self.process.stdout.read()
        return found[1]


@pytest.fixture
def started() -> Iterator[list[Web]]:
    """What the test starts, and nobody leaves running."""
    started: list[Web] = []
    yield started
    for each in started:
        each.end()


def answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(f"{address}/sign-in", timeout=5) as answer:
            return b"CodeJury" in answer.read()
    except OSError:
        return False


def test_they_share_a_port_replace_their_dead_and_end_together(
    new_postgres_url: Callable[[], str], redis_url: str, tmp_path: Path, started: list[Web]
) -> None:
    database_url = new_postgres_url()
    migrate.upgrade(database_url)
    environment = {"DATABASE_URL": database_url, "BROKER_URL": redis_url, "CODEJURY_DATA_DIR": str(tmp_path)}
    web = Web("--processes", "2", **environment)
    started.append(web)
    address = web.address()
    assert not address.endswith(":0")
    assert all(answers(address) for _ in range(10))

    first = web.servers()
    assert len(first) == 2
    os.kill(first[0], signal.SIGKILL)
    wait_for(lambda: len(set(web.servers()) - set(first)) == 1, "another one in its place")
    wait_for(lambda: answers(address), "the pages")

    family = web.family()
    web.kill()
    again = Web(
        "--processes", "2", PORT=address.rpartition(":")[2], **environment
    )  # at once, as by a service manager
    started.append(again)
    assert again.address() == address
    wait_for(lambda: not any(is_alive(pid) for pid in family), "all to end with the first")


def test_several_serve_one_folder_with_sqlite_and_end_with_the_first(tmp_path: Path, started: list[Web]) -> None:
    web = Web("--processes", "2", command="serve", CODEJURY_DATA_DIR=str(tmp_path))
    started.append(web)
    address = web.address()
    assert len(web.servers()) == 2
    cores = os.sched_getaffinity(0)
    kept = [os.sched_getaffinity(pid) for pid in web.servers()]
    assert kept == [cores, cores] if len(cores) > 2 else sorted(map(len, kept)) == [1, 1]
    assert all(answers(address) for _ in range(10))
    os.kill(web.servers()[0], signal.SIGKILL)
    wait_for(lambda: len(web.servers()) == 2 and answers(address), "another one in its place")
    family = web.family()
    web.kill()
    wait_for(lambda: not any(is_alive(pid) for pid in family), "all to end with the first")


def test_a_folder_with_sqlite_has_one_server(tmp_path: Path, started: list[Web], redis_url: str) -> None:
    environment = {"CODEJURY_DATA_DIR": str(tmp_path)}
    migrate.upgrade(f"sqlite:///{tmp_path / 'codejury.sqlite3'}")
    first = Web(**environment, BROKER_URL=redis_url)
    started.append(first)
    assert answers(first.address())
    second = Web(**environment, BROKER_URL=redis_url)
    started.append(second)
    assert "already running on the data folder" in second.process.communicate(timeout=30)[0]


def test_a_browser_that_rests_for_a_thought_finds_its_connection(tmp_path: Path, started: list[Web]) -> None:
    """A proxy that sent into a closing connection would have to say 502: it is the proxy that closes."""
    migrate.upgrade(f"sqlite:///{tmp_path / 'codejury.sqlite3'}")
    web = Web(CODEJURY_DATA_DIR=str(tmp_path))
    started.append(web)
    address = urlsplit(web.address())
    with closing(HTTPConnection(address.hostname or "", address.port, timeout=30)) as connection:
        connection.connect()
        local_port = connection.sock.getsockname()[1]
        for rest in (0, 7):
            time.sleep(rest)
            connection.request("GET", "/health")
            assert connection.getresponse().read()
        assert connection.sock.getsockname()[1] == local_port, "it was opened anew"
