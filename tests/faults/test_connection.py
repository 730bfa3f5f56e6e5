"""F08: the network drops before a request came, in its middle, or while its answer is on the way."""

from collections.abc import Iterator
from uuid import uuid4

import pytest
from sqlalchemy import func, select

from app.config import Settings
from app.storage.models import GradeEvent
from tests.faults import invariants
from tests.faults.load import Browser, answer_of
from tests.faults.proxy import CuttingProxy, cutting_proxy
from tests.faults.study import Installation
from tests.live_server import serve

pytestmark = pytest.mark.fault("F08")
# Of a request of about 400 bytes, and of an answer of about 1,000.
REQUEST_CUTS = (0, 1, 100, 250, 350)
ANSWER_CUTS = (0, 1, 12, 60, 200, 700)


@pytest.fixture
def proxy(installation: Installation, settings: Settings) -> Iterator[CuttingProxy]:
    with serve(settings, installation.database) as address, cutting_proxy(int(address.rpartition(":")[2])) as proxy:
        yield proxy


@pytest.fixture
def browser(installation: Installation, proxy: CuttingProxy) -> Browser:
    [person] = installation.people(1)
    return Browser(person, [proxy.port])


def stored(installation: Installation, submission: str) -> int:
    count = select(func.count()).select_from(GradeEvent).where(GradeEvent.submission_id == submission)
    with installation.database.read() as session:
        return session.scalar(count) or 0


def test_an_answer_that_is_lost_on_its_way_back_is_stored_once(
    installation: Installation, proxy: CuttingProxy, browser: Browser
) -> None:
    for cut in ANSWER_CUTS:
        item, submission = browser.next_item(), uuid4().hex
        proxy.answer = cut
        assert browser.post(f"/grade/{item}/answer", answer_of(submission, 3)) is None
        assert stored(installation, submission) == 1, f"cut after {cut} bytes"
        proxy.answer = None
        browser.grade(str(item), 3, submission)
    invariants.check(installation, browser.acknowledged)
    assert len(browser.acknowledged) == len(ANSWER_CUTS)


def test_a_request_that_never_came_whole_stores_nothing_until_it_does(
    installation: Installation, proxy: CuttingProxy, browser: Browser
) -> None:
    for cut in REQUEST_CUTS:
        item, submission = browser.next_item(), uuid4().hex
        proxy.request = cut
        assert browser.post(f"/grade/{item}/answer", answer_of(submission, 2)) is None
        assert stored(installation, submission) == 0, f"cut after {cut} bytes"
        proxy.request = None
        browser.grade(str(item), 2, submission)
    invariants.check(installation, browser.acknowledged)
    assert len(browser.acknowledged) == len(REQUEST_CUTS)
