"""Workers of a team, on a real PostgreSQL and Redis: the same promises, and a broker that may lose everything."""

from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest
import redis

from app.clock import utc_now
from app.services.runs import cancel
from app.storage import migrate
from app.storage.engine import Database
from app.storage.models import Run
from tests.workers.handlers import stored
from tests.workers.process import (
    Launched,
    ask,
    is_alive,
    run_of,
    wait_for,
    wait_for_state,
    wait_for_worker,
)


class Team:
    """A database, a broker, and workers started by hand."""

    def __init__(self, database_url: str, broker_url: str, data_dir: str) -> None:
        migrate.upgrade(database_url)
        self.database = Database(database_url)
        self.broker = redis.Redis.from_url(broker_url)
        self.environment = {"DATABASE_URL": database_url, "BROKER_URL": broker_url, "CODEJURY_DATA_DIR": data_dir}
        self.workers: list[Launched] = []

    def start_worker(self, *arguments: str) -> Launched:
        self.workers.append(Launched("worker", *arguments, **self.environment))
        wait_for_worker(self.database)
        return self.workers[-1]

    def end(self) -> None:
        for worker in self.workers:
            worker.end()
        self.broker.flushdb()
        self.broker.close()
        self.database.dispose()


@pytest.fixture
def team(new_postgres_url: Callable[[], str], redis_url: str, tmp_path: object) -> Iterator[Team]:
    team = Team(new_postgres_url(), redis_url, str(tmp_path))
    yield team
    team.end()


def test_runs_are_done_cancelled_and_taken_back_from_a_killed_worker(team: Team) -> None:
    worker = team.start_worker()
    wait_for_state(team.database, ask(team.database, "test.echo"), "done")

    silent = ask(team.database, "test.silent", seconds=60)
    wait_for_state(team.database, silent, "running")
    with team.database.write() as session:
        cancel(session, session.get_one(Run, silent))
    wait_for_state(team.database, silent, "cancelled", 5)

    steps = ask(team.database, "test.steps", total=10, seconds=0.2)
    wait_for(lambda: run_of(team.database, steps).done >= 2, "two steps")
    family = worker.family()
    worker.kill()
    wait_for(lambda: not any(is_alive(pid) for pid in family), "the children to notice")
    team.start_worker()
    run = wait_for_state(team.database, steps, "done")
    assert run.attempt == 2
    with team.database.read() as session:
        assert stored(session, run.public_id) == 10


@pytest.mark.fault("F16")
def test_a_broker_that_forgot_everything_loses_no_run(team: Team) -> None:
    waiting = [ask(team.database, "test.echo") for _ in range(30)]
    with team.database.write() as session:  # sent by a worker of old, a while ago
        for run_id in waiting[:10]:
            session.get_one(Run, run_id).published_at = utc_now() - timedelta(minutes=2)
    team.broker.flushdb()
    team.start_worker()
    for run_id in waiting:
        wait_for_state(team.database, run_id, "done")
    team.broker.flushdb()  # bindings and all, under a living worker
    wait_for_state(team.database, ask(team.database, "test.echo"), "done")


def test_a_graphics_worker_takes_its_own_queue_alone(team: Team) -> None:
    team.start_worker("--queue", "gpu")
    other = ask(team.database, "test.echo")
    wait_for_state(team.database, ask(team.database, "test.echo", queue="gpu"), "done")
    assert run_of(team.database, other).state == "queued"


def test_a_server_of_a_team_refuses_a_schema_that_is_not_its_own(team: Team) -> None:
    migrate.downgrade(team.environment["DATABASE_URL"], "base")
    server = Launched("serve", **team.environment, PORT="0")
    team.workers.append(server)
    output = server.process.communicate(timeout=20)[0]
    assert server.process.returncode == 1
    assert "codejury migrate" in output
    assert "Traceback" not in output
