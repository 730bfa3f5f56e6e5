"""A broker that is away, forgets, freezes, is full or refuses: people grade on, and each run is done once.

One team for all of these: what one fault leaves behind would show in the next one. Its worker is never started anew.
"""

import time
from collections.abc import Callable, Iterator

import pytest
import redis
from sqlalchemy import select

from app.services.runs import workers
from app.storage.engine import Database
from app.storage.models import Worker
from tests.faults.runs_helpers import Grader, Installation, grader
from tests.services import programs
from tests.services.postgres import PostgresServer
from tests.services.redis_server import RedisServer
from tests.workers.process import ask, is_alive, run_of, wait_for, wait_for_state

pytestmark = [pytest.mark.fault("F16"), pytest.mark.redis, pytest.mark.postgres]

# How long the web may take for a grade while the broker is away: it must not even ask.
AT_ONCE = 5.0


class Broken:
    """A team and its broker, to do something to."""

    def __init__(self, team: Installation, grader: Grader, server: RedisServer) -> None:
        self.team, self.grader, self.server = team, grader, server
        self.database = team.database
        self.worker = team.start_worker("--concurrency", "2")

    def connection(self) -> redis.Redis:
        """A connection of an administrator."""
        return redis.Redis.from_url(self.server.url)

    def ask_for_work(self) -> list[int]:
        """Two long runs that go on, and a dozen that wait behind them, more than lie in the broker."""
        steps = [ask(self.database, "test.steps", total=15, seconds=0.2) for _ in range(2)]
        for run_id in steps:
            wait_for(lambda run_id=run_id: run_of(self.database, run_id).done >= 1, "a step")
        return steps + [ask(self.database, "test.file") for _ in range(12)]

    def grade(self, times: int = 3) -> None:
        """People notice nothing."""
        began = time.monotonic()
        for _ in range(times):
            self.grader.grade()
        assert time.monotonic() - began < AT_ONCE * times

    def trouble(self) -> str:
        """What the worker says that keeps it from working."""
        with self.database.read() as session:
            return session.scalars(select(Worker.trouble)).one()

    def hindrance(self) -> str:
        """What a page says to somebody who waits."""
        with self.database.read() as session:
            return workers.hindrance(session, "cpu")

    def check(self) -> None:
        """After the fault everything is as if nothing had been, and the worker is the same one."""
        self.team.wait_until_over()
        wait_for_state(self.database, ask(self.database, "test.echo"), "done")
        assert self.trouble() == ""
        assert is_alive(self.worker.process.pid)
        self.team.check()
        self.grader.check()
        assert all(run.attempt == 1 for run in self.team.runs()), "no attempt was lost, none was made twice"


@pytest.fixture(scope="module", params=[False, True], ids=["forgets", "keeps"])
def server(request: pytest.FixtureRequest) -> Iterator[RedisServer]:
    program = programs.REDIS.find()
    assert program, programs.REDIS.remedy
    server = RedisServer(program, keeps=request.param)
    yield server
    server.remove()


@pytest.fixture(scope="module")
def broken(
    server: RedisServer,
    postgres_server: PostgresServer,
    postgres_template: str,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Broken]:
    database = Database(postgres_server.create_database(template=postgres_template))
    team = Installation(database, tmp_path_factory.mktemp("team"), server.url)
    with grader(team) as person:
        yield Broken(team, person, server)
    team.end()
    database.dispose()


def test_restarted(broken: Broken) -> None:
    broken.ask_for_work()
    broken.server.kill()
    broken.grade()
    broken.server.start()
    broken.check()


def test_away_for_a_while(broken: Broken) -> None:
    broken.ask_for_work()
    broken.server.kill()
    asked = ask(broken.database, "test.echo", priority=10)
    wait_for(lambda: broken.hindrance() == workers.NO_BROKER, "whoever waits to be told")
    broken.grade()
    assert run_of(broken.database, asked).state == "queued"
    broken.server.start()
    wait_for(lambda: broken.hindrance() == "", "the broker to be found again")
    broken.check()


def test_flushed(broken: Broken) -> None:
    broken.ask_for_work()
    with broken.connection() as connection:
        connection.flushall()
        broken.grade()
        connection.flushall()
    broken.check()


@pytest.mark.parametrize("how", ["CLIENT PAUSE", "SIGSTOP"])
def test_answers_nobody_for_a_while(broken: Broken, how: str) -> None:
    broken.ask_for_work()
    thaw = _pause(broken) if how == "CLIENT PAUSE" else _freeze(broken)
    broken.grade()
    time.sleep(12)  # longer than a worker waits for an answer
    with broken.database.read() as session:
        assert workers.capacity(session, "cpu") == 2, "the worker says that it lives, whoever keeps it waiting"
    broken.grade()
    thaw()
    broken.check()


def _pause(broken: Broken) -> Callable[[], object]:
    with broken.connection() as connection:
        connection.execute_command("CLIENT", "PAUSE", 14_000, "ALL")
    return lambda: None


def _freeze(broken: Broken) -> Callable[[], object]:
    broken.server.freeze(frozen=True)
    return lambda: broken.server.freeze(frozen=False)


def test_full(broken: Broken) -> None:
    with broken.connection() as connection:
        connection.config_set("maxmemory-policy", "noeviction")
        broken.ask_for_work()
        connection.config_set("maxmemory", 1)
        ask(broken.database, "test.echo")
        wait_for(lambda: broken.hindrance() == workers.NO_BROKER, "whoever waits to be told")
        broken.grade()
        connection.config_set("maxmemory", 0)
    broken.check()


def test_refuses_the_password(broken: Broken) -> None:
    with broken.connection() as connection:
        broken.ask_for_work()
        connection.config_set("requirepass", "another one")
        connection.client_kill_filter(_type="normal", skipme=True)
        ask(broken.database, "test.echo")
        wait_for(lambda: broken.hindrance() == workers.NO_BROKER, "whoever waits to be told")
        broken.grade()
        connection.config_set("requirepass", "")
    broken.check()


def test_a_worker_that_starts_before_its_broker(broken: Broken) -> None:
    broken.worker.stop()
    broken.server.kill()
    waiting = ask(broken.database, "test.echo")
    broken.worker = broken.team.start_worker("--concurrency", "2")
    wait_for(lambda: broken.hindrance() == workers.NO_BROKER, "whoever waits to be told")
    broken.server.start()
    wait_for_state(broken.database, waiting, "done")
    broken.check()
