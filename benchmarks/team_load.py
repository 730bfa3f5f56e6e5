"""A team's installation for ten minutes: 100 annotators grade, from the middle on beside analyses.

python -m benchmarks.team_load [--seconds 600] [--think 4]

PostgreSQL, Redis, two web processes and one worker, each started by its own command, and the browsers, all on this
machine. Goals on two cores: no error, no grade lost or doubled, p95 under 100 ms as a browser measures it, and under
150 ms while an analysis is going; memory flat after a warm-up of a tenth of the time.
"""

import argparse
import os
import random
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from sqlalchemy import select

from app.services.analysis import AnalysisParameters, request_analysis
from app.services.demo.study import make_demo
from app.storage import migrate
from app.storage.engine import Database
from app.storage.models import Run, Study
from benchmarks._big_study import OUTPUTS, fill
from benchmarks._browsers import Connection, Page
from benchmarks.grading_load import check, settle_rows
from benchmarks.queued_runs import family_of
from tests.services import programs
from tests.services.postgres import DURABLE, PostgresServer
from tests.services.redis_server import RedisServer

PEOPLE = 100
WARM_UP = 0.1
DRAWS = 20_000


@dataclass
class Office:
    """The annotators. ``times``: when a grade was sent, seconds from the start, and how long its answer took."""

    port: int
    seconds: float
    think: float  # seconds between two grades of one person, in the mean
    acknowledged: list[str] = field(default_factory=list)
    failures: Counter[str] = field(default_factory=Counter)
    times: list[tuple[float, float]] = field(default_factory=list)
    start: float = field(default_factory=time.perf_counter)

    def now(self) -> float:
        """Seconds since the start."""
        return time.perf_counter() - self.start

    def work(self, cookies: list[str]) -> None:
        """Everybody grades, at a pace of their own, until the time is over."""
        people = [threading.Thread(target=self._sit, args=(cookie,)) for cookie in cookies]
        for each in people:
            each.start()
        for each in people:
            each.join()

    def _sit(self, cookie: str) -> None:
        page, connection = Page(cookie, self.acknowledged, self.failures), Connection(self.port)
        while True:
            time.sleep(random.uniform(0.5, 1.5) * self.think)
            if self.now() > self.seconds:
                return
            sent = self.now()
            page.grade_one(connection)
            self.times.append((sent, self.now() - sent))


@dataclass
class Analyses:
    """One analysis after the other, from the middle on. ``spans``: from when until when each was going."""

    database: Database
    office: Office
    spans: list[tuple[float, float]] = field(default_factory=list)

    def compute(self) -> None:
        """Ask, wait until it is done, ask again."""
        time.sleep(self.office.seconds / 2)
        while self.office.now() < self.office.seconds:
            began = self.office.now()
            self._one(seed=len(self.spans))
            self.spans.append((began, self.office.now()))

    def _one(self, seed: int) -> None:
        with self.database.write() as session:
            study = session.scalars(select(Study).where(Study.slug == "demo")).one()
            run_id = request_analysis(session, study, AnalysisParameters(draws=DRAWS, seed=seed)).id
        state = "queued"
        while state in ("queued", "running"):
            time.sleep(0.2)
            with self.database.read() as session:
                state = session.scalars(select(Run.state).where(Run.id == run_id)).one()
        if state != "done":
            raise SystemExit(f"An analysis ended as {state}.")


def memory_of(pid: int) -> float:
    """MiB that a process and all below it hold; what they share is counted once (proportional set size)."""
    sizes = [Path(f"/proc/{each}/smaps_rollup").read_text() for each in family_of(pid)]
    return sum(int(found[1]) for text in sizes if (found := re.search(r"^Pss:\s+(\d+)", text, re.MULTILINE))) / 1024


@contextmanager
def command(environment: dict[str, str], *words: str) -> Iterator[subprocess.Popen[str]]:
    """``codejury`` with these words, until the block ends."""
    process = subprocess.Popen(
        [sys.executable, "-m", "app.cli", *words],
        env=os.environ | environment,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield process
    finally:
        process.terminate()
        process.wait(60)


@contextmanager
def services() -> Iterator[tuple[str, str]]:
    """Addresses of an empty database and of a broker."""
    postgres, broker = programs.POSTGRES.find(), programs.REDIS.find()
    if postgres is None or broker is None:
        raise SystemExit(f"{programs.POSTGRES.remedy}; {programs.REDIS.remedy}.")
    database, redis = PostgresServer(postgres, DURABLE), RedisServer(broker)
    try:
        yield database.create_database(), redis.url
    finally:
        redis.remove()
        database.stop()


def measure(url: str, broker: str, folder: str, seconds: float, think: float) -> None:
    """Fill the database, start the services, let people grade, and say how it went."""
    migrate.upgrade(url)
    database = Database(url)
    plenty = 4 * PEOPLE * seconds / think  # so that nobody takes an item from anybody
    study = fill(database, annotators=PEOPLE, problems=int(plenty / OUTPUTS))
    with database.write() as session:
        make_demo(session)
    settle_rows(database)
    environment = {"DATABASE_URL": url, "BROKER_URL": broker, "CODEJURY_DATA_DIR": folder, "PORT": "0"}
    with command(environment, "worker", "--concurrency", "1"), command(environment, "web", "--processes", "2") as web:
        office = Office(_port_of(web), seconds, think)
        analyses, sizes = Analyses(database, office), [memory_of(web.pid)]
        beside = [
            threading.Thread(target=each, daemon=True)
            for each in (analyses.compute, lambda: _watch(office, web.pid, sizes))
        ]
        for each in beside:
            each.start()
        office.work([cookie for _, cookie in study.people])
        beside[0].join()
    report(office, analyses, sizes)
    check(database, study, office.acknowledged)
    database.dispose()
    if office.failures:
        raise SystemExit("Somebody was refused.")


def _port_of(web: subprocess.Popen[str]) -> int:
    assert web.stdout
    line = web.stdout.readline()
    found = re.search(r"http://\S+:(\d+)", line)
    if found is None:
        raise SystemExit(f"The web processes did not start: {line}")
    return int(found[1])


def _watch(office: Office, pid: int, sizes: list[float]) -> None:
    while office.now() < office.seconds:
        time.sleep(office.seconds * WARM_UP / 2)
        sizes.append(memory_of(pid))


def report(office: Office, analyses: Analyses, sizes: list[float]) -> None:
    """The latencies without and with an analysis beside, failures, and memory."""
    warm = [(sent, took) for sent, took in office.times if sent > office.seconds * WARM_UP]
    beside = [took for sent, took in warm if any(a <= sent <= b for a, b in analyses.spans)]
    alone = [took for sent, took in warm if sent < office.seconds / 2]
    failures = f"failures {dict(office.failures)}" if office.failures else "no failure"
    print(f"{len(office.times) / office.seconds:.1f} grades/s, {len(office.acknowledged):,} acknowledged, {failures}")
    for name, took in (("alone", alone), (f"beside {len(analyses.spans)} analyses", beside)):
        p50, p95, p99 = 1000 * np.percentile(np.array(took), [50, 95, 99])
        print(f"  {name:<20} p50 {p50:6.1f} ms   p95 {p95:6.1f} ms   p99 {p99:6.1f} ms   ({len(took):,} grades)")
    print(f"  memory of the web processes, MiB: {' '.join(f'{size:.0f}' for size in sizes)}")


def main() -> None:
    """One installation."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--think", type=float, default=4)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, services() as (url, broker):
        measure(url, broker, folder, options.seconds, options.think)


if __name__ == "__main__":
    main()
