"""A benchmark's file, a file of completions, people who may come, and a worker that does what waits."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from io import BytesIO
from typing import Any

import pytest
from fastapi.testclient import TestClient
from httpx2 import Response
from playwright.sync_api import Browser, Page
from sqlalchemy import select

from app.config import Settings
from app.language_models import loaded
from app.services import runs
from app.storage.engine import Database
from app.storage.models import Run
from tests.security.world import World
from tests.security.world_fixture import world

__all__ = ["world"]

# Bold where it is taken for markup; a page must show it as it is.
HOSTILE = '    return "<script>alert(1)</script><b>bold</b>"\n'
Work = Callable[[], list[Run]]
KINDS = ("execution", "generation", "perturbing")
PATIENCE_MS = 60_000


def as_lines(rows: list[dict[str, Any]]) -> bytes:
    """The rows as JSONL."""
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def problem(number: int, **changes: Any) -> dict[str, Any]:
    """A problem of a file in HumanEval's layout: return that number."""
    return {
        "task_id": f"Tiny/{number}",
        "prompt": f'def f{number}():\n    """Return {number}."""\n',
        "entry_point": f"f{number}",
        "canonical_solution": f"    return {number}\n",
        "test": f"def check(candidate):\n    assert candidate() == {number}\n",
    } | changes


# The third solution is wrong, as one of a published benchmark may be here.
PROBLEMS = [problem(0), problem(1), problem(2, canonical_solution="    raise ValueError('no <i>way</i>')\n")]
COMPLETIONS = [
    {"task_id": "Tiny/0", "sample": 0, "completion": "    return 0\n\ndef helper():\n    pass\n"},
    {"task_id": "Tiny/0", "sample": 1, "completion": "    return 7\n"},
    {"task_id": "Tiny/1", "sample": 0, "completion": HOSTILE},
    {"task_id": "Tiny/1", "sample": 1, "completion": "    raise KeyError('<b>bold</b>')\n"},
    {"task_id": "Tiny/2", "sample": 0, "completion": "    return 2\n"},
    # of the sixth the file has nothing
]


def send_benchmark(client: TestClient, rows: list[dict[str, Any]] | None = None, **fields: str) -> Response:
    """The file as the page's form sends it."""
    file = ("tiny.jsonl", BytesIO(as_lines(PROBLEMS if rows is None else rows)), "application/octet-stream")
    return client.post("/benchmarks/import", files={"file": file}, data=fields)


REPLAY = {"backend": "replay", "samples": "2", "cut_rule": "function", "do": "all", "label": "Replayed"}


def send_completions(client: TestClient, slug: str = "tiny", **fields: str) -> Response:
    """A generation from a file, as the page's form sends it."""
    file = ("written.jsonl", BytesIO(as_lines(COMPLETIONS)), "application/octet-stream")
    return client.post(f"/benchmarks/{slug}/generate", files={"completions": file}, data=REPLAY | fields)


@pytest.fixture
def admin(world: World) -> TestClient:
    """An admin's browser."""
    return world.client("admin")


@pytest.fixture
def work(database: Database, settings: Settings) -> Work:
    """Does every run that waits, and those that they ask for, as a worker would: programs in the real sandbox."""

    def do() -> list[Run]:
        done: list[int] = []
        while True:
            with database.read() as session:
                waiting = select(Run.id).where(Run.state == "queued", Run.kind.in_(KINDS))
                run_id = session.scalar(waiting.order_by(Run.id).limit(1))
            if run_id is None:
                break
            assert runs.execute(database, settings, run_id)
            done.append(run_id)
        loaded.close()
        with database.read() as session:
            return [session.get_one(Run, each) for each in done]

    return do


@pytest.fixture
def worker(world: World, database: Database, settings: Settings) -> Iterator[None]:
    """Does what waits, in a thread beside the server."""
    stop = threading.Event()

    def work() -> None:
        while not stop.is_set():
            with database.read() as session:
                waiting = select(Run.id).where(Run.state == "queued", Run.kind.in_(KINDS))
                run_id = session.scalar(waiting.order_by(Run.id).limit(1))
            if run_id is None:
                time.sleep(0.1)
            else:
                runs.execute(database, settings, run_id)

    thread = threading.Thread(target=work)
    thread.start()
    yield
    stop.set()
    thread.join()


@pytest.fixture
def page(world: World, browser: Browser, live_server: str) -> Iterator[Page]:
    """An admin's."""
    context = browser.new_context(reduced_motion="reduce", base_url=live_server)
    context.add_cookies([{"name": "codejury", "value": world.cookies["admin"], "url": live_server}])
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    yield page
    context.close()
