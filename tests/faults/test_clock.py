"""F10: a machine's clock is hours ahead or behind. F11: clocks of machines differ by minutes."""

from collections.abc import Callable
from datetime import timedelta

import pytest
import time_machine
from sqlalchemy import func, select

from app.clock import utc_now
from app.services import assignments
from app.services.sign_ins import ANNOTATOR_LIFETIME
from app.storage.models import Assignment, Grade, GradeEvent, SignIn
from tests.faults import invariants
from tests.faults.load import Browser
from tests.faults.processes import Web
from tests.faults.study import Installation
from tests.grading.helpers import answer

HOUR = timedelta(hours=1)


@pytest.mark.fault("F10")
@pytest.mark.fault("F11")
@pytest.mark.postgres
@pytest.mark.parametrize("database_url", [pytest.param("postgresql")], indirect=True)
@pytest.mark.parametrize("seconds", [3 * 3600, -3 * 3600, 300])
def test_a_process_whose_clock_is_wrong_goes_by_the_databases(
    installation: Installation, start_web: Callable[..., Web], seconds: int
) -> None:
    """It takes back no claim, signs nobody out, and writes times that others understand."""
    holder, *others = installation.people(3)
    with installation.database.write() as session:
        held = [each.id for each in assignments.upcoming(session, holder.id)]
    wrong = start_web(fault=f"clock:{seconds}")
    browsers = [Browser(person, [wrong.port]) for person in others]
    for each in browsers:
        assert each.grade_one()
    with installation.database.read() as session:
        assert all(session.get_one(Assignment, each).state == "claimed" for each in held)
        times = [*session.scalars(select(GradeEvent.created_at).where(GradeEvent.submission_id.is_not(None)))]
        times += session.scalars(select(Assignment.lease_until).where(Assignment.state == "claimed"))
        assert all(abs(each - utc_now()) < 2 * HOUR for each in times)
        assert session.scalar(select(func.max(SignIn.expires_at))) < utc_now() + ANNOTATOR_LIFETIME + HOUR
    invariants.check(installation, {key: value for each in browsers for key, value in each.acknowledged.items()})


@pytest.mark.fault("F10")
@pytest.mark.parametrize("hours", [3, -3])
def test_a_clock_that_jumps_loses_no_work(installation: Installation, hours: int) -> None:
    """Everybody's clock, the database's too: claims may lapse, but what was begun is taken and counts once."""
    [person] = installation.people(1)
    with installation.database.write() as session:
        claim = assignments.upcoming(session, person.id)[0]
    with time_machine.travel(utc_now() + hours * HOUR, tick=True):
        with installation.database.write() as session:
            assignments.lapse_claims(session)
        with installation.database.write() as session:
            receipt = answer(session, claim, 3, submission_id="one-and-the-same")
        assert not receipt.surplus
    invariants.check(installation, {"one-and-the-same": 3})
    with installation.database.read() as session:
        grade = session.scalars(select(Grade).where(Grade.annotator_id == person.id)).one()
        assert grade.created_at <= grade.updated_at
        durations = session.scalars(select(GradeEvent.active_ms).where(GradeEvent.active_ms.is_not(None)))
        assert all(each >= 0 for each in durations)
