"""What a sweeper does: which runs it sends and when again, who lives, and the small jobs it calls."""

import subprocess
import sys
from datetime import timedelta

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.clock import utc_now
from app.services.runs import periodic, sweeping, workers
from app.services.runs.processes import process_name
from app.storage.engine import Database
from app.storage.models import AuditEvent, Run
from tests.workers.process import ask


def test_urgent_runs_are_sent_first_and_only_a_few_at_a_time(database: Database) -> None:
    long_ones = [ask(database, "work") for _ in range(10)]
    with database.write() as session:
        assert sweeping.claim_for_publishing(session, "cpu") == long_ones[:4]
    urgent = ask(database, "work", priority=10)
    with database.write() as session:
        assert sweeping.claim_for_publishing(session, "cpu") == []  # the broker holds enough
        sweeping.unpublish(session, long_ones[:2])
        assert sweeping.claim_for_publishing(session, "cpu") == [urgent, long_ones[0]]


def test_room_grows_with_the_workers_and_queues_are_apart(database: Database) -> None:
    gpu = ask(database, "work", queue="gpu")
    cpu = [ask(database, "work") for _ in range(20)]
    with database.write() as session:
        workers.beat(session, process_name(), ["cpu"], 3)
    with database.write() as session:
        assert workers.capacity(session, "cpu") == 3
        assert workers.capacity(session, "gpu") == 0
        assert sweeping.claim_for_publishing(session, "cpu") == cpu[:12]
        assert sweeping.claim_for_publishing(session, "gpu") == [gpu]


def test_a_lost_message_is_sent_again_and_a_fresh_one_is_not(database: Database) -> None:
    run_id = ask(database, "work")
    with database.write() as session:
        assert sweeping.claim_for_publishing(session, "cpu") == [run_id]
        assert sweeping.claim_for_publishing(session, "cpu") == []
        session.get_one(Run, run_id).published_at = utc_now() - sweeping.MESSAGE_LIFE - timedelta(seconds=1)
        session.flush()
        assert sweeping.claim_for_publishing(session, "cpu") == [run_id]
        sweeping.forget_messages(session, ["cpu"])
        assert sweeping.claim_for_publishing(session, "cpu") == [run_id]


def test_a_lost_message_is_sent_again_soon_where_somebody_is_free(database: Database) -> None:
    run_id = ask(database, "work")
    soon = utc_now() - sweeping.MESSAGE_LIFE_IF_FREE - timedelta(seconds=1)
    with database.write() as session:
        session.get_one(Run, run_id).published_at = soon
        session.flush()
        assert sweeping.claim_for_publishing(session, "cpu") == []  # nobody lives who could take it
        workers.beat(session, process_name(), ["cpu"], 1)
        assert sweeping.claim_for_publishing(session, "cpu") == [run_id]
    busy = ask(database, "work")
    with database.write() as session:
        session.get_one(Run, busy).state = "running"
        session.get_one(Run, run_id).published_at = soon
        session.flush()
        assert sweeping.claim_for_publishing(session, "cpu") == []  # it waits for its turn


def test_a_silent_worker_counts_as_gone(database: Database) -> None:
    with database.write() as session:
        workers.beat(session, "another-machine/1:5", ["cpu"], 2)
        workers.beat(session, process_name(), ["cpu"], 1)
    with database.write() as session:
        assert workers.capacity(session, "cpu") == 3
        other = workers.live_workers(session)[0]
        other.seen_at = utc_now() - workers.SILENT_AFTER
        session.flush()
        assert workers.capacity(session, "cpu") == 1
        workers.leave(session, process_name())
        assert workers.live_workers(session) == []


def test_unused_claims_are_among_what_every_sweeper_does() -> None:
    """Registered by its room's import, which a sweeper's process has no other reason for."""
    code = (
        "from app.services.runs.periodic import Timetable; "
        "print(*(f'{job.__module__}.{job.__name__}' for job in Timetable.of_all().due_at))"
    )
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "app.services.assignments.lapse_claims" in printed.split()
    assert "app.services.imports.cleaning.clean_uploads" in printed.split()
    assert "app.services.events.gathering.gather_events" in printed.split()
    assert "app.services.webhooks.queueing.start_sending" in printed.split()
    assert "app.services.idempotency.forget_keys" in printed.split()


def test_periodic_jobs_are_called_in_their_turn_and_one_that_fails_stops_no_other(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(periodic, "_jobs", {})
    monkeypatch.setattr(periodic, "MODULES", ())
    calls: list[str] = []

    @periodic.periodic(every=timedelta(hours=1))
    def fails(session: Session) -> None:
        calls.append("fails")
        raise RuntimeError("a bug")

    @periodic.periodic(every=timedelta(seconds=0))
    def works(session: Session) -> None:
        calls.append("works")
        session.add(AuditEvent(actor="job", action="x", details={}))

    timetable = periodic.Timetable.of_all()
    timetable.call_due(database)
    timetable.call_due(database)
    assert calls == ["fails", "works", "works"]
    with database.read() as session:
        assert len(session.scalars(select(AuditEvent)).all()) == 2
