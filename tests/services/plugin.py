"""pytest's side of the services: fixtures, and the rule that CI leaves no test out.

``postgres_url``, ``new_postgres_url``, ``redis_url``, ``redis_server``, ``bucket_endpoint``, ``bucket_url``,
``chromium_path`` and ``browser`` each start what they need when the first test asks. Every xdist worker has servers
of its own, so that workers share nothing.
"""

import os
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pytest

from tests.services import programs
from tests.services.postgres import PostgresServer
from tests.services.redis_server import RedisServer

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# Without them Chromium calls home, at every start.
BROWSER_FLAGS = (
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
    "--no-first-run",
)

# How long a page may take to show something; only a failing test, or a busy machine, ever waits so long.
WAIT_MS = 20_000

in_ci = os.environ.get("CI", "").lower() in ("1", "true")


def _program(service: programs.Service) -> Path:
    found = service.find()
    if found is None:
        pytest.skip(f"{service.name} is not on this machine: {service.remedy}")
    return found


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """A private PostgreSQL."""
    server = PostgresServer(_program(programs.POSTGRES))
    yield server
    server.stop()


@pytest.fixture(scope="session")
def postgres_url(postgres_server: PostgresServer) -> str:
    """Address of one empty PostgreSQL database, the same for all tests of this process."""
    return postgres_server.create_database()


@pytest.fixture
def new_postgres_url(postgres_server: PostgresServer) -> Callable[[], str]:
    """Makes an empty PostgreSQL database at each call and returns its address."""
    return postgres_server.create_database


@pytest.fixture(scope="session")
def _redis() -> Iterator[RedisServer]:
    server = RedisServer(_program(programs.REDIS))
    yield server
    server.remove()


@pytest.fixture(scope="session")
def redis_url(_redis: RedisServer) -> str:
    """Address of a private Redis, the same for all tests of this process."""
    return _redis.url


@pytest.fixture
def redis_server() -> Iterator[RedisServer]:
    """A Redis of this test's own, empty, which it may stop and start."""
    server = RedisServer(_program(programs.REDIS))
    yield server
    server.remove()


@pytest.fixture(scope="session")
def bucket_endpoint() -> Iterator[str]:
    """Address of a server that speaks S3 and has the bucket ``jury``, the same for all tests of this process."""
    from tests.services.bucket import bucket_server

    with bucket_server() as address:
        yield address


@pytest.fixture
def bucket_url(bucket_endpoint: str) -> str:
    """A place in that bucket which no other test has: folders' names come again once a test's folder is gone."""
    return f"s3://jury/{uuid4().hex}"


@pytest.fixture(scope="session")
def chromium_path() -> Path:
    """A Chromium to drive: the machine's, else the one that Playwright downloaded."""
    return programs.CHROMIUM.find() or _playwright_chromium() or _program(programs.CHROMIUM)


def _playwright_chromium() -> Path | None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = Path(playwright.chromium.executable_path)
    return path if path.exists() else None


@pytest.fixture(scope="module")
def browser(chromium_path: Path) -> Iterator["Browser"]:
    """A real Chromium. It ends with its module: an open Playwright keeps other tests from using asyncio."""
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=WAIT_MS)
    # Chromium's own sandbox does not work for root.
    flags = [*BROWSER_FLAGS, *(["--no-sandbox"] if os.geteuid() == 0 else [])]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path, args=flags)
        yield browser
        browser.close()


MARKERS = {
    "browser": {"browser", "chromium_path"},
    "postgres": {"postgres_server"},
    "redis": {"_redis", "redis_server"},
}


@pytest.hookimpl(tryfirst=True)  # before xdist reads the groups
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark tests by the services that they use; one worker runs all that drive a browser."""
    for item in items:
        used = set(getattr(item, "fixturenames", ()))
        for marker in (name for name, fixtures in MARKERS.items() if fixtures & used):
            item.add_marker(marker)
        if item.get_closest_marker("browser") and not item.get_closest_marker("xdist_group"):
            item.add_marker(pytest.mark.xdist_group("browser"))


def _refuse_skip(report: Any) -> None:
    if in_ci and report.skipped and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        report.outcome = "failed"
        report.longrepr = f"{report.nodeid} was left out, and with CI=true nothing may be. {reason}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, Any, Any]:
    """With CI=true, a skipped test fails."""
    report = yield
    _refuse_skip(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, Any, Any]:
    """With CI=true, so does a module that skips itself."""
    report = yield
    _refuse_skip(report)
    return report
