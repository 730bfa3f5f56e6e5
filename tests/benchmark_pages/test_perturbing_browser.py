"""In a real browser: a benchmark is perturbed, its set looked at pair by pair, and a rule tried on a pasted text."""

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.benchmark_pages.conftest import PATIENCE_MS, PROBLEMS, as_lines
from tests.web.page_checks import problems_of

pytestmark = pytest.mark.browser
CHOSEN = ("docstring/ChangeCharCase", "function_name/CamelCase", "format/TabIndent")


def _rule(page: Page, name: str) -> Locator:
    return page.locator(f'[name=transformation][value="{name}"]')


def _place(page: Page, **parts: str) -> None:
    """Wait until the address tells this place."""
    for name, value in parts.items():
        expect(page).to_have_url(re.compile(rf"[?&]{name}={value}(&|$)"))
    page.wait_for_load_state()  # before that nobody listens to keys


@pytest.mark.usefixtures("worker")
def test_perturb_look_and_try_in_a_browser(page: Page, tmp_path: Path) -> None:
    wrong: dict[str, list[str]] = {}

    def look(name: str) -> None:
        if found := problems_of(page):
            wrong[name] = found

    file = tmp_path / "tiny.jsonl"
    file.write_bytes(as_lines(PROBLEMS))
    page.goto("/benchmarks/import")
    page.get_by_label("A file").set_input_files(file)
    page.get_by_role("button", name="Import").click()
    expect(page.get_by_text("2 of 3 canonical solutions pass.")).to_be_visible(timeout=PATIENCE_MS)
    expect(page.locator("#problem-list")).not_to_contain_text("not run yet")
    page.get_by_role("link", name="Perturb").click()

    # Boxes of a category go with it; other rules make other transformations.
    expect(_rule(page, "syntax/VarRenamerCB")).to_be_disabled()
    expect(_rule(page, "docstring/SynonymInsertion")).to_be_checked()
    page.get_by_label("The released ones").check()
    expect(_rule(page, "docstring/SynonymInsertion")).to_be_disabled()
    page.get_by_label("The paper’s").check()
    expect(_rule(page, "docstring/SynonymInsertion")).to_be_enabled()
    for name in ("docstring", "function_name", "syntax", "format"):
        page.locator(f"#category-{name}").uncheck()
    expect(_rule(page, "docstring/SynonymInsertion")).not_to_be_checked()
    page.get_by_label("Seeds").fill("2")
    for name in CHOSEN:
        _rule(page, name).check()
    expect(page.locator("#estimate")).to_contain_text("12 prompts made of 3 problems.")
    # Solutions of one line show no half.
    expect(page.locator("#estimate")).not_to_contain_text("half of the solution")
    look("form")
    page.get_by_role("button", name="Make the set").click()

    # The page follows both runs: nobody reloads it.
    expect(page.get_by_text("as far as any model can come.")).to_be_visible(timeout=PATIENCE_MS)
    expect(page.locator("#problem-list").get_by_role("link", name="Tiny/0", exact=True)).to_be_visible()
    look("set")
    page.get_by_role("link", name="ChangeCharCase", exact=True).click()
    expect(page.get_by_role("heading", name="Tiny/0 docstring/ChangeCharCase")).to_be_visible()
    expect(page.locator(".pair .only").first).to_be_visible()
    look("viewer")
    page.keyboard.press("ArrowRight")
    _place(page, problem="Tiny/1", seed="0")
    page.keyboard.press("s")
    _place(page, problem="Tiny/1", seed="1")
    page.get_by_role("link", name="Seed before").click()
    _place(page, problem="Tiny/1", seed="0")
    page.keyboard.press("t")
    _place(page, transformation="function_name/CamelCase")
    expect(page.get_by_text("Unchanged.")).to_be_visible()
    look("unchanged")
    page.keyboard.press("Shift+T")
    _place(page, transformation="docstring/ChangeCharCase")
    page.get_by_label("Problem", exact=True).select_option("Tiny/2")
    _place(page, problem="Tiny%2F2")
    # The solution was wrong before.
    expect(page.locator(".reason")).to_have_text("ValueError: no <i>way</i>")
    page.get_by_label("Only changed problems").check()
    _place(page, show="changed")

    page.get_by_role("link", name="Try it on your own text").click()
    page.get_by_label("Prompt").fill('def total(words):\n    """Return how many words there are in the list."""\n')
    page.get_by_label("Transformation").select_option("SynonymSubstitution")
    page.get_by_role("button", name="Change it").click()
    expect(page.get_by_role("heading", name="What became of it")).to_be_visible(timeout=PATIENCE_MS)
    look("try")
    # A solution is tried as it was pasted, indented from its first line on.
    page.get_by_text("Its solution, and which function is meant").click()
    page.get_by_label("Solution", exact=True).fill(
        "    found = 0\n    for each in words:\n        found += 1\n    last = found\n    return last\n"
    )
    page.get_by_label("Transformation").select_option("ForWhileSwitch")
    page.get_by_role("button", name="Change it").click()
    expect(page.get_by_text("Half of the solution stands in the prompt")).to_be_visible(timeout=PATIENCE_MS)
    expect(page.locator("#attempt, main").first).to_contain_text("while ")
    expect(page.get_by_text("Unchanged.")).to_be_hidden()
    page.get_by_label("Prompt").fill("no function")
    page.get_by_role("button", name="Change it").click()
    expect(page.get_by_role("alert").get_by_text("There is no function in the text.")).to_be_visible()
    assert not wrong, json.dumps(wrong, indent=1)
