"""From start to ready, in seconds of wall time: the median of several starts of each kind of installation.

python -m benchmarks.start [--starts 5] [--only new|again|team]

new: ``codejury serve`` on a folder that is not there yet, which makes the schema and the demo study. again: the same
on what is there. team: ``codejury web --processes 2`` and a worker beside it, on PostgreSQL and Redis. Ready is what
/ready says: database, migrations, broker, and a worker that was heard of. The pages answer before that, and stand in
brackets. The goal is 5 s.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from app.storage import migrate
from benchmarks.queued_runs import family_of
from tests.services import programs
from tests.services.postgres import DURABLE, PostgresServer
from tests.services.redis_server import RedisServer

GOAL_SECONDS = 5.0
PATIENCE_SECONDS = 120
LOOK_SECONDS = 0.02

Measured = tuple[float, float]  # seconds until the pages answer, and until all is ready


def main() -> None:
    """Every kind of start."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--starts", type=int, default=5)
    parser.add_argument("--only", choices=list(KINDS))
    words = parser.parse_args()
    for name, make in KINDS.items():
        if words.only in (None, name):
            with make() as start:
                print(f"{name}: {in_words([start() for _ in range(words.starts)])}", flush=True)


def in_words(times: list[Measured]) -> str:
    """The medians, and every start."""
    pages, ready = (statistics.median(each) for each in zip(*times, strict=True))
    verdict = "within" if ready <= GOAL_SECONDS else "NOT within"
    every = ", ".join(f"{seconds:.1f}" for _, seconds in times)
    return f"ready after {ready:.2f} s (pages after {pages:.2f} s), {verdict} {GOAL_SECONDS:.0f} s; starts: {every}"


@contextmanager
def new_folder() -> Iterator[Callable[[], Measured]]:
    """One machine, for the first time."""

    def start() -> Measured:
        with tempfile.TemporaryDirectory() as folder:
            return measure([["serve"]], {"CODEJURY_DATA_DIR": folder})

    yield start


@contextmanager
def known_folder() -> Iterator[Callable[[], Measured]]:
    """One machine, any other day."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {"CODEJURY_DATA_DIR": folder}
        measure([["serve"]], environment)
        yield lambda: measure([["serve"]], environment)


@contextmanager
def a_team() -> Iterator[Callable[[], Measured]]:
    """Web processes and a worker of their own."""
    postgres, broker = programs.POSTGRES.find(), programs.REDIS.find()
    assert postgres, programs.POSTGRES.remedy
    assert broker, programs.REDIS.remedy
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        database, redis = PostgresServer(postgres, DURABLE), RedisServer(broker)
        stack.callback(database.stop)
        stack.callback(redis.remove)
        environment = {
            "DATABASE_URL": database.create_database(),
            "BROKER_URL": redis.url,
            "CODEJURY_DATA_DIR": folder,
        }
        migrate.upgrade(environment["DATABASE_URL"])
        yield lambda: measure([["web", "--processes", "2"], ["worker"]], environment)


KINDS = {"new": new_folder, "again": known_folder, "team": a_team}


def measure(commands: list[list[str]], environment: dict[str, str]) -> Measured:
    """Start these, wait for them, and stop them in order."""
    known = {**os.environ, "PORT": "0", "PYTHONUNBUFFERED": "1", **environment}
    began = time.perf_counter()
    processes = [
        subprocess.Popen(
            [sys.executable, "-m", "app.cli", *words], env=known, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        for words in commands
    ]
    try:
        assert processes[0].stdout
        address = processes[0].stdout.readline().decode().split()[-1]
        pages = time.perf_counter() - began
        wait_until_ready(address)
        return pages, time.perf_counter() - began
    finally:
        for process in processes:
            stop(process)


def wait_until_ready(address: str) -> None:
    """Until /ready says so."""
    end = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < end:
        try:
            with urllib.request.urlopen(f"{address}/ready", timeout=PATIENCE_SECONDS):
                return
        except urllib.error.HTTPError:
            time.sleep(LOOK_SECONDS)
    raise SystemExit(f"{address} was not ready after {PATIENCE_SECONDS} s.")


def stop(process: "subprocess.Popen[bytes]") -> None:
    """End it in order, so that its worker says goodbye: a worker that did not would be taken for a living one."""
    family = family_of(process.pid)
    process.terminate()
    process.communicate(timeout=PATIENCE_SECONDS)
    while any(Path(f"/proc/{pid}").exists() for pid in family):
        time.sleep(LOOK_SECONDS)


if __name__ == "__main__":
    main()
