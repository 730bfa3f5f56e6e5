"""In a real browser: from a file to verdicts, by the pages alone, with a look for what axe finds on each."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.benchmark_pages.conftest import COMPLETIONS, PATIENCE_MS, PROBLEMS, as_lines
from tests.web.page_checks import problems_of

pytestmark = pytest.mark.browser


def _file(folder: Path, name: str, rows: list[dict[str, object]]) -> Path:
    path = folder / name
    path.write_bytes(as_lines(rows))
    return path


@pytest.mark.usefixtures("worker")
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
