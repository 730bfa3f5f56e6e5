"""/ready says by name what is away, tells nothing else, and never keeps anybody waiting."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import text

from app.clock import utc_now
from app.config import Settings
from app.main import create_app
from app.services.runs import workers
from app.services.status import probes
from app.services.status.probes import Probe
from app.services.status.readiness import Readiness
from app.storage.engine import Database
from app.storage.models import Worker
from tests.services.redis_server import RedisServer

GOOD = {"database": "good", "migrations": "good", "worker": "good"}
LONGEST = 2 * probes.PATIENCE_SECONDS + 3  # two things that keep silent, on a slow machine


def heard_of(database: Database, trouble: str = "", **times: object) -> None:
    """A worker of another machine says that it lives."""
    with database.write() as session:
        workers.beat(session, "elsewhere/boot/ns:7", ["cpu"], 2, trouble)


def asked(settings: Settings, database: Database) -> tuple[int, dict[str, str], float]:
    """The answer of an app made just now, and the seconds that it took."""
    with TestClient(create_app(settings, database), base_url="http://localhost") as client:
        began = time.monotonic()
        answer = client.get("/ready")
        took = time.monotonic() - began
    body = answer.json()
    assert body["status"] == ("ready" if answer.status_code == 200 else "not ready")
    return answer.status_code, body["checks"], took


@contextmanager
def silent_server() -> Iterator[int]:
    """A port where somebody listens and says nothing: a machine that froze."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


def test_all_is_there(settings: Settings, database: Database) -> None:
    heard_of(database)
    status, checks, _ = asked(settings, database)
    assert (status, checks) == (200, GOOD)


@pytest.mark.parametrize(
    ("trouble", "told"),
    [(None, "none was heard of lately"), (workers.NO_BROKER, "can't reach the broker")],
)
def test_nobody_works(settings: Settings, database: Database, trouble: str | None, told: str) -> None:
    if trouble:
        heard_of(database, trouble)
    status, checks, _ = asked(settings, database)
    assert (status, checks) == (503, {**GOOD, "worker": told})


def test_a_worker_that_fell_silent_is_none(settings: Settings, database: Database) -> None:
    heard_of(database)
    with database.write() as session:
        session.query(Worker).update({"seen_at": utc_now() - workers.SILENT_AFTER})
    assert asked(settings, database)[1]["worker"] == "none was heard of lately"


def test_another_schema(settings: Settings, database: Database) -> None:
    with database.write() as session:
        session.execute(text("UPDATE alembic_version SET version_num = '0001'"))
    status, checks, _ = asked(settings, database)
    assert status == 503
    assert checks == {"database": "good", "migrations": "not at this version's schema", "worker": "unknown"}


@pytest.mark.parametrize(
    "url", ["postgresql+psycopg://codejury:hunter2@127.0.0.1:1/codejury", "sqlite:////no/such/db"]
)
def test_no_database(url: str, tmp_path: Path) -> None:
    database = Database(url)
    status, checks, _ = asked(Settings(CODEJURY_DATA_DIR=tmp_path, DATABASE_URL=url), database)  # type: ignore[call-arg]
    database.dispose()
    assert status == 503
    assert checks == {"database": "away", "migrations": "unknown", "worker": "unknown"}


@pytest.mark.fault("F16")
def test_the_broker_comes_and_goes(settings: Settings, database: Database, redis_server: RedisServer) -> None:
    heard_of(database)
    settings = settings.model_copy(update={"broker_url": redis_server.url})
    assert asked(settings, database)[:2] == (200, {**GOOD, "broker": "good"})
    redis_server.stop()
    assert asked(settings, database)[:2] == (503, {**GOOD, "broker": "away"})
    redis_server.start()
    assert asked(settings, database)[0] == 200


@pytest.mark.sqlite_is_enough
def test_what_keeps_silent_keeps_nobody_waiting(settings: Settings, database: Database) -> None:
    with silent_server() as port:
        url = f"postgresql+psycopg://codejury@127.0.0.1:{port}/codejury?connect_timeout=30"
        frozen = Database(url)
        known = {"broker_url": f"redis://:hunter2@127.0.0.1:{port}/0", "database_url": url}
        status, checks, took = asked(settings.model_copy(update=known), frozen)
    assert status == 503
    assert {checks["database"], checks["broker"]} == {"away"}
    assert took < LONGEST


def test_it_tells_no_address_and_asks_nobody_who_they_are(settings: Settings, database: Database) -> None:
    with TestClient(create_app(settings, database), base_url="http://localhost") as client:
        for headers in ({}, {"Cookie": "codejury=x"}, {"Authorization": "Bearer of-nothing"}):
            answer = client.get("/ready", headers=headers)
            assert answer.status_code == 503
            assert set(answer.json()) == {"status", "checks"}
            for part in (str(settings.data_dir), settings.effective_database_url, "127.0.0.1"):
                assert part not in answer.text


def test_a_probe_each_second_asks_no_more_than_once(settings: Settings, database: Database) -> None:
    """A hundred that come at once cost what one costs."""
    asked_for = []
    first = Probe(lambda: asked_for.append(1) or len(asked_for), silence=-1)
    answers: list[int] = []
    threads = [threading.Thread(target=lambda: answers.append(first.answer())) for _ in range(100)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert set(answers) == {1}


def test_a_question_without_an_answer_is_not_asked_again_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probes, "PATIENCE_SECONDS", 0.05)
    answered = threading.Event()
    asked_for = []

    def ask() -> str:
        asked_for.append(1)
        answered.wait(20)
        return "late"

    probe = Probe(ask, silence="silence")
    assert [probe.answer() for _ in range(3)] == ["silence"] * 3
    assert len(asked_for) == 1
    answered.set()
    monkeypatch.setattr(probes, "PATIENCE_SECONDS", 20)
    assert probe.answer() == "late"


def test_a_process_remembers_for_a_second(settings: Settings, database: Database) -> None:
    readiness = Readiness(settings, database)
    assert not readiness.checks()["worker"].is_good
    heard_of(database)
    assert not readiness.checks()["worker"].is_good
    time.sleep(probes.FRESH_SECONDS + 0.1)
    assert readiness.checks()["worker"].is_good
