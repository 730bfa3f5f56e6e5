"""The rules of runs, without a worker: who may claim, write, cancel, take back and send."""

import threading
import time
from datetime import timedelta

import pytest
from sqlalchemy import select
from sqlalchemy.exc import OperationalError

from app.clock import utc_now
from app.config import Settings
from app.errors import Conflict
from app.services.runs import (
    RunCancelled,
    RunContext,
    RunLost,
    cancel,
    ending,
    enqueue,
    execute,
    execute_for_message,
    execution,
    pulse,
    registry,
    retry,
    sweeping,
)
from app.services.runs import context as run_context
from app.services.runs.processes import machine
from app.services.runs.registry import Handler
from app.storage.engine import Database
from app.storage.models import AuditEvent, Run
from tests.workers.process import wait_for


@pytest.fixture(autouse=True)
def own_registries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_handlers", {})


def ask(database: Database, kind: str = "work", **columns: object) -> int:
    with database.write() as session:
        run = enqueue(session, kind, {})
        for name, value in columns.items():
            setattr(run, name, value)
        return run.id


def look(database: Database, run_id: int) -> Run:
    with database.read() as session:
        return session.get_one(Run, run_id)


def claim(database: Database, settings: Settings, run_id: int) -> RunContext:
    claimed = execution._claim(database, settings, run_id)
    assert claimed is not None
    return claimed[0]


def claim_by_message(database: Database, settings: Settings, run_id: int) -> int | None:
    """Which run a worker begins when a message names this one."""
    claimed = execution._claim(database, settings, run_id, urgent_first=True)
    return None if claimed is None else claimed[0].run_id


def message(database: Database, settings: Settings, run_id: int) -> bool:
    return execute_for_message(database, settings, run_id, expendable=False)


def take_over(database: Database, run_id: int) -> None:
    """What happens when a worker was silent for too long: its run is queued again."""
    with database.write() as session:
        assert sweeping.take_back_lost(session, watched(database)) == 1


def watched(database: Database) -> sweeping.Watch:
    """A sweeper's watch that has seen no lease renewed for as long as one lasts."""
    now = [0.0]
    watch = sweeping.Watch(lambda: now[0])
    with database.read() as session:
        assert watch.lapsed(session.scalars(select(Run).where(Run.state == "running")).all()) == []
    now[0] += run_context.LEASE.total_seconds()
    return watch


def register(kind: str, function: Handler) -> None:
    registry.handler(kind)(function)


@pytest.mark.fault("F14")
def test_only_one_of_many_messages_does_the_run(database: Database, settings: Settings) -> None:
    register("work", lambda context: lambda session: session.add(event(context)) or {})
    run_id = ask(database)
    answers: list[bool] = []
    barrier = threading.Barrier(8)

    def receive() -> None:
        barrier.wait()
        answers.append(execute(database, settings, run_id))

    threads = [threading.Thread(target=receive) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answers) == [False] * 7 + [True]
    with database.read() as session:
        assert len(session.scalars(select(AuditEvent)).all()) == 1


def event(context: RunContext) -> AuditEvent:
    return AuditEvent(actor=context.public_id, action="did", details={})


@pytest.mark.fault("F14")
def test_a_late_worker_can_store_nothing(database: Database, settings: Settings) -> None:
    run_id = ask(database)
    late = claim(database, settings, run_id)
    take_over(database, run_id)
    current = claim(database, settings, run_id)
    assert current.fence == late.fence + 1

    with pytest.raises(RunLost), late.write() as session:
        session.add(event(late))
    with pytest.raises(RunLost):
        late.progress(1, 2)
    with pytest.raises(RunLost):
        execution._finish(late, lambda session: session.add(event(late)) or {})
    ending.end_now(late, "failed", message="too late")
    with database.read() as session:
        assert session.scalars(select(AuditEvent)).all() == []
    assert look(database, run_id).state == "running"
    execution._finish(current, lambda _session: {"message": "in time"})
    assert look(database, run_id).message == "in time"


def test_a_lease_that_lapsed_is_taken_back_and_the_third_time_is_the_last(
    database: Database, settings: Settings
) -> None:
    run_id = ask(database)
    for attempt in (1, 2, 3):
        claim(database, settings, run_id)
        take_over(database, run_id)
        assert look(database, run_id).attempt == attempt
    run = look(database, run_id)
    assert (run.state, run.lease_until) == ("failed", None)
    assert "3 times" in run.message
    with database.write() as session:
        retry(session, session.get_one(Run, run_id))
    assert claim(database, settings, run_id).fence == 4


def test_a_living_run_is_left_alone(database: Database, settings: Settings) -> None:
    claim(database, settings, ask(database))
    with database.write() as session:
        assert sweeping.take_back_lost(session, sweeping.Watch()) == 0
        assert sweeping.give_back(session) == 0


def test_a_run_of_a_process_that_is_gone_is_taken_back_before_its_lease_lapses(
    database: Database, settings: Settings
) -> None:
    run_id = ask(database)
    claim(database, settings, run_id)
    with database.write() as session:
        session.get_one(Run, run_id).worker = f"{machine()}:{2**22 + 1}"  # above the largest process number
    with database.write() as session:
        assert sweeping.take_back_lost(session, sweeping.Watch()) == 1
    elsewhere = ask(database)
    claim(database, settings, elsewhere)
    with database.write() as session:
        session.get_one(Run, elsewhere).worker = f"another-machine/1:{2**22 + 1}"
    with database.write() as session:
        assert sweeping.take_back_lost(session, sweeping.Watch()) == 0


def test_a_cancelled_run_that_lost_its_worker_is_cancelled(database: Database, settings: Settings) -> None:
    run_id = ask(database)
    claim(database, settings, run_id)
    with database.write() as session:
        cancel(session, session.get_one(Run, run_id))
    take_over(database, run_id)
    assert look(database, run_id).state == "cancelled"


@pytest.fixture
def quick_pulse(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pulse, "LISTEN_SECONDS", 0.02)
    monkeypatch.setattr(pulse, "PULSE", timedelta(seconds=0.05))


@pytest.mark.usefixtures("quick_pulse")
def test_a_silent_handler_keeps_its_lease(database: Database, settings: Settings) -> None:
    leases: list[object] = []

    def silent(context: RunContext) -> registry.Store:
        for _ in range(2):
            leases.append(look(database, context.run_id).lease_until)
            time.sleep(0.3)
        return lambda _session: {}

    register("work", silent)
    run_id = ask(database)
    assert execute(database, settings, run_id)
    assert leases[0] < leases[1]  # type: ignore[operator]
    assert look(database, run_id).state == "done"


@pytest.mark.usefixtures("quick_pulse")
def test_a_silent_handler_hears_of_cancellation(database: Database, settings: Settings) -> None:
    started = threading.Event()

    def listen(context: RunContext) -> registry.Store:
        started.set()
        for _ in range(500):
            context.check()
            time.sleep(0.01)
        raise AssertionError("nobody cancelled")

    register("work", listen)
    run_id = ask(database)
    thread = threading.Thread(target=execute, args=(database, settings, run_id))
    thread.start()
    started.wait(5)
    with database.write() as session:
        cancel(session, session.get_one(Run, run_id))
    thread.join(10)
    assert look(database, run_id).state == "cancelled"


def test_progress_is_stored_and_refused_after_cancellation(
    database: Database, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_context, "REPORT_EVERY_SECONDS", 0)
    run_id = ask(database)
    context = claim(database, settings, run_id)
    context.progress(3, 10, unit="outputs", message="Scoring")
    run = look(database, run_id)
    assert (run.done, run.total, run.unit, run.message) == (3, 10, "outputs", "Scoring")
    with database.write() as session:
        cancel(session, session.get_one(Run, run_id))
    with pytest.raises(RunCancelled):
        context.progress(4, 10)
    with pytest.raises(RunCancelled), context.write() as session:
        session.add(event(context))
    with database.read() as session:
        assert session.scalars(select(AuditEvent)).all() == []


def test_a_report_for_every_row_reaches_the_database_now_and_then(database: Database, settings: Settings) -> None:
    run_id = ask(database)
    context = claim(database, settings, run_id)
    for done in range(1, 100):
        context.progress(done, 100)
    assert look(database, run_id).done < 99
    context.progress(100, 100)
    assert look(database, run_id).done == 100


def test_what_has_ended_can_be_retried_and_nothing_else(database: Database, settings: Settings) -> None:
    run_id = ask(database)
    with database.write() as session:
        run = session.get_one(Run, run_id)
        with pytest.raises(Conflict):
            retry(session, run)
        cancel(session, run)
        assert run.finished_at
        with pytest.raises(Conflict):
            cancel(session, run)
        retry(session, run)
        assert (run.state, run.finished_at, run.published_at) == ("queued", None, None)


def test_a_run_waits_until_its_time(database: Database, settings: Settings) -> None:
    run_id = ask(database, not_before=utc_now() + timedelta(hours=1))
    assert not execute(database, settings, run_id)
    with database.write() as session:
        assert sweeping.claim_for_publishing(session, "cpu") == []


def test_an_absent_database_is_no_failure_of_the_run(database: Database, settings: Settings) -> None:
    def meet_a_restart(_context: RunContext) -> registry.Store:
        raise OperationalError("SELECT 1", {}, ConnectionError("server closed the connection"))

    register("work", meet_a_restart)
    run_id = ask(database)
    for attempt in (1, 2):
        assert execute(database, settings, run_id)
        run = look(database, run_id)
        assert (run.state, run.attempt) == ("queued", attempt)
        assert run.not_before
        with database.write() as session:
            session.get_one(Run, run_id).not_before = None
    assert execute(database, settings, run_id)
    assert look(database, run_id).state == "failed"


def test_leases_are_judged_by_the_sweeper_s_own_clock(database: Database, settings: Settings) -> None:
    """Of clocks of other machines, or one that was set, nothing is believed."""
    run_id = ask(database)
    context = claim(database, settings, run_id)
    with database.write() as session:
        session.get_one(Run, run_id).lease_until = utc_now() - timedelta(hours=3)
    watch = watched(database)
    with database.write() as session:
        context.hold(session)  # a sign of life
        session.get_one(Run, run_id).lease_until = utc_now() - timedelta(hours=2)
    with database.write() as session:
        assert sweeping.take_back_lost(session, watch) == 0
    with database.write() as session:
        assert sweeping.take_back_lost(session, watched(database)) == 1


def test_a_message_does_the_most_urgent_run(database: Database, settings: Settings) -> None:
    long_one, urgent, most_urgent = ask(database), ask(database, priority=5), ask(database, priority=10)
    elsewhere = ask(database, priority=20, queue="gpu")
    with database.write() as session:
        sweeping.claim_for_publishing(session, "cpu")
    claimed = [claim_by_message(database, settings, long_one) for _ in range(4)]
    assert claimed == [most_urgent, urgent, long_one, None]
    assert look(database, elsewhere).state == "queued"


def test_a_run_whose_message_another_one_used_gets_a_new_one(database: Database, settings: Settings) -> None:
    long_one = ask(database)
    with database.write() as session:
        assert sweeping.claim_for_publishing(session, "cpu") == [long_one]
    urgent = ask(database, priority=10)
    assert claim_by_message(database, settings, long_one) == urgent
    with database.write() as session:
        assert sweeping.claim_for_publishing(session, "cpu") == [long_one]


@pytest.mark.usefixtures("quick_pulse")
def test_a_long_run_gives_way_to_an_urgent_one_and_goes_on(database: Database, settings: Settings) -> None:
    stored: list[int] = []

    def long_one(context: RunContext) -> registry.Store:
        for step in range(len(stored), 4):
            stored.append(step)
            if step == 1:
                ask(database, "urgent", priority=10)
                wait_for(lambda: context.outranked, "the pulse to see who waits")
            context.give_way()
        return lambda _session: {}

    register("work", long_one)
    register("urgent", lambda _context: lambda _session: {})
    run_id = ask(database)
    assert message(database, settings, run_id)
    run = look(database, run_id)
    assert (run.state, run.attempt, run.published_at, run.lease_until) == ("queued", 0, None, None)
    assert "goes first" in run.message
    assert message(database, settings, run_id)  # which does the urgent one
    assert look(database, run_id).state == "queued"
    assert message(database, settings, run_id)
    assert look(database, run_id).state == "done"
    assert stored == [0, 1, 2, 3]


def test_the_rate_counts_what_this_attempt_did(
    database: Database, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_context, "REPORT_EVERY_SECONDS", 0)
    run_id = ask(database)
    claim(database, settings, run_id).progress(10, 100, unit="outputs")
    take_over(database, run_id)
    context = claim(database, settings, run_id)
    assert look(database, run_id).measured_at is None
    context.progress(50, 100, unit="outputs")
    context.progress(60, 100, unit="outputs")
    run = look(database, run_id)
    assert (run.done, run.measured_from) == (60, 50)
    context.progress(1, 5, unit="systems")
    assert look(database, run_id).measured_from == 1


@pytest.mark.fault("F26")
def test_a_failure_that_tells_of_what_no_database_holds_is_a_failure(database: Database, settings: Settings) -> None:
    def fail(_context: RunContext) -> registry.Store:
        raise ValueError("NUL \0 and half a character \ud83d")

    def refuse(_context: RunContext) -> registry.Store:
        raise Conflict("NUL \0")

    register("work", fail)
    register("other", refuse)
    broken, refused = ask(database), ask(database, "other")
    assert execute(database, settings, broken)
    assert execute(database, settings, refused)
    assert look(database, broken).state == "failed"
    assert r"NUL \0 and half a character \ud83d" in (look(database, broken).trace or "")
    assert look(database, refused).message == r"NUL \0"
