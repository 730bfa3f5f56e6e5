"""What an annotator's browser loads: the first page with all that belongs to it, then item after item by keyboard.

python -m benchmarks.page_weight     (in a real Chromium; bytes as they came over the wire, nothing cached before)

Goals: the first page under 150 KB, each next item under 15 KB.
"""

import os
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import CDPSession, Page, sync_playwright

from app.storage import migrate
from app.storage.engine import Database
from benchmarks._big_study import fill
from benchmarks.grading_load import server
from tests.services import programs

PROBLEMS, ANSWERS = 200, 30
THOUGHT_MS = 400  # a key that follows at once is taken for the same press
PAGE_KB, ITEM_KB = 150, 15


class Wire:
    """Kilobytes that came, by the path that was asked for."""

    def __init__(self, session: CDPSession) -> None:
        self.came: dict[str, list[float]] = defaultdict(list)
        self._paths: dict[str, str] = {}
        session.send("Network.enable")
        session.on("Network.requestWillBeSent", self._asked)
        session.on("Network.loadingFinished", self._loaded)

    def _asked(self, event: dict[str, Any]) -> None:
        self._paths[event["requestId"]] = event["request"]["url"].split("/", 3)[3]

    def _loaded(self, event: dict[str, Any]) -> None:
        path = self._paths.get(event["requestId"], "")
        self.came[path].append(event["encodedDataLength"] / 1000)


@contextmanager
def annotator_page() -> Iterator[tuple[Page, str]]:
    """A signed-in annotator's browser, and where the study is."""
    flags = ["--no-sandbox"] if os.geteuid() == 0 else []  # Chromium's own sandbox does not work for root
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        url = f"sqlite:///{folder}/bench.sqlite3"
        migrate.upgrade(url)
        database = Database(url)
        _, cookie = fill(database, problems=PROBLEMS).people[0]
        database.dispose()
        with server(url, Path(folder)) as (port, _):
            browser = playwright.chromium.launch(executable_path=programs.CHROMIUM.find(), args=flags)
            context = browser.new_context()
            context.add_cookies([{"name": "codejury", "value": cookie, "url": f"http://127.0.0.1:{port}"}])
            yield context.new_page(), f"http://127.0.0.1:{port}/grade"
            browser.close()


def grade(page: Page) -> float:
    """Answer the item by its key; how many kilobytes the reply had."""
    page.wait_for_timeout(THOUGHT_MS)
    with page.expect_response(lambda response: response.url.endswith("/answer")) as answered:
        page.keyboard.press("2")
    sizes = answered.value.request.sizes()
    return (sizes["responseHeadersSize"] + sizes["responseBodySize"]) / 1000


def main() -> None:
    """The first page, by kind of file, then what each answer brought."""
    with annotator_page() as (page, address):
        wire = Wire(page.context.new_cdp_session(page))
        page.goto(address, wait_until="networkidle")
        first = {path: sum(sizes) for path, sizes in wire.came.items()}
        replies = [grade(page) for _ in range(ANSWERS)]
    kinds: dict[str, float] = defaultdict(float)
    for path, size in first.items():
        kinds[Path(path.partition("?")[0]).suffix or "page and items"] += size
    parts = ", ".join(f"{kind} {size:.1f}" for kind, size in sorted(kinds.items(), key=lambda each: -each[1]))
    print(f"first page: {sum(first.values()):.1f} KB of {PAGE_KB} in {len(first)} files ({parts})")
    print(f"a reply: {max(replies):.1f} KB at most, with all the items that it brings")
    print(f"an item: {sum(replies) / ANSWERS:.1f} KB of {ITEM_KB}, as the mean of {ANSWERS} answers")


if __name__ == "__main__":
    main()
