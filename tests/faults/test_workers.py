"""Workers that are killed, frozen, overtaken or stopped: each run ends, and what it stores is there once."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.services.runs import cancel, execute
from app.storage.engine import Database
from app.storage.models import Run
from tests.conftest import SharedDatabase
from tests.faults.runs_helpers import Installation
from tests.services.reused import ReusedDatabase
from tests.workers.process import ask, children_of, is_alive, run_of, wait_for, wait_for_state
from workers.celery_app import make_celery
from workers.main import TASK


@pytest.fixture
def installation(database: Database, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Installation]:
    """One machine with SQLite, or a team with PostgreSQL and Redis."""
    broker = None if database.is_sqlite else request.getfixturevalue("redis_url")
    installation = Installation(database, tmp_path, broker)
    yield installation
    installation.end()


@pytest.fixture
def team(
    shared_postgres: SharedDatabase, reused_postgres: ReusedDatabase, redis_url: str, tmp_path: Path
) -> Iterator[Installation]:
    """Several machines; with SQLite there is only one."""
    reused_postgres.renew()
    shared_postgres.follow(reused_postgres)
    installation = Installation(shared_postgres, tmp_path, redis_url)
    yield installation
    installation.end()


def executing_process(run: Run) -> int:
    return int((run.worker or "").rpartition(":")[2])


@pytest.mark.fault("F12")
def test_a_child_that_is_killed_anywhere_costs_an_attempt_and_no_result(installation: Installation) -> None:
    """In the middle of a file, between the result and its commit, and between the commit and the broker's hearing."""
    installation.start_worker("--concurrency", "4")
    points = ("mid_file", "before_commit", "after_commit")
    runs = {point: ask(installation.database, "test.file", die=point) for point in points}
    steps = ask(installation.database, "test.steps", total=6, seconds=0.3)
    wait_for(lambda: run_of(installation.database, steps).done >= 2, "two steps")
    os.kill(executing_process(run_of(installation.database, steps)), signal.SIGKILL)
    installation.wait_until_over()
    attempts = {point: run_of(installation.database, run_id).attempt for point, run_id in runs.items()}
    assert attempts == {"mid_file": 2, "before_commit": 2, "after_commit": 1}
    assert run_of(installation.database, steps).attempt == 2
    installation.check()


@pytest.mark.fault("F12")
def test_a_run_that_kills_its_process_each_time_fails_and_says_why(installation: Installation) -> None:
    worker = installation.start_worker()
    run_id = ask(installation.database, "test.crash")
    run = wait_for_state(installation.database, run_id, "failed", 120)
    assert run.attempt == 3
    assert "3 times" in run.message
    assert is_alive(worker.process.pid)
    installation.check(states=["failed"])


@pytest.mark.fault("F13")
def test_a_worker_that_is_killed_loses_nothing(installation: Installation) -> None:
    worker = installation.start_worker()
    steps = [ask(installation.database, "test.steps", total=8, seconds=0.3) for _ in range(2)]
    waiting = [ask(installation.database, "test.file") for _ in range(6)]
    for run_id in steps:
        wait_for(lambda run_id=run_id: run_of(installation.database, run_id).done >= 1, "a step")
    worker.process.kill()  # the main process alone: its children must notice by themselves
    for pid in worker.family()[1:]:
        wait_for(lambda pid=pid: not is_alive(pid), "the children to end")
    installation.start_worker()
    installation.wait_until_over()
    assert [run_of(installation.database, run_id).attempt for run_id in (*steps, *waiting)] == [2] * 2 + [1] * 6
    installation.check()


@pytest.mark.fault("F13", "F14")
def test_a_frozen_machine_that_wakes_up_stores_nothing_of_what_it_lost(team: Installation) -> None:
    frozen = team.start_worker()
    late = [ask(team.database, "test.file", seconds=4) for _ in range(2)]
    for run_id in late:
        wait_for_state(team.database, run_id, "running")
    family = frozen.family()
    for pid in family:
        os.kill(pid, signal.SIGSTOP)
    try:
        assert team.take_back_as_after_a_lease() == 2
        team.start_worker()
        for run_id in late:
            run = wait_for_state(team.database, run_id, "done")
            assert (run.attempt, run.fence) == (2, 2)
    finally:
        for pid in family:
            os.kill(pid, signal.SIGCONT)
    output = frozen.stop()  # which lets what goes on come to its end
    assert output.count("run_lost") == 2
    team.check()
    assert [run_of(team.database, run_id).fence for run_id in late] == [2, 2]


@pytest.mark.fault("F14")
def test_a_message_that_comes_again_and_again_does_no_run_twice(
    installation: Installation, database: Database
) -> None:
    """Redis sends again what was not acknowledged in time; so do sweepers, and people with a shell."""
    if database.is_sqlite:
        installation.start_worker()
        run_id = ask(database, "test.file", seconds=1)
        wait_for_state(database, run_id, "running")
        assert not execute(database, installation.settings, run_id)
    else:
        celery = make_celery(installation.settings)
        installation.start_worker("--concurrency", "4")
        run_id = ask(database, "test.file", seconds=2)
        wait_for_state(database, run_id, "running")
        for _ in range(20):
            celery.send_task(TASK, args=[run_id], queue="cpu")
        celery.close()
        wait_for_state(database, run_id, "done")
        wait_for_state(database, ask(database, "test.echo"), "done")  # behind all of them
    installation.wait_until_over()
    run = run_of(database, run_id)
    assert (run.attempt, run.fence) == (1, 1)
    installation.check()


@pytest.mark.fault("F40")
def test_a_worker_that_is_stopped_hands_its_runs_to_the_next(installation: Installation) -> None:
    worker = installation.start_worker()
    steps = ask(installation.database, "test.steps", total=300, seconds=0.2)
    deaf = ask(installation.database, "test.deaf", seconds=300)
    wait_for(lambda: run_of(installation.database, steps).done >= 2, "two steps")
    wait_for_state(installation.database, deaf, "running")
    worker.process.send_signal(signal.SIGTERM)
    worker.process.communicate(timeout=60)
    assert worker.process.returncode == 0
    runs = [run_of(installation.database, run_id) for run_id in (steps, deaf)]
    assert [(run.state, run.attempt) for run in runs] == [("queued", 0)] * 2
    installation.start_worker()
    wait_for(lambda: run_of(installation.database, steps).done > runs[0].done, "the next worker to go on")
    stop(installation, steps, deaf)
    installation.check(states=["cancelled"])


def stop(installation: Installation, *runs: int) -> None:
    """Cancel them, and wait until they are over."""
    with installation.database.write() as session:
        for run_id in runs:
            cancel(session, session.get_one(Run, run_id))
    installation.wait_until_over(30)


def test_a_run_that_listens_to_nobody_is_cancelled_within_seconds_all_the_same(installation: Installation) -> None:
    worker = installation.start_worker()
    deaf = ask(installation.database, "test.deaf", seconds=300)
    process = executing_process(wait_for_state(installation.database, deaf, "running"))
    with installation.database.write() as session:
        cancel(session, session.get_one(Run, deaf))
    run = wait_for_state(installation.database, deaf, "cancelled", 15)
    assert run.message == "Cancelled. What was stored before stays."
    wait_for(lambda: not is_alive(process), "its process to end")
    wait_for_state(installation.database, ask(installation.database, "test.echo"), "done")
    assert is_alive(worker.process.pid)
    assert children_of(worker.process.pid)
