"""What Prometheus scrapes is true, from whichever process it comes, and not for the public."""

import time
import urllib.request
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import pytest
from prometheus_client.parser import text_string_to_metric_families
from sqlalchemy import func, select

from app import __version__
from app.clock import utc_now
from app.config import Settings
from app.main import create_app
from app.services.runs import enqueue, retry, workers
from app.storage import migrate
from app.storage.engine import Database
from app.storage.models import GradeEvent, Run, Worker
from app.web.access import ANYONE
from tests.apps import METRICS_TOKEN
from tests.security.world import World
from tests.team.test_web_processes import Web
from tests.workers.process import wait_for

Samples = dict[tuple[str, ...], float]


def samples_of(text: str) -> Samples:
    """Each sample by its name and the values of its labels, in the order of their names."""
    return {
        (sample.name, *(value for _, value in sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def scrape(world: World) -> Samples:
    """What a scraper with the token reads."""
    answer = world.client("scraper").get("/metrics")
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/plain; version=")
    return samples_of(answer.text)


def test_it_is_for_who_bears_the_token(world: World) -> None:
    for principal in ("anonymous", "annotator", "researcher", "admin"):
        assert world.client(principal).get("/metrics").status_code == 403
    world.app.state.settings = world.app.state.settings.model_copy(update={"metrics_token": None})
    for headers in ({}, {"Authorization": "Bearer "}, {"Authorization": f"Bearer {METRICS_TOKEN}"}):
        assert world.client("anonymous", **headers).get("/metrics").status_code == 404


def test_requests_are_counted_by_route_and_never_by_path(world: World) -> None:
    before = scrape(world)
    for name in ("one", "two", "three"):
        assert world.client("admin").get(f"/studies/{name}/runs").status_code == 404
    world.client("admin").get("/studies/here/runs")
    for path in ("/a", "/b?c", "/studies/here/nowhere"):
        world.client("anonymous").get(path)
    world.client("anonymous").request("BREW", "/sign-in")
    after = scrape(world)

    def grown(*key: str) -> float:
        return after.get(key, 0) - before.get(key, 0)

    requests = "codejury_http_requests_total"
    assert grown(requests, "GET", "/studies/{slug}/runs", "404") == 3
    assert grown(requests, "GET", "/studies/{slug}/runs", "200") == 1
    assert grown(requests, "GET", "none", "404") == 3
    assert grown(requests, "other", "/sign-in", "405") == 1
    assert grown("codejury_http_request_seconds_count", "GET", "/studies/{slug}/runs") == 4
    seconds = grown("codejury_http_request_seconds_sum", "GET", "/studies/{slug}/runs")
    assert 0 < seconds < 60
    assert not [key for key in after if "/here" in str(key) or "BREW" in str(key)]


def test_a_failure_is_counted_as_one(world: World) -> None:
    def explode() -> None:
        raise RuntimeError

    world.app.get("/explode", dependencies=[ANYONE])(explode)
    # Its pattern is not known, since the route was added after the app was made.
    counted = ("codejury_http_requests_total", "GET", "none", "500")
    before = scrape(world).get(counted, 0)
    world.client("anonymous").get("/explode")
    assert scrape(world)[counted] == before + 1


def test_grades_are_those_that_are_stored(world: World) -> None:
    with world.database.read() as session:
        stored = session.scalar(select(func.count()).where(GradeEvent.kind == "grade")) or 0
    assert scrape(world)["codejury_grades_total", "grade"] == stored
    answer = {"submission_id": uuid4().hex, "kind": "grade", "revision": 0, "answers": {"helpfulness": 3}}
    graded = world.client("annotator").post(world.address("/grade/{item}/answer"), json=answer)
    assert graded.status_code == 200, graded.text
    assert scrape(world)["codejury_grades_total", "grade"] == stored + 1


def test_queues_workers_and_runs_are_as_the_rows_say(world: World) -> None:
    now = utc_now()
    with world.database.write() as session:
        session.query(Run).delete()
        session.query(Worker).delete()
        workers.beat(session, "elsewhere/boot/ns:7", ["cpu", "runner"], 2)
        workers.beat(session, "elsewhere/boot/ns:8", ["gpu"], 1)
        session.query(Worker).filter(Worker.name.endswith("8")).update({"seen_at": now - timedelta(seconds=90)})
        for age in (5, 100, 40):
            enqueue(session, "analysis", {}).created_at = now - timedelta(seconds=age)
        enqueue(session, "scoring", {}, queue="gpu").state = "running"
        for state, seconds in (("done", 2), ("done", 6), ("failed", 1)):
            ended(enqueue(session, "export", {}), state, now, seconds)
        ended(enqueue(session, "export", {}), "done", now - timedelta(days=2), 3)
    found = scrape(world)
    assert found["codejury_database_up",] == 1
    assert [found["codejury_runs_waiting", queue] for queue in ("cpu", "gpu", "runner")] == [3, 0, 0]
    assert [found["codejury_runs_running", queue] for queue in ("cpu", "gpu", "runner")] == [0, 1, 0]
    assert found["codejury_run_oldest_wait_seconds", "cpu"] == pytest.approx(100, abs=20)
    assert found["codejury_run_oldest_wait_seconds", "gpu"] == 0
    assert [found["codejury_workers", queue] for queue in ("cpu", "gpu", "runner")] == [1, 0, 1]
    assert found["codejury_worker_heartbeat_age_seconds", "cpu"] < 20
    assert found["codejury_worker_heartbeat_age_seconds", "gpu"] == pytest.approx(90, abs=20)
    assert found["codejury_runs_ended_last_day", "export", "done"] == 2
    assert found["codejury_runs_ended_last_day", "export", "failed"] == 1
    assert found["codejury_run_seconds_last_day", "export", "done"] == pytest.approx(8, abs=0.01)
    assert found["codejury_run_longest_seconds_last_day", "export", "done"] == pytest.approx(6, abs=0.01)
    assert found["codejury_build_info", "postgresql" if not world.database.is_sqlite else "sqlite", "embedded",
                 python(), __version__] == 1  # fmt: skip


def python() -> str:
    """As the label says it."""
    import platform

    return platform.python_version()


def ended(run: Run, state: str, at: object, seconds: int) -> None:
    """Let the run have ended."""
    run.state, run.finished_at = state, at  # type: ignore[assignment]
    run.started_at = at - timedelta(seconds=seconds)  # type: ignore[operator]


def test_a_run_that_is_tried_again_waits_since_then(world: World) -> None:
    long_ago = utc_now() - timedelta(days=30)
    with world.database.write() as session:
        session.query(Run).delete()
        run = enqueue(session, "analysis", {})
        run.created_at = long_ago
        ended(run, "failed", long_ago, 1)
        session.flush()
        retry(session, run)
    assert scrape(world)["codejury_run_oldest_wait_seconds", "cpu"] < 60


def test_without_a_database_the_traffic_is_still_told(tmp_path: Path) -> None:
    from fastapi.testclient import TestClient

    url = "postgresql+psycopg://codejury@127.0.0.1:1/codejury"
    known = {"CODEJURY_DATA_DIR": tmp_path, "DATABASE_URL": url, "CODEJURY_METRICS_TOKEN": METRICS_TOKEN}
    settings = Settings(**known)  # type: ignore[arg-type]
    headers = {"Authorization": f"Bearer {METRICS_TOKEN}"}
    with TestClient(create_app(settings, Database(url)), base_url="http://localhost", headers=headers) as client:
        client.get("/health")
        found = samples_of(client.get("/metrics").text)
    assert found["codejury_database_up",] == 0
    assert found["codejury_http_requests_total", "GET", "/health", "200"] >= 1
    assert not [key for key in found if key[0].startswith(("codejury_runs", "codejury_grades"))]


@pytest.fixture
def web(new_postgres_url: Callable[[], str], redis_url: str, tmp_path: Path) -> Iterator[Web]:
    """Two web processes on one port."""
    url = new_postgres_url()
    migrate.upgrade(url)
    known = {"DATABASE_URL": url, "BROKER_URL": redis_url, "CODEJURY_DATA_DIR": str(tmp_path)}
    web = Web("--processes", "2", **known, CODEJURY_METRICS_TOKEN=METRICS_TOKEN, CODEJURY_LOG_LEVEL="warning")
    yield web
    web.end()


@pytest.mark.slow
@pytest.mark.xdist_group("team")
def test_two_processes_count_as_one_also_when_one_of_them_dies(web: Web) -> None:
    address = web.address()

    def read(path: str) -> str:
        request = urllib.request.Request(f"{address}{path}", headers={"Authorization": f"Bearer {METRICS_TOKEN}"})
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.read().decode()

    def counted() -> float:
        return samples_of(read("/metrics")).get(("codejury_http_requests_total", "GET", "/health", "200"), 0)

    for number in range(1, 41):
        read("/health")
        if number % 10 == 0:
            assert {counted() for _ in range(6)} == {number}, "each process tells the same"
    servers = web.servers()
    import os
    import signal

    os.kill(servers[0], signal.SIGKILL)
    wait_for(lambda: len(set(web.servers()) - set(servers)) == 1, "another one in its place")
    time.sleep(1)
    before = counted()
    assert before >= 40, "what the dead one counted stays"
    for _ in range(10):
        read("/health")
    assert {counted() for _ in range(6)} == {before + 10}
