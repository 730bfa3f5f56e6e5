"""What goes on now, and which items need a look."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import delete, select

from app.charts.small_bars import HEIGHT, WIDTH, round_up, small_bars
from app.clock import utc_now
from app.services.desk import items, live
from app.services.desk.live import live_state, project
from app.services.desk.spread import spread_of
from app.storage.models import Annotator, Assignment, Item, Output, Question, Study, Variant
from tests.desk.conftest import DESK, Desk
from tests.grading.helpers import answer

NOW = datetime(2026, 11, 28, 12, tzinfo=UTC)


def test_when_the_target_is_met() -> None:
    assert project(120, 48, 24, NOW).at == NOW + timedelta(hours=60), "120 to go at two an hour"
    assert project(0, 48, 24, NOW).kind == "met"
    assert project(-3, 0, 24, NOW).kind == "met"
    assert project(1, 0, 24, NOW).kind == "never"
    assert project(10**9, 1, 24, NOW).kind == "never", "in a hundred thousand years nobody is there any more"


def test_bars_by_hand() -> None:
    figure = small_bars([0, 5, 10])
    assert figure.top == 10
    assert [(bar.index, bar.height, bar.y) for bar in figure.bars] == [(1, HEIGHT / 2, HEIGHT / 2), (2, HEIGHT, 0)]
    assert all(bar.x >= 0 and bar.x + bar.width <= WIDTH for bar in figure.bars)
    assert small_bars([]).bars == small_bars([0, 0]).bars == ()
    assert [round_up(value) for value in (0, 1, 3, 11, 999, 1001)] == [1, 1, 5, 20, 1000, 2000]


def test_the_state_is_counted_right(desk: Desk) -> None:
    with desk.database.write() as session:
        study = session.get_one(Study, desk.study)
        study.opened_at = utc_now() - timedelta(hours=6)
        first = session.scalars(select(Assignment).where(Assignment.annotator_id == desk.people[0])).first()
        assert first is not None
        first.finished_at = utc_now() - timedelta(hours=3)
    with desk.database.read() as session:
        found = live_state(session, session.get_one(Study, desk.study))
    assert (found.progress.held, found.progress.wanted, found.progress.items) == (12, 16, 4)
    assert [short.items_by_missing for short in found.shortages] == [{1: 4}], "two of them are only claimed"
    assert found.projection is not None
    assert found.projection.rate == pytest.approx(12 / 6, rel=0.01)
    assert sum(each.items for each in found.hours) == 12
    assert found.hours[-4].items == 1
    assert [person.items for person in found.people] == [4, 4, 4, 0]
    assert found.people[1].seconds is not None
    assert found.people[3].seconds is None


def test_a_study_is_far_longer_open_than_a_day(desk: Desk) -> None:
    with desk.database.write() as session:
        for assignment in session.scalars(select(Assignment).where(Assignment.state == "graded")):
            assert assignment.finished_at is not None
            assignment.finished_at -= timedelta(days=assignment.position)
    with desk.database.read() as session:
        study = session.get_one(Study, desk.study)
        found = live.answered_by_day(session, study)
        assert [each.items for each in found] == [3, 3, 3, 3]
        assert live_state(session, study).projection.kind == "never"  # type: ignore[union-attr]
    assert "At this rate the target is never met" in desk.get("")


def test_what_takes_in_nothing_has_no_rate(desk: Desk) -> None:
    """A draft isn't open yet, and closing it is not offered; what rests says so instead of "never"."""
    with desk.database.write() as session:
        for assignment in session.scalars(select(Assignment).where(Assignment.state == "graded")):
            assert assignment.finished_at is not None
            assignment.finished_at -= timedelta(days=2)
        session.get_one(Study, desk.study).state = "draft"
    page = desk.get("")
    assert "The study is not open yet: grades come in once it is." in page
    assert 'value="open"' in page
    assert 'value="closed"' not in page
    with desk.database.write() as session:
        session.get_one(Study, desk.study).state = "paused"
    page = desk.get("")
    assert "nothing can be said about when the target is met" in page
    assert 'value="closed"' in page


def test_a_paused_study_is_not_forecast(desk: Desk) -> None:
    """Grades came in an hour ago, and none are handed out now."""
    with desk.database.write() as session:
        session.get_one(Study, desk.study).state = "paused"
    page = desk.get("")
    assert "The target is met about" not in page
    assert "nothing can be said about when the target is met" in page


def test_imported_answers_are_left_out_of_the_hours_and_it_is_said(desk: Desk) -> None:
    with desk.database.write() as session:
        for person in session.scalars(select(Annotator)):
            person.kind = "imported"
    page = desk.get("")
    assert "Nothing was answered in the last 24 hours" not in page, "the table below tells when they answered"
    assert "imported and simulated grades are not counted" in page


def test_the_page_and_its_fragment(desk: Desk) -> None:
    page = desk.get("")
    assert f'hx-get="{DESK}/live"' in page
    assert "12 of 16 grades are in (75 %)." in page
    assert "The target is met about" in page
    fragment = desk.get("/live", headers={"HX-Request": "true"})
    assert "12 of 16 grades are in (75 %)." in fragment
    assert "<html" not in fragment
    answer = desk.client.get(f"{DESK}/live", follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, DESK), "who opens it as a page wants the desk"


def test_items_far_apart_open_with_their_spread(desk: Desk) -> None:
    with desk.database.read() as session:
        question = session.scalars(select(Question)).one()
        found = items.widest_disagreement(session, question)
        spread = {each.item.id: each for each in found}
    assert len(spread) == 4
    for item, each in spread.items():
        values = [item % 3, (item + 1) % 3, 4]
        mean = sum(values) / 3
        assert each.deviation == pytest.approx((sum((value - mean) ** 2 for value in values) / 3) ** 0.5)
        assert (each.lowest, each.highest, each.grades) == (min(values), 4, 3)
    assert [each.deviation for each in found] == sorted((each.deviation for each in found), reverse=True)  # type: ignore[type-var]
    assert found[0].item.problem in desk.get("/items?show=apart")


def test_who_is_excluded_or_surplus_is_not_in_the_way_of_the_others(desk: Desk) -> None:
    """The one who pressed 4 each time is out: the others are never more than two apart."""
    with desk.database.write() as session:
        session.get_one(Annotator, desk.people[2]).excluded_at = utc_now()
    with desk.database.read() as session:
        found = items.widest_disagreement(session, session.scalars(select(Question)).one())
    assert {each.grades for each in found} == {2}
    assert max(each.highest or 0 for each in found) <= 2


def test_one_item_tells_of_changes_times_and_notes(desk: Desk) -> None:
    with desk.database.write() as session:
        mine = session.scalars(select(Assignment).where(Assignment.annotator_id == desk.people[0])).all()[0]
        item = mine.item_id
        answer(session, mine, 3, details={"active_ms": 500})
        answer(session, mine, None, kind="flag", note="Cut <off>")
    with desk.database.read() as session:
        found = spread_of(session, session.get_one(Study, desk.study), item)
        question = found.questions[0]
    first = found.people[0]
    assert (first.answers, first.changes, first.active_ms) == ({"helpfulness": 3.0}, 1, 2500)
    assert len(found.people) == 3
    assert ("4", 1) in found.counted(question)
    page = desk.get(f"/items/{item}")
    assert "Cut &lt;off&gt;" in page
    assert "system-" in page
    assert desk.client.get(f"{DESK}/items/999999").status_code == 404


def test_short_and_retired_items_are_listed(desk: Desk) -> None:
    with desk.database.write() as session:
        item = session.scalars(select(Item).order_by(Item.id)).all()[0]
        item.retired_at, item.skips = utc_now(), 3
        skipped = session.scalars(select(Assignment).where(Assignment.item_id == item.id)).all()[0]
        skipped.state, skipped.skip_reason = "skipped", "not <code>"
    page = desk.get("/items?show=retired")
    assert "not &lt;code&gt;" in page
    with desk.database.read() as session:
        study = session.get_one(Study, desk.study)
        (shortage,) = live.shortages_of(session, study)
        assert shortage.items == 3, "nobody is asked for a retired item"
        listed = items.short_items(session, study, shortage.instrument)
        assert len(listed) == 3, "who is at an item hasn't graded it"
        assert sum(each.claims for each in listed) == 1
        assert {(each.grades, each.missing) for each in listed} == {(3, 1)}
    assert "3 items lack grades of the 4 that each should have" in desk.get("/items")


def test_a_changed_prompt_is_called_by_its_change(desk: Desk) -> None:
    """Only a reference is a reference: not a changed prompt, its unchanged sister, or a check."""
    with desk.database.write() as session:
        first, second, third, fourth = session.scalars(select(Item).order_by(Item.id)).all()
        session.execute(delete(Output))
        variant = Variant(problem_id=first.problem_id, transformation="butter <fingers>", text=first.text)
        session.add(variant)
        session.flush()
        first.variant_id, second.is_reference, third.role = variant.id, True, "silent"
        ids = [each.id for each in (first, second, third, fourth)]
        for each in session.scalars(select(Assignment).where(Assignment.annotator_id == desk.people[0])):
            each.flag_note = "odd"
    flags = re.findall(r'<p class="flag-head"><b>[^<]*</b> · (.*?)\s*<span', desk.get("/items?show=flags"))
    heads = [re.findall(r'id="item-head">.*?· (.*?)\s*</span>', desk.get(f"/items/{each}"))[0] for each in ids]
    assert heads == ["butter &lt;fingers&gt;", "reference", "silent check", "unchanged"]
    assert sorted(flags) == sorted(heads)
