"""A thousand queued runs, and everything killed (-9) in the middle of them: how long until all are done.

python -m benchmarks.queued_runs [--runs 1000] [--kills 2] [--only machine|team]

On one machine (SQLite, a server with its worker) and for a team (PostgreSQL, a Redis that keeps nothing, two workers;
Redis is killed as well). Half of the runs score the demo study, half export its grades to a file.
"""

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from sqlalchemy import func, select

from app.services.demo.study import make_demo
from app.services.exports import ExportRequest, Form, request_export
from app.services.scoring import load_candidates, request_scoring
from app.storage import migrate
from app.storage.engine import Database
from app.storage.models import Artifact, MetricScore, Run, Scoring, Study
from tests.services import programs
from tests.services.postgres import DURABLE, PostgresServer
from tests.services.redis_server import RedisServer

METRICS = ("chrf", "bleu")


@dataclass
class Installation:
    """Processes on a database; ``restart_broker``: what else is killed."""

    url: str
    folder: Path
    commands: list[list[str]]
    environment: dict[str, str] = field(default_factory=dict)
    restart_broker: Callable[[], object] = lambda: None
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def start(self) -> None:
        """All processes."""
        environment = {**os.environ, "CODEJURY_DATA_DIR": str(self.folder), "PORT": "0", **self.environment}
        command = [sys.executable, "-m", "app.cli"]
        self.processes = [
            subprocess.Popen(
                [*command, *words], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
            for words in self.commands
        ]

    def kill(self) -> None:
        """All processes and theirs, without a word."""
        for pid in [pid for each in self.processes for pid in family_of(each.pid)]:
            os.kill(pid, signal.SIGKILL)
        for each in self.processes:
            each.wait()


def family_of(pid: int) -> list[int]:
    """A process and all below it."""
    parents: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents.setdefault(int(fields[1]), []).append(int(stat.parent.name))
    found = [pid]
    for each in found:
        found.extend(parents.get(each, ()))
    return found


def main() -> None:
    """Both kinds of installation."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--kills", type=int, default=2)
    parser.add_argument("--only", choices=["machine", "team"])
    words = parser.parse_args()
    for name, make in (("machine", one_machine), ("team", a_team)):
        if words.only in (None, name):
            with make() as installation:
                print(f"{name}: {measure(installation, words.runs, words.kills)}", flush=True)


@contextmanager
def one_machine() -> Iterator[Installation]:
    """A server that starts its worker itself."""
    with tempfile.TemporaryDirectory() as folder:
        yield Installation(f"sqlite:///{folder}/codejury.sqlite3", Path(folder), [["serve"]])


@contextmanager
def a_team() -> Iterator[Installation]:
    """A server and two workers, a database and a broker."""
    postgres, broker = programs.POSTGRES.find(), programs.REDIS.find()
    assert postgres, programs.POSTGRES.remedy
    assert broker, programs.REDIS.remedy
    database, redis = PostgresServer(postgres, DURABLE), RedisServer(broker)

    def restart() -> None:
        redis.kill()
        redis.start()

    try:
        with tempfile.TemporaryDirectory() as folder:
            url = database.create_database()
            commands = [["serve"], *[["worker", "--concurrency", "1"]] * 2]
            environment = {"DATABASE_URL": url, "BROKER_URL": redis.url}
            yield Installation(url, Path(folder), commands, environment, restart)
    finally:
        redis.remove()
        database.stop()


def measure(installation: Installation, runs: int, kills: int) -> str:
    """Ask, kill, wait, check."""
    migrate.upgrade(installation.url)
    database = Database(installation.url)
    ask(database, runs)
    began = time.perf_counter()
    installation.start()
    try:
        for number in range(1, kills + 1):
            wait_until_done(database, runs * number // (kills + 1))
            installation.kill()
            installation.restart_broker()
            installation.start()
        wait_until_done(database, runs + 2)
        seconds = time.perf_counter() - began
    finally:
        installation.kill()
    again = check(database, installation.folder, runs)
    database.dispose()
    return f"{runs} runs, everything killed {kills} times: all done in {seconds:.0f} s, {again} begun again"


def ask(database: Database, runs: int) -> None:
    """So many runs, queued; the demo asks for two more, its analysis and its agreement."""
    with database.write() as session:
        study = make_demo(session)
        for number in range(runs):
            if number % 2:
                request_export(session, study, ExportRequest(form=Form.CSV))
            else:
                request_scoring(session, study, names=METRICS)


def wait_until_done(database: Database, number: int) -> None:
    """Until so many runs are done; one that ends otherwise stops the benchmark."""
    while True:
        with database.read() as session:
            states = dict(session.execute(select(Run.state, func.count()).group_by(Run.state)).all())
        assert not {"failed", "cancelled"} & set(states), states
        if states.get("done", 0) >= number:
            return
        time.sleep(0.1)


def check(database: Database, folder: Path, runs: int) -> int:
    """Each result is there once; how many runs took a second attempt."""
    with database.read() as session:
        exports = session.scalars(select(Artifact.sha256)).all()
        outputs = len(load_candidates(session, session.scalars(select(Study)).one()))
        scored = select(func.count()).select_from(MetricScore).join(Scoring, Scoring.id == MetricScore.scoring_id)
        scores = session.scalar(scored.where(Scoring.name.in_(METRICS)))
        again = session.scalar(select(func.count()).where(Run.attempt > 1)) or 0
    assert len(exports) == runs // 2
    assert scores == outputs * len(METRICS)
    assert all((folder / "artifacts" / each[:2] / each).is_file() for each in exports)
    return again


if __name__ == "__main__":
    main()
