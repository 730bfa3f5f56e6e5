"""F01: the web process dies around a commit, and the browser sends its answer again."""

import os
import random
import signal
from collections.abc import Callable
from uuid import uuid4

import pytest
from sqlalchemy import func, select

from app.storage.models import GradeEvent
from tests.faults import invariants
from tests.faults.launch import SETTING
from tests.faults.load import Browser, acknowledged, answer_of, grading, stored
from tests.faults.processes import Web
from tests.faults.study import Installation
from tests.workers.process import wait_for

Start = Callable[..., Web]


def events(installation: Installation, submission: str) -> int:
    with installation.database.read() as session:
        count = select(func.count()).select_from(GradeEvent).where(GradeEvent.submission_id == submission)
        return session.scalar(count) or 0


@pytest.mark.fault("F01")
@pytest.mark.parametrize(("point", "is_stored"), [("before_commit", 0), ("after_commit", 1)])
def test_killed_around_the_commit_a_grade_is_stored_once(
    installation: Installation, start_web: Start, point: str, is_stored: int
) -> None:
    analysis = installation.analysis()
    web = start_web(fault=f"{point}:1")
    [person] = installation.people(1)
    browser = Browser(person, [web.port])
    item, submission = browser.next_item(), uuid4().hex
    assert browser.post(f"/grade/{item}/answer", answer_of(submission, 3)) is None
    web.wait_until_dead()
    assert events(installation, submission) == is_stored
    browser.ports = [start_web().port]
    browser.grade(str(item), 3, submission)
    invariants.check(installation, browser.acknowledged, analysis)


@pytest.mark.fault("F01")
def test_killed_again_and_again_while_people_grade(installation: Installation, start_web: Start) -> None:
    analysis = installation.analysis()
    webs = [start_web()]
    ports = [webs[0].port]
    if not installation.url.startswith("sqlite"):  # a file has one server at a time
        ports.append(start_web().port)
    with grading(installation.people(4), ports) as browsers:
        for _ in range(2):
            wait_for(stored(browsers, 5), "answers")
            webs[-1].kill()
            webs.append(start_web(port=ports[0]))
        wait_for(stored(browsers, 5), "answers")
    assert any(each.statuses[0] for each in browsers), "somebody was cut off"
    invariants.check(installation, acknowledged(browsers), analysis)


@pytest.mark.fault("F01")
def test_one_of_two_killed_again_and_again_while_people_grade(installation: Installation, start_web: Start) -> None:
    """On one port and, with SQLite, one file: what the dead one held is free for the other."""
    web = start_web(processes=2)
    with grading(installation.people(4), [web.port]) as browsers:
        for _ in range(3):
            wait_for(stored(browsers, 5), "answers")
            os.kill(random.choice(web.servers()), signal.SIGKILL)
        wait_for(stored(browsers, 5), "answers")
    invariants.check(installation, acknowledged(browsers))


@pytest.mark.sqlite_is_enough
def test_what_kills_a_process_here_is_not_in_the_product(installation: Installation) -> None:
    """The same setting means nothing to the real command."""

    class Real(Web):
        module = "app.cli"

    web = Real(installation.url, installation.folder, fault="before_commit:1")
    try:
        [person] = installation.people(1)
        browser = Browser(person, [web.port])
        assert browser.grade_one()
        assert web.process.poll() is None
        assert SETTING not in web.stop()
    finally:
        web.end()
