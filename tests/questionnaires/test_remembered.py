"""What a study asks is remembered by each web process, and never a moment longer than it stands."""

from collections.abc import Callable

import pytest
from sqlalchemy import delete, insert, select, update
from sqlalchemy.orm import Session

from app.services.asked import Content
from app.services.kept import forget
from app.services.sitting import Sitting
from app.storage.engine import Database
from app.storage.models import FormVersion, Instrument, Question, Study
from tests.grading.helpers import add_annotators, open_study


def content(database: Database, person: int) -> Content:
    """As an annotator's request reads it."""
    with database.read() as session:
        return Sitting.of(session, person).content


def reword(session: Session) -> None:
    """By a statement that no object in memory sees."""
    session.execute(update(Question).values(text="How well does it do what was asked?"))


def retarget(session: Session) -> None:
    """A change that makes no new version of the questionnaire."""
    session.execute(update(Instrument).values(grades_per_item=7))


def drop(session: Session) -> None:
    """Rows may go, too."""
    session.execute(delete(Question))


def add(session: Session) -> None:
    """A further instrument."""
    study = session.scalars(select(Study.id)).one()
    session.execute(insert(Instrument), [{"study_id": study, "name": "second", "position": 1}])


def ask_for_consent(session: Session) -> None:
    """A form's new version."""
    study = session.scalars(select(Study.id)).one()
    text = {"text": "We keep what you answer.", "agree": "I agree", "decline": "I don’t"}
    session.add(FormVersion(study_id=study, kind="consent", number=1, content=text, sha256="0" * 64))


CHANGES: dict[Callable[[Session], None], Callable[[Content], object]] = {
    reword: lambda seen: [each.text for questions in seen.questions.values() for each in questions],
    retarget: lambda seen: [each.grades_per_item for each in seen.instruments],
    drop: lambda seen: [len(questions) for questions in seen.questions.values()],
    add: lambda seen: [each.name for each in seen.instruments],
    ask_for_consent: lambda seen: seen.consent is not None,
}


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_each_change_reaches_every_process_at_once(
    database: Database, database_url: str, change: Callable[[Session], None]
) -> None:
    [person] = add_annotators(database, open_study(database), 1)
    seen, elsewhere = CHANGES[change], Database(database_url)
    before = seen(content(elsewhere, person))
    with database.write() as session:
        change(session)
    after = seen(content(elsewhere, person))
    forget(elsewhere.engine)
    assert after == seen(content(elsewhere, person))
    assert after != before
    elsewhere.dispose()


def test_what_is_remembered_outlives_the_request_that_read_it(database: Database) -> None:
    [person] = add_annotators(database, open_study(database), 1)
    with database.write() as session:
        first = Sitting.of(session, person).content
        session.rollback()
    second = content(database, person)
    assert first is second
    assert [each.name for questions in second.questions.values() for each in questions] == ["helpfulness"]


def test_a_change_that_is_taken_back_is_not_remembered(database: Database) -> None:
    [person] = add_annotators(database, open_study(database), 1)
    before = [each.grades_per_item for each in content(database, person).instruments]
    with database.write() as session:
        retarget(session)
        session.rollback()
    assert [each.grades_per_item for each in content(database, person).instruments] == before
