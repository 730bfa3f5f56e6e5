"""The vendored scripts are the versions that the Python side expects, and draw under the strict policy."""

import hashlib
import json
import re
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import pytest
from plotly.offline import get_plotlyjs_version

from app.web.security import CONTENT_SECURITY_POLICY
from app.web.templating import templates
from scripts.front_end import FrontEndError, plotly_style_sheet

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

ROOT = Path(__file__).resolve().parent.parent
VENDOR = ROOT / "static" / "vendor"


def wanted(package: str) -> str:
    """Return the version that package.json names."""
    version: str = json.loads((ROOT / "package.json").read_text(encoding="utf-8"))["dependencies"][package]
    return version


@pytest.fixture(scope="module")
def manifest() -> dict[str, dict[str, str]]:
    """What set-up says of the files that it made."""
    path = VENDOR / "manifest.json"
    assert path.exists(), "the front-end's files are missing: make setup"
    entries: dict[str, dict[str, str]] = json.loads(path.read_text(encoding="utf-8"))
    return entries


def test_every_version_is_exact_and_the_lock_agrees() -> None:
    packages = json.loads((ROOT / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    for package in packages[""]["dependencies"]:
        assert re.fullmatch(r"\d+\.\d+\.\d+", wanted(package))
        locked = packages[f"node_modules/{package}"]
        assert locked["version"] == wanted(package)
        assert locked["integrity"].startswith("sha512-")
        assert "resolved" not in locked, "the lock must work with any registry: keep .npmrc"


def test_manifest_tells_what_lies_there(manifest: dict[str, dict[str, str]]) -> None:
    assert {path.name for path in VENDOR.iterdir()} == {*manifest, "manifest.json"}
    for name, entry in manifest.items():
        assert entry["version"] == wanted(entry["package"])
        assert entry["sha256"] == hashlib.sha256((VENDOR / name).read_bytes()).hexdigest()


def test_plotly_is_the_version_that_plotly_py_writes_for(manifest: dict[str, dict[str, str]]) -> None:
    header = (VENDOR / "plotly-cartesian.min.js").read_text(encoding="utf-8")[:200]
    found = re.search(r"plotly\.js \(cartesian - minified\) v([\d.]+)", header)
    assert found is not None
    assert found[1] == get_plotlyjs_version() == wanted("plotly.js-cartesian-dist-min")


def test_htmx_says_the_version_that_was_asked_for(manifest: dict[str, dict[str, str]]) -> None:
    found = re.search(r'version:"([\d.]+)"', (VENDOR / "htmx.min.js").read_text(encoding="utf-8"))
    assert found is not None
    assert found[1] == wanted("htmx.org")


def test_style_sheet_keeps_the_order_of_precedence() -> None:
    script = """x={"X,X div":'margin:0;font-family:"A",b;',Y:'top:1px;',"X .bar":"left:2px;"};for(k in x)add(k)"""
    assert plotly_style_sheet(script).splitlines()[1:] == [
        ".js-plotly-plot .plotly .bar{left:2px;}",
        ".plotly-notifier{top:1px;}",
        '.js-plotly-plot .plotly,.js-plotly-plot .plotly div{margin:0;font-family:"A",b;}',
    ]


@pytest.mark.parametrize("script", ["no rules", """x={"X,X div":'margin:0',"Y":some()};for("""])
def test_another_form_of_the_rules_is_an_error(script: str) -> None:
    with pytest.raises(FrontEndError, match="another way"):
        plotly_style_sheet(script)


PAGE = """<!DOCTYPE html><title>Charts</title><script src="/record.js"></script>
{head}
<script src="/draw.js" defer></script><div id="chart"></div>"""
WITHOUT_HELP = '<script src="/static/vendor/plotly-cartesian.min.js" defer></script>'
RECORD = """window.violations = [];
document.addEventListener("securitypolicyviolation",
  (event) => violations.push(`${event.violatedDirective} ${event.sourceFile}:${event.lineNumber}`));"""
DRAW = """Plotly.newPlot("chart", [
  {type: "bar", x: ["a", "b"], y: [1, 2], error_y: {array: [0.1, 0.2]}},
  {type: "scatter", x: [1, 2], y: [2, 1], text: ["p", "q"], xaxis: "x2", yaxis: "y2"},
  {type: "heatmap", z: [[1, 2], [3, 4]], xaxis: "x3", yaxis: "y3", showscale: true},
  {type: "box", y: [1, 2, 3, 9], xaxis: "x4", yaxis: "y4"},
], {grid: {rows: 2, columns: 2, pattern: "independent"}, width: 800, height: 600, title: {text: "Four"}},
{displayModeBar: true, displaylogo: false}).then(() => { window.drawn = true; });"""


class Site(SimpleHTTPRequestHandler):
    """The static files, and the page of charts, under the policy."""

    pages: ClassVar = {
        "/": ("text/html", PAGE.format(head=templates.get_template("components/_plotly.html").render())),
        "/without-help": ("text/html", PAGE.format(head=WITHOUT_HELP)),
        "/record.js": ("text/javascript", RECORD),
        "/draw.js": ("text/javascript", DRAW),
    }

    def do_GET(self) -> None:
        if self.path not in self.pages:
            super().do_GET()
            return
        kind, body = self.pages[self.path]
        self.send_response(200)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(body.encode())))
        self.end_headers()
        self.wfile.write(body.encode())

    def end_headers(self) -> None:
        self.send_header("Content-Security-Policy", CONTENT_SECURITY_POLICY)
        super().end_headers()

    def log_message(self, *_: Any) -> None:
        """Be quiet."""


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    """Address of the page of charts."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Site, directory=str(ROOT))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def open_charts(browser: "Browser", address: str) -> "Page":
    """Return the page with its charts drawn."""
    page = browser.new_page(viewport={"width": 900, "height": 700})
    page.goto(address)
    page.wait_for_function("window.drawn === true")
    return page


def style(page: "Page", selector: str, name: str) -> str:
    """Return the style that Chromium gives the first such element."""
    value: str = page.locator(selector).first.evaluate(f"element => getComputedStyle(element).{name}")
    return value


def test_charts_draw_under_the_strict_policy(site: str, browser: "Browser", tmp_path: Path) -> None:
    page = open_charts(browser, site + "/")
    page.hover(".nsewdrag", force=True)
    with page.expect_download() as download:
        page.locator('[data-title^="Download plot"]').first.click()
    assert download.value.suggested_filename.endswith(".png")
    page.screenshot(path=tmp_path / "charts.png")
    assert page.evaluate("violations") == []
    assert page.locator("head style").count() == 0
    assert style(page, ".modebar", "position") == style(page, ".main-svg", "position") == "absolute"
    assert style(page, ".heatmaplayer image", "imageRendering") in ("pixelated", "crisp-edges")
    for mark in (".bars .point", ".scatterlayer .point", ".heatmaplayer image", ".boxlayer path.box"):
        assert page.locator(mark).count() > 0, mark
    page.close()


def test_without_help_the_policy_is_broken(site: str, browser: "Browser") -> None:
    """What sheet and shim are for; a plotly.js that needs neither would fail here, and they could go."""
    page = open_charts(browser, site + "/without-help")
    assert page.evaluate("violations") != []
    page.close()


def test_the_sheet_holds_the_rules_that_plotly_would_insert(browser: "Browser", site: str) -> None:
    """Chromium's own reading of the rules that plotly.js inserts equals its reading of ours, in order."""
    page = browser.new_page(bypass_csp=True)
    read = "id => [...document.getElementById(id).sheet.cssRules].map(rule => rule.cssText)"
    page.goto(site + "/without-help")
    page.wait_for_function("window.drawn === true")
    inserted = page.evaluate(read, "plotly.js-style-global")
    page.goto(site + "/")
    page.wait_for_function("window.drawn === true")
    assert page.evaluate(read, "plotly.js-style-global") == inserted
    page.close()
