"""What must hold on any page, looked for in a real Chromium."""

from typing import Any

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page
from playwright.sync_api import TimeoutError as TookTooLong

AXE = "(options) => axe.run(document, options)"
CONTRAST_ONLY = {"runOnly": {"type": "rule", "values": ["color-contrast"]}, "resultTypes": ["violations"]}
ALL_RULES = {"resultTypes": ["violations"]}

FITS = "() => document.documentElement.scrollWidth <= innerWidth"
PATIENCE_MS = 3000

# Each focusable thing in turn, as if by the Tab key: is there a ring, an outline, or a shadow around it?
UNSEEN_FOCUS = """() => {
  const controls = "a[href], button, input:not([type=hidden]), select, textarea, summary";
  const isSeen = ({ outlineStyle, outlineWidth, outlineColor, boxShadow }) =>
    boxShadow !== "none" ||
    (outlineStyle !== "none" && parseFloat(outlineWidth) >= 2 && outlineColor !== "rgba(0, 0, 0, 0)");
  const unseen = [];
  for (const element of document.querySelectorAll(`${controls}, [tabindex]:not([tabindex="-1"])`)) {
    if (element.disabled || !element.checkVisibility({ visibilityProperty: true })) continue;
    element.focus();
    if (document.activeElement === element && !isSeen(getComputedStyle(element))) {
      unseen.push(element.outerHTML.slice(0, 120));
    }
  }
  document.activeElement?.blur();
  scrollTo(0, 0);
  return unseen;
}"""

MOVING = """() => {
  const moving = document.getAnimations().map((each) => each.animationName ?? each.transitionProperty);
  for (const element of document.querySelectorAll("body, body *")) {
    for (const pseudo of [null, "::before", "::after"]) {
      const style = getComputedStyle(element, pseudo);
      const fades = style.transitionDuration.split(", ").some((time) => parseFloat(time) > 0);
      if (fades || style.animationName !== "none" || style.scrollBehavior === "smooth") {
        moving.push(element.outerHTML.slice(0, 120));
      }
    }
  }
  return moving;
}"""

# A template's line end between two sentences is lost where a tag ends the one line and begins the next.
GLUED = r"""() => {
  const isText = (node) => !node.parentElement.closest("pre, code, bdi, script, style, textarea, [translate=no]");
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const glued = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (isText(node) && /\p{Ll}\.[\p{Lu}\d][\p{L}\d,]* /u.test(node.data)) glued.push(node.data.trim().slice(0, 120));
  }
  return glued;
}"""


def problems_of(page: Page) -> list[str]:
    """Everything that is wrong with the page that shows, at 320 px, at 200 % zoom and on a desk, light and dark.

    The rules of axe see the same document in each theme, except for its contrast: so the whole of them runs on the
    phone in light and on the desk in dark.
    """
    page.evaluate(AXE_SCRIPT)
    found: list[str] = []
    page.set_viewport_size({"width": 320, "height": 640})
    found += _sideways(page, "at 320 px")
    found += _violations(page, "light", ALL_RULES) + _violations(page, "dark", CONTRAST_ONLY)
    page.set_viewport_size({"width": 640, "height": 450})  # what 1280 × 900 leaves at 200 %
    found += _sideways(page, "at 200 % zoom")
    page.set_viewport_size({"width": 1280, "height": 900})
    found += _sideways(page, "on a desk")
    found += _violations(page, "dark", ALL_RULES) + _violations(page, "light", CONTRAST_ONLY)
    found += [f"two sentences without a space: {each}" for each in page.evaluate(GLUED)]
    found += [f"moves although less motion is wanted: {each}" for each in page.evaluate(MOVING)]
    page.keyboard.press("Tab")  # from here on Chromium takes the focus for one by keyboard
    found += [f"its focus is not seen: {each}" for each in page.evaluate(UNSEEN_FOCUS)]
    return found


def _sideways(page: Page, where: str) -> list[str]:
    try:
        page.wait_for_function(FITS, timeout=PATIENCE_MS)  # a chart follows its window in a moment
    except TookTooLong:
        width, room = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
        return [f"scrolls sideways {where}: {width} px in {room}"]
    return []


def _violations(page: Page, scheme: str, options: dict[str, Any]) -> list[str]:
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # type: ignore[arg-type]
    violations = page.evaluate(AXE, options)["violations"]
    size = page.viewport_size
    width = size["width"] if size else 0
    return [
        f"axe, {scheme}, {width} px: {each['id']} ({each['impact']}): {node['html'][:160]}"
        for each in violations
        for node in each["nodes"]
    ]
