"""200 annotators grade a study of 100,000 items through the web: how fast, and is any grade lost or doubled?

python -m benchmarks.grading_load [--seconds 20] [--postgres URL] [--processes 2] [--roam]

Goals on two cores: p95 of "next item" and of "grade" under 25 ms on the server at 50 grades a second; at full load at
least 150 grades a second on SQLite and 250 on PostgreSQL. What was acknowledged is compared with what is stored.
"""

import argparse
import json
import os
import random
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from sqlalchemy import func, select, text

from app.storage import migrate
from app.storage.engine import Database
from app.storage.models import Grade, GradeEvent, Item, Study
from app.storage.planner import renew_statistics
from app.web.cores import offer_cores
from benchmarks._big_study import BigStudy, fill
from benchmarks._browsers import Connection, Page
from tests.services import programs
from tests.services.postgres import DURABLE, PostgresServer

PEOPLE, BROWSERS, STEADY = 200, 24, 50.0
# How many answers are second tries, after which the page asks for the next item by itself: hardly any, but at the
# steady load enough of them to tell how long that takes.
OFTEN, SELDOM = 0.1, 0.01


@dataclass
class Load:
    """What the browsers did together."""

    ports: list[int]
    seconds: float
    rate: float | None  # grades a second in all; None: as fast as they can
    second_tries: float
    acknowledged: list[str] = field(default_factory=list)
    failures: Counter[str] = field(default_factory=Counter)
    late: int = 0

    def run(self, people: list[tuple[int, str]]) -> float:
        """Grade from several threads; the grades a second that were reached."""
        start = time.perf_counter()
        shares = [people[n::BROWSERS] for n in range(BROWSERS)]
        threads = [threading.Thread(target=self._browse, args=(n, share, start)) for n, share in enumerate(shares)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return len(self.acknowledged) / (time.perf_counter() - start)

    def _browse(self, number: int, people: list[tuple[int, str]], start: float) -> None:
        connection = Connection(self.ports[number % len(self.ports)])
        pages = [Page(cookie, self.acknowledged, self.failures) for _, cookie in people]
        turn = number
        while time.perf_counter() - start < self.seconds:
            self._wait_for(turn, start)
            turn += BROWSERS
            # In no order, as people are: otherwise all 200 of them would need new items in the same few seconds.
            page = random.choice(pages)
            page.grade_one(connection, again=random.random() < self.second_tries)

    def _wait_for(self, turn: int, start: float) -> None:
        if self.rate is None:
            return
        ahead = start + turn / self.rate - time.perf_counter()
        if ahead > 0:
            time.sleep(ahead)
        else:
            self.late += ahead < -1


@contextmanager
def server(url: str, folder: Path) -> Iterator[tuple[int, Path]]:
    """A web process on that database; its port, and the file that its times go to."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    file = folder / f"times-{port}.json"
    environment = os.environ | {"DATABASE_URL": url, "CODEJURY_DATA_DIR": str(folder)}
    command = [sys.executable, "-m", "benchmarks._timed_server", str(port), str(file)]
    process = subprocess.Popen(command, env=environment)
    try:
        _wait_until_up(port)
        yield port, file
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(30)


def _wait_until_up(port: int) -> None:
    for _ in range(300):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise SystemExit("The server did not come up.")


def times_of(files: Iterable[Path]) -> dict[str, list[float]]:
    """What the servers measured, by kind of request."""
    found: dict[str, list[float]] = {}
    for file in files:
        for kind, times in json.loads(file.read_text()).items():
            found.setdefault(kind, []).extend(times)
    return found


def _children_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def report(name: str, load: Load, reached: float, times: dict[str, list[float]]) -> None:
    """The rate, the latencies on the server, and failures."""
    print(f"{name}: {reached:.0f} grades/s, {len(load.acknowledged):,} acknowledged", end="")
    print(f", failures {dict(load.failures)}" if load.failures else ", no failure", end="")
    print(f", {load.late} turns over a second late" if load.late else "")
    for kind in ("grade", "next"):
        values = np.array(times.get(kind, [np.nan]))
        p50, p95, p99 = np.percentile(values, [50, 95, 99])
        print(f"  {kind:<6} p50 {p50:6.1f} ms   p95 {p95:6.1f} ms   p99 {p99:6.1f} ms   worst {values.max():6.1f} ms")


def check(database: Database, study: BigStudy, acknowledged: Sequence[str]) -> None:
    """Stop with a message unless each acknowledged grade is stored exactly once, and no item is above its limit."""
    with database.read() as session:
        of_study = select(Item.id).where(Item.study_id == study.study_id)
        stored = Counter(session.scalars(select(GradeEvent.submission_id).where(GradeEvent.item_id.in_(of_study))))
        doubled = [each for each, count in stored.items() if count > 1]
        lost = set(acknowledged) - set(stored)
        grades = session.scalar(select(func.count(Grade.id)).where(Grade.item_id.in_(of_study)))
        most = session.scalar(select(func.max(Item.load)).where(Item.study_id == study.study_id)) or 0
        limit = session.get_one(Study, study.study_id).grades_per_item
    print(
        f"  acknowledged {len(acknowledged):,}, stored {grades:,}, lost {len(lost)}, doubled {len(doubled)}, ", end=""
    )
    print(f"most grades of an item {most} of {limit}")
    if lost or doubled or grades != len(stored):
        raise SystemExit("Grades were lost or doubled.")
    if most > limit:
        raise SystemExit("An item has more grades than its limit.")


def settle_rows(database: Database) -> None:
    """What PostgreSQL does by itself in the minutes after so many new rows: not while the clock runs.

    Not to tables that are empty: it would plan on their staying so.
    """
    filled = ", ".join(renew_statistics(database.engine))
    with database.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text(f"VACUUM {filled}"))
        connection.execute(text("CHECKPOINT"))


def measure(url: str, seconds: float, folder: Path, processes: int) -> None:
    """Fill the database, then the steady load and the full load."""
    migrate.upgrade(url)
    database = Database(url)
    study = fill(database, annotators=PEOPLE)
    if not database.is_sqlite:
        settle_rows(database)
    acknowledged: list[str] = []
    for name, rate, second_tries in (("steady", STEADY, OFTEN), ("full load", None, SELDOM)):
        before = _children_seconds()
        with ExitStack() as stack:
            servers = [stack.enter_context(server(url, folder)) for _ in range(processes)]
            load = Load([port for port, _ in servers], seconds, rate, second_tries)
            reached = load.run(study.people)
        cpu = 1000 * (_children_seconds() - before) / max(1, len(load.acknowledged))
        report(f"{database.engine.dialect.name} {name}", load, reached, times_of(file for _, file in servers))
        print(f"  {cpu:.1f} ms of the server's CPU time for a grade, its start included")
        acknowledged += load.acknowledged
    check(database, study, acknowledged)
    database.dispose()


@contextmanager
def postgres(url: str | None) -> Iterator[str]:
    """An empty database: the given one, or one of a server that keeps its promises, as long as this lasts."""
    if url is not None:
        yield url
        return
    program = programs.POSTGRES.find()
    if program is None:
        raise SystemExit(f"There is no PostgreSQL: {programs.POSTGRES.remedy}.")
    server = PostgresServer(program, DURABLE)
    try:
        yield server.by_socket(server.create_database())
    finally:
        server.stop()


@contextmanager
def measured_folder(options: argparse.Namespace) -> Iterator[Path]:
    """A folder for what the servers share: places on the cores, too, unless they shall roam."""
    with tempfile.TemporaryDirectory() as folder:
        if not options.roam:
            offer_cores(Path(folder), options.processes)
        yield Path(folder)


def main() -> None:
    """SQLite, then PostgreSQL."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--postgres", help="URL of an empty database; without it, one of a server of our own")
    parser.add_argument("--processes", type=int, default=2, help="web processes")
    parser.add_argument("--roam", action="store_true", help="leave it to the system which cores they run on")
    options = parser.parse_args()
    with measured_folder(options) as folder:
        measure(f"sqlite:///{folder}/bench.sqlite3", options.seconds, folder, options.processes)
    with measured_folder(options) as folder, postgres(options.postgres) as url:
        measure(url, options.seconds, folder, options.processes)


if __name__ == "__main__":
    main()
