"""F40: a deployment stops web processes while people grade. F43: nothing beyond this machine can be reached."""

import signal
from collections.abc import Callable

import pytest

from tests.faults import invariants
from tests.faults.load import Browser, acknowledged, grading, stored
from tests.faults.processes import Web
from tests.faults.study import Installation
from tests.workers.process import wait_for


@pytest.mark.fault("F40")
def test_a_server_that_is_told_to_stop_answers_whom_it_has_heard(
    installation: Installation, start_web: Callable[..., Web]
) -> None:
    analysis = installation.analysis()
    web = start_web()
    with grading(installation.people(4), [web.port]) as browsers:
        wait_for(stored(browsers, 8), "answers")
        output = web.stop(signal.SIGTERM)
        assert web.process.returncode == 0, output
        start_web(port=web.port)
        wait_for(stored(browsers, 4), "answers after the restart")
    assert "Traceback" not in output
    assert {status for each in browsers for status in each.statuses} <= {0, 200}
    invariants.check(installation, acknowledged(browsers), analysis)


@pytest.mark.fault("F43")
@pytest.mark.sqlite_is_enough
def test_pages_and_grading_ask_nobody_else(installation: Installation, start_web: Callable[..., Web]) -> None:
    """A process that ends itself when it looks a name up or calls anybody but its own machine."""
    web = start_web(fault="alone:1")
    for path in ("/health", "/", "/sign-in", "/help/annotators"):
        assert web.ask(path)[0] in (200, 303), path
    [person] = installation.people(1)
    browser = Browser(person, [web.port])
    for _ in range(3):
        assert browser.grade_one()
    assert web.process.poll() is None
    invariants.check(installation, browser.acknowledged)
