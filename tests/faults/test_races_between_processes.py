"""F05: people who reach different web processes race for the last slots of the same items."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import update

from app.storage.models import Study
from tests.faults import invariants
from tests.faults.load import Browser
from tests.faults.processes import Web
from tests.faults.study import Installation

PEOPLE = 24


@pytest.mark.fault("F05")
def test_of_a_crowd_at_two_processes_each_gets_an_item_or_is_told_that_none_is_left(
    installation: Installation, start_web: Callable[..., Web]
) -> None:
    """Forty items for one grade each, of which everybody takes two: the last go to exactly as many as there are."""
    with installation.database.write() as session:
        session.execute(update(Study).where(Study.id == installation.study_id).values(grades_per_item=1))
    ports = [start_web(processes=2).port]
    browsers = [Browser(person, ports) for person in installation.people(PEOPLE)]
    barrier = threading.Barrier(PEOPLE)

    def race(browser: Browser) -> int:
        barrier.wait(60)
        item = browser.next_item()
        if item is not None:
            browser.grade(item, 3)
        return item is not None

    with ThreadPoolExecutor(PEOPLE) as pool:
        got = sum(pool.map(race, browsers))
    assert 20 <= got <= PEOPLE
    assert {status for each in browsers for status in each.statuses} <= {200, 503}, "never an error page"
    invariants.check(installation, {key: value for each in browsers for key, value in each.acknowledged.items()})
