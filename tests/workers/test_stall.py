"""A pool that begins nothing any more is noticed, and the worker gives way to a new one."""

import os
import signal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.services.runs import sweeping
from app.storage.engine import Database
from app.storage.models import Run
from tests.workers.conftest import Start
from tests.workers.process import ask, children_of, wait_for, wait_for_state
from workers.stall import STUCK_SECONDS, Stall

pytestmark = pytest.mark.sqlite_is_enough  # an embedded installation has no other


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def looks(stall: Stall, clock: Clock, seconds: float, unheard: list[tuple[int, int]], step: float = 0.5) -> bool:
    is_stuck = False
    for _ in range(round(seconds / step)):
        clock.now += step
        is_stuck = stall.is_stuck(unheard)
    return is_stuck


def test_the_same_run_must_wait_all_the_time() -> None:
    clock = Clock()
    stall = Stall(clock)
    assert not looks(stall, clock, STUCK_SECONDS - 1, [(1, 0), (2, 0)])
    assert not looks(stall, clock, STUCK_SECONDS - 1, [(2, 1), (3, 0)]), "a further attempt is a new one"
    assert not looks(stall, clock, 1, []), "something is being done"
    assert not looks(stall, clock, STUCK_SECONDS, [(3, 0)])
    assert looks(stall, clock, 1, [(3, 0), (4, 0)])


@given(st.lists(st.floats(2, 3600), max_size=20))
def test_a_process_that_was_frozen_itself_has_seen_nothing(gaps: list[float]) -> None:
    clock = Clock()
    stall = Stall(clock)
    for gap in gaps:
        clock.now += gap
        assert not stall.is_stuck([(1, 0)])


def test_what_waits_while_nothing_is_done(database: Database) -> None:
    first, second = ask(database, "test.echo"), ask(database, "test.echo")
    with database.write() as session:
        assert sweeping.unheard(session, ["cpu"]) == [], "neither was sent"
        sweeping.claim_for_publishing(session, "cpu")
        sent = [run_id for run_id, _ in sweeping.unheard(session, ["cpu", "gpu"])]
        assert set(sent) <= {first, second}
        assert sent
        assert sweeping.unheard(session, ["gpu"]) == []
        session.get_one(Run, first).state = "running"
        session.flush()
        assert sweeping.unheard(session, ["cpu"]) == []


@pytest.mark.fault("F12")
def test_processes_that_are_killed_while_they_wait_are_missed(database: Database, start_worker: Start) -> None:
    """They hold the lock on where messages come from, so that those that follow them wait for ever."""
    worker = start_worker()
    wait_for_state(database, ask(database, "test.echo"), "done")  # the pool stands
    for child in children_of(worker.process.pid):
        os.kill(child, signal.SIGKILL)
    run_id = ask(database, "test.echo")
    wait_for(lambda: worker.process.poll() is not None, "the worker to give way", STUCK_SECONDS + 30)
    assert worker.process.returncode == 1
    start_worker()
    assert wait_for_state(database, run_id, "done").attempt == 1
