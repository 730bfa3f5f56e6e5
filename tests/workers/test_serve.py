"""``codejury serve`` as a person uses it: up soon, says where it is, and leaves nothing behind."""

import os
import re
import signal
import sqlite3
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from sqlalchemy import func, select

from app.services.exports import ExportRequest, Form, request_export
from app.services.studies import find_study
from app.storage.engine import Database
from app.storage.files import FileStore
from app.storage.models import Analysis, Annotator, Artifact, Run
from tests.way.helpers import hidden
from tests.workers.process import Launched, children_of, is_alive, wait_for

SIMULATED = 6  # annotators that the demo invents
WAITING = 8
ADDRESS = re.compile(r"CodeJury is at (http://\S+)")


class Server(Launched):
    """A server on a free port."""

    def __init__(self, data_dir: Path, **environment: str) -> None:
        super().__init__("serve", **{"CODEJURY_DATA_DIR": str(data_dir), "PORT": "0", **environment})

    def address(self) -> str:
        """What it prints once it answers; its worker, which starts beside it, may have told something before."""
        assert self.process.stdout
        told = []
        while line := self.process.stdout.readline():
            if found := ADDRESS.match(line):
                return found[1]
            told.append(line)
        raise AssertionError("".join(told))

    def worker(self) -> int:
        """The worker that it started."""
        return wait_for(lambda: children_of(self.process.pid), "the worker")[0]


@pytest.fixture
def servers(tmp_path: Path) -> Iterator[list[Server]]:
    started: list[Server] = []
    yield started
    for each in started:
        each.end()


def ready_workers(data_dir: Path) -> list[int]:
    """Process numbers of the workers that have said that they live."""
    with sqlite3.connect(data_dir / "codejury.sqlite3") as connection:
        return [int(name.rpartition(":")[2]) for (name,) in connection.execute("SELECT name FROM workers")]


def test_it_serves_watches_its_worker_and_stops_without_a_trace(tmp_path: Path, servers: list[Server]) -> None:
    data_dir = tmp_path / "new" / "data"
    server = Server(data_dir)
    servers.append(server)
    with urllib.request.urlopen(f"{server.address()}/health", timeout=5) as answer:
        assert answer.status == 200
    assert data_dir.stat().st_mode & 0o777 == 0o700

    first = server.worker()
    wait_for(lambda: first in ready_workers(data_dir), "the worker to be ready")
    os.kill(first, signal.SIGKILL)
    second = wait_for(lambda: [pid for pid in children_of(server.process.pid) if pid != first], "a new worker")[0]
    wait_for(lambda: second in ready_workers(data_dir), "the new worker to be ready")

    family = server.family()
    output = server.stop(signal.SIGINT)
    assert server.process.returncode == 0, output
    assert "Traceback" not in output
    assert not any(is_alive(pid) for pid in family)


def test_a_killed_server_takes_its_worker_along(tmp_path: Path, servers: list[Server]) -> None:
    server = Server(tmp_path)
    servers.append(server)
    server.address()
    worker = server.worker()
    wait_for(lambda: worker in ready_workers(tmp_path), "the worker to be ready")
    family = server.family()
    assert len(family) >= 4
    server.kill()
    wait_for(lambda: not any(is_alive(pid) for pid in family), "every process to end", 5)

    again = Server(tmp_path)
    servers.append(again)
    again.address()
    again.stop()
    assert again.process.returncode == 0


def test_killing_server_and_worker_at_once_loses_nothing(tmp_path: Path, servers: list[Server]) -> None:
    """The pair as `make run` starts it: who has joined, the run that was going on, and those that waited."""
    server = Server(tmp_path)
    servers.append(server)
    server.address()
    database = Database(f"sqlite:///{tmp_path / 'codejury.sqlite3'}")
    with database.write() as session:
        demo = find_study(session, "demo")
        exports = [request_export(session, demo, ExportRequest(form=Form.CSV)).id for _ in range(WAITING)]
    assert server.process.stdout
    invitation = re.search(r"http\S+/join/\S+", server.process.stdout.readline())
    assert invitation
    with httpx2.Client(headers={"Sec-Fetch-Site": "same-origin"}) as browser:
        page = browser.get(invitation[0])
        assert browser.post(invitation[0], data=hidden(page.text)).status_code == 303
    wait_for(lambda: "running" in states(database).values(), "a run that goes on", 90)
    for pid in server.family():
        os.kill(pid, signal.SIGKILL)
    server.process.wait(10)
    left = states(database)
    assert "running" in left.values()
    assert set(exports) < left.keys()

    again = Server(tmp_path)
    servers.append(again)
    again.address()
    wait_for(lambda: set(states(database).values()) == {"done"}, "all runs to be done", 240)
    assert states(database).keys() == left.keys()
    with database.read() as session:
        assert session.scalar(select(func.count()).select_from(Annotator)) == SIMULATED + 1
        assert session.scalar(select(func.count()).select_from(Analysis)) == 1
        files = session.scalars(select(Artifact.sha256).where(Artifact.kind == "export")).all()
    assert len(files) == WAITING, "each was written once"
    assert all(FileStore(tmp_path / "artifacts").has(sha256) for sha256 in files)
    database.dispose()


def states(database: Database) -> dict[int, str]:
    """How each run stands."""
    with database.read() as session:
        return {run.id: run.state for run in session.scalars(select(Run))}


def test_what_stands_in_the_way_is_said(tmp_path: Path, servers: list[Server]) -> None:
    server = Server(tmp_path)
    servers.append(server)
    port = server.address().rpartition(":")[2]

    same_folder = Server(tmp_path)
    servers.append(same_folder)
    output = same_folder.process.communicate(timeout=20)[0]
    assert same_folder.process.returncode == 1
    assert "already running on the data folder" in output

    same_port = Server(tmp_path / "other", PORT=port)
    servers.append(same_port)
    output = same_port.process.communicate(timeout=20)[0]
    assert same_port.process.returncode == 1
    assert f"Port {port} on 127.0.0.1 can't be used: Address already in use." in output
    assert "Traceback" not in output
