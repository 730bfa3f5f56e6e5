"""Events of a study: told once, in one order, and again from wherever a listener left off."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from fastapi import FastAPI
from httpx2 import Response
from sqlalchemy import func, select, update

from app.clock import utc_now
from app.services import study_settings
from app.services.events import gathering
from app.services.events.gathering import forget_events, gather_events
from app.services.runs import enqueue
from app.services.studies import find_study
from app.storage.engine import Database
from app.storage.models import Annotator, Item, Question, Run, StudyEvent
from app.web.api.events import EventStreams
from tests.api.conftest import Program
from tests.factories import add_grade
from tests.security.world import World

HERE = "/api/v1/studies/here/events"


def _gather(database: Database, seconds: float = 0) -> int:
    with time_machine.travel(utc_now() + timedelta(seconds=seconds)), database.write() as session:
        return gather_events(session)


def _end_run(database: Database, state: str = "done") -> str:
    with database.write() as session:
        run = enqueue(session, "analysis", {}, study_id=find_study(session, "here").id)
        run.state, run.finished_at = state, utc_now()
        return run.public_id


def _events(answer: Response) -> list[tuple[int, str, dict[str, Any]]]:
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"].startswith("text/event-stream")
    found = []
    for block in answer.text.split("\n\n"):
        lines = dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith(":"))
        if "data" in lines:
            found.append((int(lines["id"]), lines["event"], json.loads(lines["data"])))
    return found


def test_a_run_that_ends_is_told_once_and_again_when_it_ends_again(database: Database, program: Program) -> None:
    client = program("researcher")
    _gather(database)
    ended = _end_run(database, "failed")
    for _ in range(3):
        _gather(database)
    [(first, kind, data)] = _events(client.get(HERE, params={"after": 0}))
    assert (kind, data["run"], data["state"]) == ("run.finished", ended, "failed")
    with database.write() as session:
        values = {"state": "done", "finished_at": utc_now()}
        session.execute(update(Run).where(Run.public_id == ended).values(values))
    _gather(database)
    [(_, _, again)] = _events(client.get(HERE, headers={"Last-Event-ID": str(first)}))
    assert (again["run"], again["state"]) == (ended, "done")


def test_without_a_number_only_what_comes_is_told(database: Database, program: Program) -> None:
    _gather(database)
    _end_run(database)
    _gather(database)
    assert _events(program("researcher").get(HERE)) == []


def test_what_was_before_anybody_listened_is_not_told(world: World, database: Database, program: Program) -> None:
    _end_run(database)  # and the world has grades already
    _gather(database)
    _gather(database, 60)
    assert [kind for _, kind, _ in _events(program("researcher").get(HERE, params={"after": 0}))] == []


def test_grades_are_told_together_and_the_target_once(world: World, database: Database, program: Program) -> None:
    _gather(database)
    with database.write() as session:
        study = find_study(session, "here")
        study.grades_per_item = 1
        question = session.scalars(select(Question.id).where(Question.study_id == study.id)).one()
        person = Annotator(study_id=study.id, pseudonym="A77", order_seed=1)
        session.add(person)
        session.flush()
        items = session.scalars(select(Item.id).where(Item.study_id == study.id, Item.role == "main")).all()
        for item in items:
            add_grade(session, person, item, question, 3.0)
    assert _gather(database, 1) == 0  # too early: others may still be on their way
    _gather(database, 60)
    _gather(database, 120)
    told = _events(program("researcher").get(HERE, params={"after": 0}))
    assert [(kind, data.get("new")) for _, kind, data in told] == [
        ("grades.added", len(items)),
        ("study.target_met", None),
    ]
    assert told[1][2]["held"] == told[1][2]["wanted"] == len(items)


def test_a_change_of_state_is_told(database: Database, program: Program) -> None:
    _gather(database)
    with database.write() as session:
        study_settings.change_state(session, "user:1", study_settings.lock(session, "here"), "paused")
    _gather(database, 10)
    [(_, kind, data)] = _events(program("researcher").get(HERE, params={"after": 0}))
    assert (kind, data["before"], data["after"]) == ("study.state_changed", "open", "paused")
    assert _events(program("researcher").get("/api/v1/studies/elsewhere/events", params={"after": 0})) == []


def test_many_runs_that_end_at_once_are_all_told(
    world: World, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gathering, "AT_ONCE", 3)
    _gather(database)
    ended = {_end_run(database) for _ in range(8)}
    for _ in range(4):
        _gather(database)
    with database.read() as session:
        told = [each.data["run"] for each in session.scalars(select(StudyEvent).order_by(StudyEvent.id))]
    assert sorted(told) == sorted(ended)


def test_two_that_gather_at_once_tell_nothing_twice(world: World, database: Database) -> None:
    _gather(database)
    for _ in range(5):
        _end_run(database)
    threads = [threading.Thread(target=_gather, args=(database,)) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    _gather(database)
    with database.read() as session:
        assert session.scalar(select(func.count()).select_from(StudyEvent)) == 5


def test_old_events_go(world: World, database: Database) -> None:
    _gather(database)
    _end_run(database)
    _gather(database)
    for days, left in ((29, 1), (31, 0)):
        with time_machine.travel(utc_now() + timedelta(days=days)), database.write() as session:
            forget_events(session)
        with database.read() as session:
            assert session.scalar(select(func.count()).select_from(StudyEvent)) == left


@contextmanager
def _streams(app: FastAPI, streams: EventStreams) -> Iterator[EventStreams]:
    app.state.event_streams = streams
    yield streams
    assert streams.open == 0


def test_a_stream_that_is_open_hears_what_comes(app: FastAPI, database: Database, program: Program) -> None:
    _gather(database)
    client = program("researcher")
    with _streams(app, EventStreams(seconds=2.5)):
        later = threading.Timer(0.5, lambda: (_end_run(database), _gather(database)))
        later.start()
        told = _events(client.get(HERE))
        later.join()
    assert [kind for _, kind, _ in told] == ["run.finished"]


@pytest.mark.sqlite_is_enough
def test_so_many_at_the_most(app: FastAPI, program: Program) -> None:
    client = program("researcher")
    with _streams(app, EventStreams(most=1, seconds=0)) as streams:
        streams.open = 1
        refused = client.get(HERE)
        assert refused.status_code == 503
        assert refused.headers["content-type"] == "application/problem+json"
        assert int(refused.headers["retry-after"]) > 0
        streams.open = 0
        assert client.get(HERE).status_code == 200


@pytest.mark.sqlite_is_enough
def test_a_number_that_is_none(program: Program) -> None:
    client = program("researcher")
    for wrong in ("x", "-1", "9999999999", "1e3", "²"):
        answer = client.get(HERE, headers={"Last-Event-ID": wrong.encode()})
        assert answer.status_code == 422, wrong
    assert client.head(HERE).status_code == 200
