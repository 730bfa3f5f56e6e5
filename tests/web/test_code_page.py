"""Code, pairs and pictures in a real Chromium: exact, switchable, accessible."""

from collections.abc import Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from tests.web.code_page import CODE, PAIR, CodePage, new_code_page

pytestmark = pytest.mark.browser

WATCH = "addEventListener('securitypolicyviolation', e => (window.violations ??= []).push(e.violatedDirective))"
COPIED = """(place) => {
  getSelection().selectAllChildren(place);
  return getSelection().toString();
}"""


@pytest.fixture
def opened(browser: Browser, live_server: str) -> Iterator[CodePage]:
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.add_init_script(WATCH)
    code_page = new_code_page(context, live_server)
    failures: list[str] = []
    code_page.page.on("pageerror", lambda error: failures.append(str(error)))
    yield code_page
    assert code_page.page.evaluate("window.violations ?? []") == []
    context.close()
    assert failures == []


def program(page: Page) -> str:
    return page.get_by_role("region", name="Program").locator("code").evaluate(COPIED)  # type: ignore[no-any-return]


def style(page: Page, selector: str, name: str, pseudo: str = "") -> str:
    script = f"(e) => getComputedStyle(e, {pseudo!r} || null).{name}"
    return page.locator(selector).first.evaluate(script)  # type: ignore[no-any-return]


def test_what_is_copied_is_the_text_whatever_is_shown(opened: CodePage) -> None:
    page = opened.open()
    text = CODE.removesuffix("\n")
    assert program(page).removesuffix("\n") == text
    for label in ("Wrap long lines", "Show white space"):
        page.get_by_label(label).check()
        assert program(page).removesuffix("\n") == text
    left = page.get_by_role("region", name="Left").locator("code")
    assert left.evaluate(COPIED).removesuffix("\n") == PAIR[0].removesuffix("\n")
    assert left.text_content() == PAIR[0]


@pytest.mark.parametrize("letter", "\x0b\x0c\r\x1b\x85\u2028\u2029\u202e\u2067\ufeff\xad\u034f\ufe0f\U000e0041\u3164")
@pytest.mark.fault("F34")
def test_no_character_breaks_a_line_or_moves_others(opened: CodePage, letter: str) -> None:
    page = opened.open(f"before = 1\nx = 'a{letter}b' # c\nafter = 1")
    lines = page.get_by_role("region", name="Program").locator(".line")
    heights = {line.evaluate("(e) => e.getBoundingClientRect().height") for line in lines.all()}
    assert len(heights) == 1
    places = lines.nth(1).evaluate(
        """(line) => {
          const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT), places = [];
          for (let node; (node = walker.nextNode());) {
            const range = document.createRange();
            range.selectNodeContents(node);
            if (node.textContent.trim()) places.push(range.getBoundingClientRect().left);
          }
          return places;
        }"""
    )
    assert places == sorted(places)


def test_tabs_stop_where_an_editor_stops(opened: CodePage) -> None:
    page = opened.open("\ta\nabc\td\nabcd\te\n    f")
    lefts = (
        page.get_by_role("region", name="Program")
        .locator(".line")
        .evaluate_all(
            """(lines) => lines.map((line) => {
          const range = document.createRange(), last = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
          let node = null, found = null;
          while ((node = last.nextNode())) if (node.textContent.trim()) found = node;
          const end = found.textContent.trimEnd().length;
          range.setStart(found, end - 1);
          range.setEnd(found, end);
          return Math.round(range.getBoundingClientRect().left);
        })"""
        )
    )
    assert lefts[0] == lefts[1] == lefts[3]
    assert lefts[2] > lefts[0]


def test_long_lines_wrap_on_demand_and_the_choice_is_kept(opened: CodePage) -> None:
    page = opened.open()
    place = page.get_by_role("region", name="Program")
    scrolls = "(e) => e.scrollWidth > e.clientWidth"
    assert place.evaluate(scrolls)
    page.get_by_label("Wrap long lines").check()
    assert not place.evaluate(scrolls)
    assert page.evaluate("document.activeElement === document.body"), "the page's own keys work at once"
    page.reload()
    expect(page.get_by_label("Wrap long lines")).to_be_checked()
    assert not place.evaluate(scrolls)
    bar = page.locator(".code-options")
    bar.evaluate(
        "(e) => { const copy = e.cloneNode(true); copy.querySelector('input').checked = false; e.replaceWith(copy); }"
    )
    expect(page.get_by_label("Wrap long lines")).to_be_checked()  # boxes that come with the next item know it, too


def test_boxes_work_by_keyboard_and_keep_their_place(opened: CodePage) -> None:
    page = opened.open()
    page.get_by_label("Show white space").focus()
    page.keyboard.press("Space")
    expect(page.get_by_label("Show white space")).to_be_checked()
    expect(page.get_by_label("Show white space")).to_be_focused()


def test_without_scripts_boxes_and_pictures_work(browser: Browser, live_server: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = new_code_page(context, live_server).open()
    place = page.get_by_role("region", name="Program")
    before = place.locator(".line").nth(2).bounding_box()
    page.get_by_label("Wrap long lines").check()
    after = place.locator(".line").nth(2).bounding_box()
    assert before is not None
    assert after is not None
    assert after["height"] > before["height"]
    with context.expect_page() as shown:
        page.get_by_role("link", name="A pair of scales").click()
    assert shown.value.url == f"{live_server}/card.png"
    context.close()


def test_white_space_shows_on_demand(opened: CodePage) -> None:
    page = opened.open()
    sign = "section[aria-label=First] .w"
    assert style(page, sign, "content", "::before") == "none"
    width = page.locator(sign).first.bounding_box()
    page.get_by_label("Show white space").check()
    assert "→" in style(page, sign, "content", "::before")
    assert page.locator(sign).first.bounding_box() == width, "nothing moves"


def test_differences_are_marked_told_and_switched_off(opened: CodePage) -> None:
    page = opened.open()
    left = page.get_by_role("region", name="Left")
    assert style(page, ".only", "textDecorationLine") == "underline"
    assert style(page, ".only", "backgroundColor") != "rgba(0, 0, 0, 0)"
    assert "[only in Left: f ]" in left.aria_snapshot()
    assert "[only in Right: F ]" in page.get_by_role("region", name="Right").aria_snapshot()
    expect(page.locator(".pair-places").first).to_have_text("The texts differ in 4 places.")
    page.get_by_label("Mark the differences").uncheck()
    assert style(page, ".only", "textDecorationLine") == "none"
    assert style(page, ".only", "backgroundColor") == "rgba(0, 0, 0, 0)"
    assert style(page, ".only .w", "content", "::before") == "none"
    assert "only in" not in left.aria_snapshot()
    expect(page.locator(".pair-places").first).not_to_be_visible()
    page.reload()
    expect(page.get_by_label("Mark the differences")).not_to_be_checked()


def test_changed_white_space_is_seen(opened: CodePage) -> None:
    page = opened.open(pair=("if a:\n    return b\n", "if a:\r\n\treturn b \n\n"))
    signs = "(spans) => spans.map((e) => getComputedStyle(e, '::before').content.split(' / ')[0])"
    shown = page.get_by_role("region", name="Right").locator(".only .w").evaluate_all(signs)
    assert shown == ['"CRLF"', '"→"', '"·"', '"↵"']
    page.get_by_label("Show white space").check()
    for mark in page.get_by_role("region", name="Right").locator(".only").all():
        box = mark.bounding_box()
        assert box is not None
        assert box["width"] > 5


@pytest.mark.parametrize("direction", ["ltr", "rtl"])
def test_pairs_stand_side_by_side_where_there_is_room(opened: CodePage, direction: str) -> None:
    page = opened.open(direction=direction)

    def boxes() -> list[dict[str, float]]:
        return [page.get_by_role("region", name=name).bounding_box() for name in ("Left", "Right")]  # type: ignore[misc]

    page.set_viewport_size({"width": 900, "height": 800})
    left, right = boxes()
    assert left["y"] == right["y"]
    assert (left["x"] < right["x"]) == (direction == "ltr")
    page.set_viewport_size({"width": 899, "height": 800})
    left, right = boxes()
    assert (left["x"], left["y"] < right["y"]) == (right["x"], True)
    assert style(page, ".code .line", "direction") == "ltr"


def test_a_picture_opens_as_large_as_the_window(opened: CodePage) -> None:
    page = opened.open()
    link = page.get_by_role("link", name="A pair of scales")
    link.focus()
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog", name="The picture in full size")
    expect(dialog.get_by_role("img", name="A pair of scales")).to_be_visible()
    shown = dialog.get_by_role("img").bounding_box()
    assert shown is not None
    assert shown["height"] > 700
    button = dialog.get_by_role("button", name="Actual size")
    button.click()
    expect(button).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("Escape")
    expect(dialog).not_to_be_visible()
    expect(link).to_be_focused()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_and_nothing_but_code_scrolls_sideways(opened: CodePage, scheme: str) -> None:
    opened.page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    for width in (320, 1280):
        opened.page.set_viewport_size({"width": width, "height": 800})
        for direction in ("ltr", "rtl"):
            page = opened.open(direction=direction)
            page.get_by_label("Show white space").check()
            results = Axe().run(page)
            assert results.violations_count == 0, results.generate_report()
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
            page.get_by_role("link", name="A pair of scales").click()
            results = Axe().run(page)
            assert results.violations_count == 0, results.generate_report()
            page.keyboard.press("Escape")


def test_forced_colours_keep_the_marks(opened: CodePage) -> None:
    opened.page.emulate_media(forced_colors="active")
    page = opened.open()
    assert style(page, ".only", "outlineStyle") == "solid"
    page.get_by_label("Mark the differences").uncheck()
    assert style(page, ".only", "outlineStyle") == "none"
