"""What pages count from indexes is what a look at every row finds: surplus, exclusion, checks and rest included."""

from collections import Counter
from datetime import UTC, datetime, timedelta
from statistics import pvariance
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select, text, update
from sqlalchemy.orm import Session

from app.clock import utc_now
from app.ids import new_opaque_id
from app.services import flags, kept, lately
from app.services.agreement.revision import grades_revision
from app.services.dashboards import grading_progress, recent_progress
from app.services.desk import items, live, pay, people
from app.services.exports.counts import count_study
from app.services.exports.grade_table import seen_of
from app.services.ordering import place
from app.storage import migrate
from app.storage.engine import Database
from app.storage.models import Annotator, Assignment, Grade, GradeEvent, Item, Problem, Question, Study
from tests.dashboards.study import sign_in
from tests.factories import make_study

TIMES = (
    {"by": "key", "submit_ms": 9000, "hidden_ms": 1500, "idle_ms": 500},
    {"by": "key", "submit_ms": 4000},
    {"active_ms": 2500},
    {"submit_ms": None, "active_ms": 700},
    {"by": "form"},
    None,
)
ROLES = ("main", "main", "main", "main", "silent", "practice")


@pytest.fixture
def study(database: Database) -> int:
    """Twelve people, two of them excluded, grade 40 items of all roles; some grades are surplus, some items rest."""
    with database.write() as session:
        made = make_study(session, problems=20, systems=2, state="open", grades_per_item=5)
        made.opened_at = utc_now() - timedelta(days=9)
        question = session.scalars(select(Question)).one()
        crowd = [Annotator(study_id=made.id, pseudonym=f"A{n:02}", order_seed=n) for n in range(12)]
        crowd[3].excluded_at = crowd[7].excluded_at = utc_now()
        crowd[5].kind = "imported"
        session.add_all(crowd)
        session.flush()
        for item in session.scalars(select(Item).order_by(Item.id)).all():
            _prepare(item)
            for who in crowd:
                if place(1, item.id, who.id) % 3:
                    _answer(session, item, who, question)
        return made.id


def _prepare(item: Item) -> None:
    item.role = ROLES[item.id % len(ROLES)]
    item.gradable = item.id % 7 != 0
    item.retired_at = utc_now() if item.id % 9 == 0 else None
    item.is_reference = item.id % 5 == 0


def _answer(session: Session, item: Item, who: Annotator, question: Question) -> None:
    draw = place(2, item.id, who.id)
    at = utc_now() - timedelta(hours=draw % 200)
    surplus = draw % 6 == 0
    both = {"annotator_id": who.id, "item_id": item.id}
    mine = session.query(Assignment).filter_by(annotator_id=who.id).count()
    about = {"state": ("graded", "graded", "skipped")[draw % 3], "surplus": surplus, "position": mine + 1}
    times = {"claimed_at": at, "lease_until": at, "finished_at": at}
    note = "Look at this" if draw % 8 == 0 else None
    session.add(Assignment(public_id=new_opaque_id(), flag_note=note, **both, **about, **times))
    answer = {"question_id": question.id, "value": float(draw % 5), "surplus": surplus}
    session.add(GradeEvent(kind="grade", details=TIMES[draw % len(TIMES)], created_at=at, **both, **answer))
    if note:
        session.add(GradeEvent(kind="flag", created_at=at + timedelta(minutes=1), details={"note": note}, **both))
    if about["state"] == "graded":
        session.add(Grade(created_at=at, updated_at=at, **both, **answer))
    session.flush()


def _counting(session: Session) -> list[tuple[Grade, Item, Annotator]]:
    rows = session.execute(
        select(Grade, Item, Annotator)
        .join(Item, Item.id == Grade.item_id)
        .join(Annotator, Annotator.id == Grade.annotator_id)
    )
    return [
        (grade, item, who)
        for grade, item, who in rows
        if not grade.surplus and who.excluded_at is None and item.role == "main"
    ]


def test_progress_is_what_the_rows_say(database: Database, study: int) -> None:
    with database.read() as session:
        found = grading_progress(session, session.get_one(Study, study))
        rows = [(item.id, who.pseudonym) for _, item, who in _counting(session) if item.gradable]
        asked = [each for each in session.scalars(select(Item)) if each.role == "main" and each.gradable]
        per_item = Counter(item for item, _ in rows)
        assert found.items_by_grades == dict(sorted(Counter(per_item[each.id] for each in asked).items()))
        assert dict(found.grades_by_annotator) == Counter(name for _, name in rows)
        assert [name for name, _ in found.grades_by_annotator] == sorted({name for _, name in rows})
        assert found.reference_items == sum(each.is_reference for each in asked)
        assert recent_progress(session, session.get_one(Study, study)) == lately.Lately(found)


def test_the_widest_apart_are_what_the_rows_say(database: Database, study: int) -> None:
    with database.read() as session:
        found = items.widest_disagreement(session, session.scalars(select(Question)).one())
        values: dict[int, list[float]] = {}
        for grade, item, _ in _counting(session):
            values.setdefault(item.id, []).append(grade.value or 0.0)
        apart = {item: given for item, given in values.items() if len(set(given)) > 1}
        order = sorted(apart, key=lambda item: (-round(pvariance(apart[item]), 9), -len(apart[item]), item))
        assert [each.item.id for each in found] == order
        for each in found:
            given = apart[each.item.id]
            assert (each.grades, each.answers) == (len(given), len(set(given)))
            assert (each.lowest, each.highest) == (min(given), max(given))
            assert each.deviation == pytest.approx(pvariance(given) ** 0.5)


def test_days_and_people_are_what_the_rows_say(database: Database, study: int) -> None:
    with database.read() as session:
        made = session.get_one(Study, study)
        shown = session.scalars(select(Assignment)).all()
        crowd = {each.id: each for each in session.scalars(select(Annotator))}
        counted = [
            each.finished_at
            for each in shown
            if each.state == "graded" and not each.surplus and crowd[each.annotator_id].kind == "person"
            if crowd[each.annotator_id].excluded_at is None and each.finished_at
        ]
        days = Counter(f"{at.astimezone(UTC):%Y-%m-%d}" for at in counted)
        found = live.answered_by_day(session, made)
        assert {f"{each.start:%Y-%m-%d}": each.items for each in found if each.items} == days
        assert [each.start for each in found] == [found[0].start + timedelta(days=n) for n in range(len(found))]
        assert (f"{found[0].start:%Y-%m-%d}", f"{found[-1].start:%Y-%m-%d}") == (min(days), max(days))
        practice = set(session.scalars(select(Item.id).where(Item.role == "practice")))
        for each in people.people_of(session, made):
            done = [row for row in shown if (row.annotator_id, row.state) == (each.annotator.id, "graded")]
            last = max((row.finished_at for row in done if row.finished_at), default=None)
            assert (each.items, each.last_answer) == (sum(row.item_id not in practice for row in done), last)
        assert people.person_of(session, made, 4) == people.people_of(session, made)[3]


def time_at(event: GradeEvent) -> float | None:
    """Of a flag none: the answer after it was measured from the same moment."""
    return None if event.kind == "flag" else _active_ms(event.details)


def test_active_time_is_reckoned_as_browsers_measure_it_today_and_did_before(database: Database, study: int) -> None:
    with database.read() as session:
        expected: Counter[int] = Counter()
        for event in session.scalars(select(GradeEvent)):
            assert event.active_ms == time_at(event)
            expected[event.annotator_id] += time_at(event) or 0
        paid = pay.pay_lines(session, session.get_one(Study, study))
        assert {each.annotator.id: round((each.minutes or 0) * 60_000) for each in paid} == {
            who: total for who, total in expected.items() if who != 6
        }
        assert all(each.annotator.kind == "person" for each in paid)


def test_what_is_no_number_is_no_time(database: Database, study: int) -> None:
    odd = {"submit_ms": "long", "active_ms": [3]}, {"submit_ms": 5000, "hidden_ms": "never"}, {"active_ms": True}
    with database.write() as session:
        events = [GradeEvent(annotator_id=1, item_id=1, kind="import", details=each) for each in odd]
        session.add_all(events)
        session.flush()
        assert [each.active_ms for each in events] == [None, 5000, None]


def test_exports_and_flags_count_what_the_rows_say(database: Database, study: int) -> None:
    with database.read() as session:
        made = session.get_one(Study, study)
        counts = count_study(session, made)
        rows = {table: session.query(table).count() for table in (Grade, GradeEvent, Item, Annotator)}
        assert (counts.grades, counts.events, counts.items, counts.annotators) == tuple(rows.values())
        assert counts.skips == session.query(Assignment).filter_by(state="skipped").count()
        flagged = session.scalars(select(Assignment).where(Assignment.flag_note.is_not(None))).all()
        found = flags.flags_of(session, made)
        assert flags.count_flags(session, made) == len(found) == len(flagged)
        latest = session.execute(select(GradeEvent.created_at).where(GradeEvent.kind == "flag"))
        assert [each.flagged_at for each in found] == sorted((at for (at,) in latest), reverse=True)
        revision = grades_revision(session, made)
        resting = [each.id for each in session.scalars(select(Item)) if each.gradable]
        assert (revision["items"], revision["last_item"]) == (len(resting), max(resting))


def test_the_history_of_a_few_problems_is_found_without_a_scan(database: Database, study: int) -> None:
    with database.read() as session:
        problems = session.scalars(select(Problem.id).order_by(Problem.id).limit(3)).all()
        expected: dict[tuple[int, int], float | None] = {}
        events = select(GradeEvent).join(Item, Item.id == GradeEvent.item_id).where(Item.problem_id.in_(problems))
        for event in session.scalars(events.where(GradeEvent.kind.in_(("grade", "skip")))):
            expected[event.annotator_id, event.item_id] = time_at(event)
        assert {place: seen.active_ms for place, seen in seen_of(session, problems).items()} == expected


def test_active_time_comes_to_the_events_that_are_there(database: Database, database_url: str, study: int) -> None:
    with database.read() as session:
        before = session.execute(select(GradeEvent.id, GradeEvent.details, GradeEvent.active_ms)).all()
    migrate.downgrade(database_url, "0004")
    with database.engine.connect() as connection:
        assert connection.execute(text("SELECT count(*) FROM grade_events")).scalar() == len(before)
    migrate.upgrade(database_url)
    with database.read() as session:
        assert session.execute(select(GradeEvent.id, GradeEvent.details, GradeEvent.active_ms)).all() == before


def test_what_many_grades_say_is_kept_for_a_while(
    database: Database, study: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lately, "MANY", 10)
    monkeypatch.setattr(kept, "SHARE_OF_TIME", 1e-9)
    with database.read() as session:
        first = recent_progress(session, session.get_one(Study, study))
    assert first.at is not None
    with database.write() as session:
        session.execute(update(Grade).values(surplus=True))
    with database.read() as session:
        assert recent_progress(session, session.get_one(Study, study)) == first
        kept.forget(database.engine)
        assert recent_progress(session, session.get_one(Study, study)).value.grades == 0


def test_many_people_stand_on_pages(
    client: TestClient, database: Database, study: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.web.paging.ROWS", 5)
    monkeypatch.setattr(live, "MOST_LISTED", 4)
    sign_in(client, database, "admin")
    desk = "/studies/a-study/desk"
    first, second = (client.get(f"{desk}/annotators?page={number}").text for number in (1, 2))
    assert (">A04<" in first, ">A05<" in first, ">A05<" in second) == (True, False, True)
    assert 'href="?question=helpfulness&amp;page=3"' in second
    assert ">A11<" in client.get(f"{desk}/annotators?page=99").text
    assert ">A06<" in client.get(f"{desk}/pay?page=2").text
    with database.read() as session:
        state = live.live_state(session, session.get_one(Study, study))
        seen = sorted(people.people_of(session, session.get_one(Study, study)), key=_last_seen)
        assert {each.annotator.id for each in state.people} == {each.annotator.id for each in seen[-4:]}
        assert (len(state.people), state.people_in_all) == (4, 12)
    assert "These 4 were seen last" in client.get(desk).text


def _active_ms(details: dict[str, Any] | None) -> float | None:
    """What the browser measured less the times away; pages of earlier versions sent the difference itself."""
    known = {name: value for name, value in (details or {}).items() if type(value) in (int, float)}
    if "submit_ms" not in known:
        return known.get("active_ms")
    return float(known["submit_ms"] - known.get("hidden_ms", 0) - known.get("idle_ms", 0))


def _last_seen(person: people.Person) -> datetime:
    return person.last_seen or datetime.min.replace(tzinfo=UTC)
