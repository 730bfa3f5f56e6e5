"""Each service of docker-compose.yml starts with its own command and variables, on a real PostgreSQL and Redis.

No engine builds images or networks here; tests/team/services.py says what stands in for what it would give.
"""

import io
import shutil
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import redis
from sqlalchemy import select

from app.config import Settings
from app.execution import Limits, Program, RemoteRunner, Verdict
from app.services.imports.request import ImportRequest
from app.services.imports.uploads import UploadedFile, keep, record, start_import
from app.services.runs import enqueue
from app.storage import migrate
from app.storage.engine import Database
from app.storage.models import Study
from tests.services import programs
from tests.services.postgres import PostgresServer
from tests.services.process import Server, free_port, private_folder
from tests.team.compose import FILLED_IN, read_service
from tests.team.dockerfile import environment_of
from tests.team.image import lay_out
from tests.team.services import Place, Service, variables_of
from tests.workers.process import wait_for_state

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("team")]  # one broker and one image for all

Start = Callable[[str], Service]


@pytest.fixture(scope="module")
def broker() -> Iterator[str]:
    """The Redis of the file: its own command, here on a free port and in a folder of its own."""
    program = programs.REDIS.find()
    if program is None:
        pytest.skip(f"no Redis: {programs.REDIS.remedy}")
    folder, port = private_folder("codejury-compose-redis-", None), free_port()
    command = [str(program), *read_service("redis")["command"][1:], "--port", str(port), "--bind", "127.0.0.1"]
    client = redis.Redis(port=port, password=FILLED_IN["REDIS_PASSWORD"])

    def is_ready() -> bool:
        try:
            return bool(client.ping())
        except redis.ConnectionError:
            return False

    server = Server([*command, "--dir", str(folder)], user=None, folder=folder, is_ready=is_ready)
    with pytest.raises(redis.AuthenticationError):
        redis.Redis(port=port).ping()
    told = client.info()
    assert (told["aof_enabled"], told["maxmemory_policy"]) == (1, "noeviction")
    yield f"127.0.0.1:{port}"
    client.close()
    server.stop()
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def place(postgres_server: PostgresServer, broker: str, tmp_path_factory: pytest.TempPathFactory) -> Place:
    """A new team's machine: an empty database, an empty Redis, empty volumes."""
    folder = tmp_path_factory.mktemp("team")
    database = postgres_server.create_database().rpartition("@")[2]
    return Place(
        image=lay_out(folder / "image"),
        folder=folder,
        translations={
            "postgres:5432/codejury": database,
            "redis:6379": broker,
            "/data": str(folder / "data"),
            "/run/codejury": str(folder / "run"),
            "/srv/codejury": str(folder / "image"),
        },
    )


@pytest.fixture(scope="module")
def database(place: Place) -> Iterator[Database]:
    """The team's database, after the service `migrate`."""
    service = Service(place, "migrate")
    assert f"at revision {migrate.head_revision()}" in service.finish()
    database = Database(service.environment["DATABASE_URL"].replace("postgresql:", "postgresql+psycopg:"))
    yield database
    database.dispose()


@pytest.fixture
def start(place: Place, database: Database) -> Iterator[Start]:
    """Starts services that end with the test."""
    started: list[Service] = []

    def start(name: str) -> Service:
        started.append(Service(place, name))
        return started[-1]

    yield start
    for each in started:
        each.end()


def assert_quiet(output: str) -> None:
    """Nothing went wrong, nothing is warned of, and no secret is told."""
    for word in ("Traceback", "error", "warning", *FILLED_IN.values()):
        assert word not in output.replace("/sign-in", ""), output


def test_migrating_again_changes_nothing(start: Start) -> None:
    assert migrate.head_revision() in start("migrate").finish()


def test_web_serves_pages_by_two_processes(start: Start) -> None:
    web = start("web")
    web.wait_until_healthy()
    assert web.process.stdout
    where, admin = (web.process.stdout.readline() for _ in range(2))  # they come when both processes answer
    assert where == f"CodeJury is at https://{FILLED_IN['CODEJURY_DOMAIN']}\n"
    assert admin.startswith("Become the first admin (once): https://")
    request = urllib.request.Request(f"{web.address}/sign-in", headers={"Host": FILLED_IN["CODEJURY_DOMAIN"]})
    with urllib.request.urlopen(request, timeout=10) as answer:
        page = answer.read().decode()
        assert answer.headers["Strict-Transport-Security"]
    assert "team" in page
    with urllib.request.urlopen(f"{web.address}/static/vendor/htmx.min.js", timeout=10) as answer:
        assert answer.status == 200
    assert_quiet(web.stop())
    assert not web.is_healthy()


def test_a_cpu_worker_does_what_the_pages_ask_for(start: Start, database: Database, place: Place) -> None:
    settings = Settings(CODEJURY_DATA_DIR=place.folder / "data")  # type: ignore[call-arg]
    kept = keep(settings, [UploadedFile("t.csv", io.BytesIO(b"problem,system,output\np,m,x\n"))])
    wanted = ImportRequest(sha256=kept.stored.sha256, file_name=kept.name, kind="outputs", title="Of a team", seed=7)
    with database.write() as session:
        record(session, kept, None)
        run_id = start_import(session, wanted, user_id=None, study=None).id
    worker = start("worker-cpu")
    worker.wait_until_healthy()
    wait_for_state(database, run_id, "done", 60)
    with database.write() as session:
        assert session.scalars(select(Study.title)).all() == ["Of a team"]
        to_sandbox = enqueue(session, "nobody's", {}, queue="runner").id
        to_card = enqueue(session, "nobody's", {}, queue="gpu").id
    assert "nobody's" in wait_for_state(database, to_sandbox, "failed").message
    wait_for_state(database, to_card, "queued")
    assert_quiet(worker.stop())
    assert not worker.is_healthy()


def test_a_gpu_worker_takes_its_own_queue(start: Start, database: Database) -> None:
    with database.write() as session:
        run_id = enqueue(session, "nobody's", {}, queue="gpu").id
    worker = start("worker-gpu")
    worker.wait_until_healthy()
    assert "nobody's" in wait_for_state(database, run_id, "failed", 60).message
    assert_quiet(worker.stop())


def test_the_runner_answers_and_knows_nothing(start: Start, place: Place) -> None:
    runner = start("runner")
    runner.wait_until_healthy()
    asked = read_service("worker-cpu")["environment"]["CODEJURY_RUNNER_SOCKET"]
    with RemoteRunner(Path(place.translated(asked))) as remote:
        program = Program("def f():\n    return 1\n", "assert f() == 1", "f", limits=Limits(memory=512 << 20))
        assert remote.run(program).verdict is Verdict.PASSED
    seen = Path(f"/proc/{runner.process.pid}/environ").read_text()
    assert not [secret for secret in FILLED_IN.values() if secret in seen]
    assert "The sandbox's host listens at" in runner.stop()


def test_production_refuses_a_weak_password(place: Place, database: Database) -> None:
    environment = variables_of(place, "worker-cpu") | {"BROKER_URL": "redis://:change-me@redis:6379/0"}
    done = subprocess.run(
        [sys.executable, "-m", "app.cli", "worker"],
        cwd=place.image, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert "BROKER_URL: its password is weak" in done.stderr
    assert "change-me" not in done.stderr


def test_the_images_own_variables_are_those_that_are_translated() -> None:
    assert environment_of("app")["CODEJURY_DATA_DIR"] == "/data"
    assert environment_of("app")["PYTHONPATH"] == "/srv/codejury"
