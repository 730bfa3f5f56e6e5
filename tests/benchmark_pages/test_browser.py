"""In a real browser: from a file to verdicts, by the pages alone, with a look for what axe finds on each."""

import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from sqlalchemy import select

from app.config import Settings
from app.services import runs
from app.storage.engine import Database
from app.storage.models import Run
from tests.benchmark_pages.conftest import COMPLETIONS, PROBLEMS, as_lines
from tests.security.world import World
from tests.web.page_checks import problems_of

pytestmark = pytest.mark.browser
PATIENCE_MS = 60_000


@pytest.fixture
def _worker(world: World, database: Database, settings: Settings) -> Iterator[None]:
    """Does what waits, in a thread beside the server."""
    stop = threading.Event()

    def work() -> None:
        while not stop.is_set():
            with database.read() as session:
                waiting = select(Run.id).where(Run.state == "queued", Run.kind.in_(("execution", "generation")))
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


def _file(folder: Path, name: str, rows: list[dict[str, object]]) -> Path:
    path = folder / name
    path.write_bytes(as_lines(rows))
    return path


@pytest.mark.usefixtures("_worker")
def test_from_a_file_to_verdicts_in_a_browser(page: Page, tmp_path: Path) -> None:
    wrong: dict[str, list[str]] = {}

    def look(name: str) -> None:
        if found := problems_of(page):
            wrong[name] = found

    page.goto("/benchmarks/import")
    look("import")
    page.get_by_label("A file").set_input_files(_file(tmp_path, "tiny.jsonl", PROBLEMS))
    page.get_by_role("button", name="Import").click()
    # The page follows its run: nobody reloads it.
    expect(page.get_by_text("2 of 3 canonical solutions pass.")).to_be_visible(timeout=PATIENCE_MS)
    look("benchmark")
    page.get_by_role("link", name="New generation").click()
    expect(page.locator("#hub")).to_be_hidden() if page.locator("#backend").input_value() != "hub" else None
    page.get_by_label("Where it is").select_option("endpoint")
    expect(page.get_by_label("Environment variable with the key")).to_be_visible()
    expect(page.locator("#completions")).to_be_hidden()
    page.get_by_label("Where it is").select_option("replay")
    page.locator("#completions").set_input_files(_file(tmp_path, "written.jsonl", COMPLETIONS))
    page.get_by_label("Samples of each problem").fill("2")
    expect(page.locator("#estimate")).to_contain_text("6 completions")
    look("new generation")
    page.get_by_role("button", name="Write one sample first").click()
    expect(page.get_by_role("heading", name="The first sample passed")).to_be_visible(timeout=PATIENCE_MS)
    look("one sample")
    page.get_by_role("button", name="Start all").click()
    expect(page.get_by_text("2 of the 5 that were run pass their tests.")).to_be_visible(timeout=PATIENCE_MS)
    look("generation")
    page.get_by_role("link", name="failed 2").click()
    expect(page.locator("#completions ~ .table-wrap tbody tr")).to_have_count(2)
    page.get_by_role("link", name="Tiny/1").click()
    expect(page.get_by_text("<script>alert(1)</script>").first).to_be_visible()  # as text
    look("completion")
    page.get_by_role("link", name="The problem and all its completions").click()
    look("problem")
    page.get_by_role("link", name="Next").click()
    expect(page.get_by_role("heading", name="Tiny/2")).to_be_visible()
    page.goto("/benchmarks")
    look("list")
    page.goto("/benchmarks/tiny/study")
    look("study")
    page.get_by_role("button", name="Make the study").click()
    expect(page.get_by_role("heading", name="tiny, graded")).to_be_visible()
    assert not wrong, json.dumps(wrong, indent=1)
