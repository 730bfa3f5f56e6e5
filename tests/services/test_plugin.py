"""The services are real and private, and CI leaves no test out."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest
import redis
from sqlalchemy import create_engine, text

from tests.services.process import Server, ServiceError
from tests.services.redis_server import RedisServer

pytest_plugins = ["pytester"]


def test_postgres_database_is_new_empty_and_utf8(postgres_url: str) -> None:
    engine = create_engine(postgres_url)
    with engine.begin() as connection:
        tables = connection.scalar(text("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"))
        encoding = connection.scalar(text("SHOW server_encoding"))
    engine.dispose()
    assert (tables, encoding) == (0, "UTF8")


def test_each_call_makes_another_database(new_postgres_url: Callable[[], str]) -> None:
    first, second = new_postgres_url(), new_postgres_url()
    assert first != second
    with psycopg.connect(first.replace("+psycopg", "")) as connection:
        connection.execute("CREATE TABLE grade (value int)")
    with psycopg.connect(second.replace("+psycopg", "")) as connection:
        assert connection.execute("SELECT to_regclass('grade')").fetchone() == (None,)


def test_servers_are_not_the_machines_own(postgres_url: str, redis_url: str) -> None:
    assert ":5432/" not in postgres_url
    assert ":6379/" not in redis_url


def test_redis_comes_back_empty_at_the_same_address(redis_server: RedisServer) -> None:
    with redis.Redis.from_url(redis_server.url) as client:
        client.set("job", "1")
    redis_server.stop()
    with redis.Redis.from_url(redis_server.url) as client, pytest.raises(redis.ConnectionError):
        client.ping()
    redis_server.start()
    with redis.Redis.from_url(redis_server.url) as client:
        assert client.get("job") is None


def test_a_server_that_cannot_start_says_why(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "raise SystemExit('the port is taken')"]
    with pytest.raises(ServiceError, match="the port is taken"):
        Server(command, user=None, folder=tmp_path, is_ready=lambda: False)


def test_servers_die_with_killed_tests(tmp_path: Path) -> None:
    """A run that is killed leaves no server behind, where the system can see to that (Linux)."""
    if sys.platform != "linux":
        pytest.skip("only Linux ends a child with its parent")
    script = (
        "import os, signal\n"
        "from tests.services import programs\n"
        "from tests.services.redis_server import RedisServer\n"
        "server = RedisServer(programs.REDIS.find())\n"
        "print(server.url, flush=True)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    run = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=False)
    port = int(run.stdout.rsplit(":", 1)[1].split("/")[0])
    assert _closes(port)


def _closes(port: int) -> bool:
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) != 0:
                return True
        time.sleep(0.05)
    return False


SKIPPING = """
import pytest
def test_left_out():
    pytest.skip("no server here")
@pytest.mark.skipif(True, reason="not today")
def test_marked():
    pass
@pytest.mark.xfail(reason="known")
def test_expected_failure():
    assert False
def test_kept():
    pass
"""


@pytest.mark.parametrize(("ci", "outcome"), [("", {"skipped": 2}), ("true", {"failed": 1, "errors": 1})])
def test_with_ci_a_skip_is_a_failure(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, ci: str, outcome: dict[str, int]
) -> None:
    monkeypatch.setenv("CI", ci)
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
    pytester.makepyfile(test_it=SKIPPING)
    result = pytester.runpytest_subprocess("-p", "tests.services.plugin", "-p", "no:cacheprovider")
    result.assert_outcomes(passed=1, xfailed=1, **outcome)


def test_with_ci_a_module_may_not_skip_itself(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
    pytester.makepyfile(test_it="import pytest\npytest.importorskip('no_such_module_at_all')")
    result = pytester.runpytest_subprocess("-p", "tests.services.plugin", "-p", "no:cacheprovider")
    assert result.ret != 0
    result.stdout.fnmatch_lines(["*test_it.py was left out, and with CI=true nothing may be*"])
