"""People who grade through the web, whatever happens to it: each answer is sent until it is acknowledged."""

import http.client
import json
import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from tests.faults.study import Person

PATIENCE = 60.0  # seconds after which an answer that nobody takes fails the test
PAUSE = 0.1


@dataclass
class Browser:
    """One person's browser; where it asks may change, as behind a proxy."""

    person: Person
    ports: Sequence[int]
    acknowledged: dict[str, float] = field(default_factory=dict)
    statuses: Counter[int] = field(default_factory=Counter)  # 0: no answer at all
    headers: list[dict[str, str]] = field(default_factory=list)  # of refusals
    lost: list[str] = field(default_factory=list)  # what happened to those without an answer
    timeout: float = 20
    done: bool = False

    def post(self, path: str, body: object) -> dict[str, Any] | None:
        """One try: the answer's JSON, None where there was none or a refusal."""
        start = time.monotonic()
        connection = http.client.HTTPConnection("127.0.0.1", random.choice(self.ports), timeout=self.timeout)
        headers = {
            "Content-Type": "application/json",
            "Accept": "application/json",
            "Sec-Fetch-Site": "same-origin",
            "Connection": "close",
            "Cookie": f"codejury={self.person.cookie}",
        }
        try:
            connection.request("POST", path, json.dumps(body), headers)
            answer = connection.getresponse()
            content = answer.read()
            said = json.loads(content) if answer.status == 200 else None
        except (OSError, http.client.HTTPException, ValueError) as error:  # the last: cut off among the headers
            self.statuses[0] += 1
            self.lost.append(f"{path} after {time.monotonic() - start:.1f} s: {error!r}")
            return None
        finally:
            connection.close()
        self.statuses[answer.status] += 1
        if said is not None:
            return dict(said)
        self.headers.append({name.lower(): value for name, value in answer.getheaders()})
        return None

    def insist(self, path: str, body: object) -> dict[str, Any]:
        """Try until it is answered, as the page's outbox does."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if (answer := self.post(path, body)) is not None:
                return answer
            time.sleep(PAUSE)
        raise AssertionError(f"Nobody answered {path} for {PATIENCE} s: {self.statuses}.")

    def next_item(self) -> str | None:
        """The item that this person should grade now."""
        items = self.insist("/grade/next", {"have": []})["items"]
        return items[0]["id"] if items else None

    def grade(self, item: str, value: int, submission: str | None = None) -> None:
        """Send the answer until it is stored, and note that it is."""
        submission = submission or uuid4().hex
        stored = self.insist(f"/grade/{item}/answer", answer_of(submission, value))["stored"]
        assert stored == submission
        self.acknowledged[submission] = value

    def grade_one(self) -> bool:
        """Grade the next item; False when nothing is left."""
        item = self.next_item()
        if item is None:
            self.done = True
        else:
            self.grade(item, random.randrange(5))
        return not self.done


def answer_of(submission: str, value: int) -> dict[str, Any]:
    """A grade as the page's script sends it."""
    return {"submission_id": submission, "kind": "grade", "revision": 0, "answers": {"helpfulness": value}}


@contextmanager
def grading(people: Sequence[Person], ports: Sequence[int], **more: Any) -> Iterator[list[Browser]]:
    """All of them grade at the same time, each in a thread, until the block ends or nothing is left."""
    browsers = [Browser(person, ports, **more) for person in people]
    over = threading.Event()
    failures: list[BaseException] = []

    def work(browser: Browser) -> None:
        try:
            while not over.is_set() and browser.grade_one():
                pass
        except BaseException as error:  # told where the test can see it
            failures.append(error)

    threads = [threading.Thread(target=work, args=(each,)) for each in browsers]
    for each in threads:
        each.start()
    try:
        yield browsers
    finally:
        over.set()
        for each in threads:
            each.join(2 * PATIENCE)
    if failures:
        raise failures[0]


def acknowledged(browsers: Sequence[Browser]) -> dict[str, float]:
    """What all of them were told is stored."""
    return {submission: value for each in browsers for submission, value in each.acknowledged.items()}


def stored(browsers: Sequence[Browser], count: int) -> Callable[[], bool]:
    """Whether that many answers more than now are acknowledged, to be waited for."""
    goal = len(acknowledged(browsers)) + count
    return lambda: len(acknowledged(browsers)) >= goal or all(each.done for each in browsers)
