"""A real worker on the embedded transport does runs, hears of cancellation, and loses nothing when it is killed."""

import os
import signal

import pytest
from sqlalchemy import select

from app.services.runs import cancel, enqueue
from app.services.runs.workers import live_workers
from app.storage.engine import Database
from app.storage.models import AuditEvent, Run
from tests.workers.conftest import Start
from tests.workers.handlers import stored
from tests.workers.process import ask, children_of, is_alive, run_of, wait_for, wait_for_state

pytestmark = pytest.mark.sqlite_is_enough  # an embedded installation has no other


def executing_process(run: Run) -> int:
    return int((run.worker or "").rpartition(":")[2])


def wait_for_steps(database: Database, run_id: int, count: int) -> Run:
    def look() -> Run | None:
        run = run_of(database, run_id)
        return run if run.done >= count else None

    return wait_for(look, f"{count} steps")


def test_runs_are_done_and_failures_explained(database: Database, start_worker: Start) -> None:
    start_worker()
    echo = ask(database, "test.echo", say="Hello")
    refused, broken, unknown = (
        ask(database, "test.refuse"),
        ask(database, "test.break"),
        ask(database, "test.unknown"),
    )

    done = wait_for_state(database, echo, "done", 5)
    assert (done.message, done.attempt, done.lease_until) == ("Hello", 1, None)
    assert done.finished_at
    failed = wait_for_state(database, refused, "failed")
    assert (failed.message, failed.trace) == ("Two rows are bad.\nrow 2: no output.\nrow 5: no intent.", None)
    failed = wait_for_state(database, broken, "failed")
    assert "ZeroDivisionError" in failed.message
    assert "a bug" in (failed.trace or "")
    assert "test.unknown" in wait_for_state(database, unknown, "failed").message


def test_a_running_run_is_cancelled_within_seconds(database: Database, start_worker: Start) -> None:
    start_worker()
    run_id = ask(database, "test.silent", seconds=60)
    wait_for_state(database, run_id, "running")
    with database.write() as session:
        cancel(session, session.get_one(Run, run_id))
    assert wait_for_state(database, run_id, "cancelled", 5).message.startswith("Cancelled")


@pytest.mark.fault("F12")
def test_a_killed_process_costs_one_attempt_and_no_step(database: Database, start_worker: Start) -> None:
    start_worker()
    run_id = ask(database, "test.steps", total=12, seconds=0.2)
    os.kill(executing_process(wait_for_steps(database, run_id, 2)), signal.SIGKILL)
    run = wait_for_state(database, run_id, "done")
    assert run.attempt == 2
    assert_each_step_once(database, run, 12)


@pytest.mark.fault("F13")
def test_a_killed_worker_costs_one_attempt_and_no_step(database: Database, start_worker: Start) -> None:
    worker = start_worker()
    run_id = ask(database, "test.steps", total=12, seconds=0.2)
    child = executing_process(wait_for_steps(database, run_id, 2))
    worker.kill()
    wait_for(lambda: not is_alive(child), "the child to notice")
    assert run_of(database, run_id).state == "running"
    with database.read() as session:
        assert live_workers(session) == []  # at once, not after its silence has lasted

    start_worker()
    run = wait_for_state(database, run_id, "done")
    assert run.attempt == 2
    assert_each_step_once(database, run, 12)


def assert_each_step_once(database: Database, run: Run, total: int) -> None:
    with database.read() as session:
        actions = session.scalars(select(AuditEvent.action).where(AuditEvent.actor == run.public_id)).all()
    assert sorted(actions) == sorted(f"step {step}" for step in range(total))


@pytest.mark.fault("F13")
def test_waiting_runs_survive_the_death_of_everything(database: Database, start_worker: Start) -> None:
    worker = start_worker()
    long_ones = [ask(database, "test.steps", total=10, seconds=0.3) for _ in range(2)]
    waiting = [ask(database, "test.echo") for _ in range(20)]
    for run_id in long_ones:
        wait_for_steps(database, run_id, 1)
    for pid in worker.family():
        os.kill(pid, signal.SIGKILL)
    assert all(run_of(database, run_id).state == "queued" for run_id in waiting)

    start_worker()
    for run_id in long_ones + waiting:
        run = wait_for_state(database, run_id, "done")
        with database.read() as session:
            assert stored(session, run.public_id) == run.payload.get("total", 1)


@pytest.mark.fault("F12")
def test_a_run_that_kills_its_process_fails_after_three_attempts(database: Database, start_worker: Start) -> None:
    worker = start_worker()
    with database.write() as session:
        run_id = enqueue(session, "test.crash", {}).id
        session.get_one(Run, run_id).attempt = 2  # two crashes behind it: Celery needs 10 s to free a slot
    run = wait_for_state(database, run_id, "failed", 30)
    assert run.attempt == 3
    assert "3 times" in run.message
    wait_for_state(database, ask(database, "test.echo"), "done")  # the worker itself goes on
    assert is_alive(worker.process.pid)


def test_a_polite_stop_puts_runs_back_without_counting(database: Database, start_worker: Start) -> None:
    worker = start_worker()
    run_id = ask(database, "test.steps", total=500, seconds=0.2)
    wait_for_steps(database, run_id, 1)
    children = children_of(worker.process.pid)
    worker.stop()
    assert worker.process.returncode == 0
    assert not any(is_alive(pid) for pid in children)
    run = run_of(database, run_id)
    assert (run.state, run.attempt, run.published_at, run.lease_until) == ("queued", 0, None, None)
    with database.read() as session:
        assert live_workers(session) == []
