"""Web, worker and broker killed at the same moment, with many runs waiting: all of them end, each with one result."""

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import func, select

from app.services import scoring
from app.services.runs import enqueue
from app.storage import migrate
from app.storage.engine import Database
from app.storage.models import MetricScore, Study
from tests.factories import make_study
from tests.faults.runs_helpers import Installation
from tests.services.redis_server import RedisServer
from tests.workers.process import Launched, ask, is_alive, run_of, wait_for, wait_for_state

PROBLEMS = 40


def ask_for_everything(database: Database) -> tuple[list[int], int]:
    """Two long runs that go on, sixty that wait; and the scoring of a study, which is the last one."""
    with database.write() as session:
        study = make_study(session, problems=PROBLEMS, systems=3)
    steps = [ask(database, "test.steps", total=12, seconds=0.2) for _ in range(2)]
    for _ in range(30):
        ask(database, "test.echo")
        ask(database, "test.file")
    with database.write() as session:
        run = scoring.request_scoring(session, session.get_one(Study, study.id), names=["chrf", "bleu"])
        return steps, run.id


def kill(*processes: Launched) -> None:
    """All of them and whatever they started, without a word, as when the machine goes."""
    family = [pid for each in processes for pid in each.family()]
    for pid in family:
        os.kill(pid, signal.SIGKILL)
    for pid in family:
        wait_for(lambda pid=pid: not is_alive(pid), "the end of everything")


def check(installation: Installation, steps: list[int], scored: int) -> None:
    installation.wait_until_over(240)
    installation.check()
    assert [run_of(installation.database, run_id).attempt for run_id in steps] == [2, 2]
    with installation.database.read() as session:
        assert session.scalar(select(func.count()).select_from(MetricScore)) == PROBLEMS * 3 * 2
    assert run_of(installation.database, scored).result == {
        "scores": PROBLEMS * 3 * 2,
        "message": f"{PROBLEMS * 3 * 2} scores by 2 metrics are stored.",
    }


@pytest.mark.fault("F12", "F13")
@pytest.mark.sqlite_is_enough
def test_one_machine(database: Database, tmp_path: Path) -> None:
    """The server beside it holds nothing that could be lost; benchmarks/queued_runs.py kills it as well."""
    installation = Installation(database, tmp_path)
    try:
        steps, scored = ask_for_everything(database)
        worker = installation.start_worker()
        for run_id in steps:
            wait_for(lambda run_id=run_id: run_of(database, run_id).done >= 2, "two steps")
        kill(worker)
        installation.start_worker()
        check(installation, steps, scored)
    finally:
        installation.end()


@pytest.mark.fault("F12", "F13", "F16")
def test_a_team(new_postgres_url: Callable[[], str], redis_server: RedisServer, tmp_path: Path) -> None:
    url = new_postgres_url()
    migrate.upgrade(url)
    database = Database(url)
    installation = Installation(database, tmp_path, redis_server.url)
    try:
        steps, scored = ask_for_everything(database)
        web = Launched("serve", **installation.environment, PORT="0")
        installation.workers.append(web)
        worker = installation.start_worker()
        for run_id in steps:
            wait_for(lambda run_id=run_id: run_of(database, run_id).done >= 2, "two steps")
        kill(web, worker)
        redis_server.kill()
        redis_server.start()
        installation.start_worker()
        check(installation, steps, scored)
        with database.write() as session:
            last = enqueue(session, "test.echo", {}, priority=10).id
        wait_for_state(database, last, "done")
    finally:
        installation.end()
        database.dispose()
