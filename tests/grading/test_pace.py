"""The line above the item: mine, this sitting, to come, about how long."""

from datetime import UTC, datetime, timedelta

import time_machine

from app.services import assignments, own_record, pace, to_come
from app.services.sitting import Sitting
from app.storage.engine import Database
from tests.grading.helpers import add_annotators, answer, open_study

START = datetime(2026, 11, 27, 9, 0, tzinfo=UTC)


def grade(database: Database, person: int, times: int, *, seconds: int, start: datetime) -> datetime:
    """Grade so many items, one each so many seconds; the time afterwards."""
    for _ in range(times):
        with time_machine.travel(start, tick=False), database.write() as session:
            answer(session, assignments.upcoming(session, person)[0], 3)
        start += timedelta(seconds=seconds)
    return start


def test_before_the_first_answer_there_is_no_pace(database: Database) -> None:
    [person] = add_annotators(database, open_study(database, problems=5, systems=4), 1)
    with database.read() as session:
        assert pace.progress_of(session, person).text == "0 graded · item 1 of 20 · study 0 of 60"


def test_the_line_counts_this_sitting_and_all_before(database: Database) -> None:
    [person] = add_annotators(database, open_study(database, problems=10, systems=4), 1)
    later = grade(database, person, 10, seconds=20, start=START) + timedelta(hours=2)
    later = grade(database, person, 5, seconds=60, start=later)
    with time_machine.travel(later, tick=False), database.read() as session:
        progress = pace.progress_of(session, person)
    assert (progress.mine, progress.number, progress.total) == (15, 6, "30")
    assert progress.text.startswith("15 graded · item 6 of 30 · study 15 of 120 · about ")


def test_the_pace_is_one_s_own_and_breaks_do_not_count(database: Database) -> None:
    [person] = add_annotators(database, open_study(database, problems=15, systems=4), 1)
    later = grade(database, person, 6, seconds=30, start=START) + timedelta(minutes=20)
    later = grade(database, person, 6, seconds=30, start=later)
    with time_machine.travel(later, tick=False), database.read() as session:
        assert pace.progress_of(session, person).minutes == (60 - 12) / 2


def test_the_first_of_an_open_study_and_the_last_of_it(database: Database) -> None:
    [person] = add_annotators(database, open_study(database, problems=2, systems=1), 1)
    grade(database, person, 2, seconds=5, start=START)
    with database.write() as session:
        assert assignments.upcoming(session, person) == []
    with database.read() as session:
        assert pace.progress_of(session, person).text == "2 graded · you are done"


def test_big_studies_are_counted_no_further_than_needed(database: Database, monkeypatch: object) -> None:
    for module in (pace, to_come):
        monkeypatch.setattr(module, "MOST_COUNTED", 4)  # type: ignore[attr-defined]
    [person] = add_annotators(database, open_study(database, problems=5, systems=2), 1)
    with database.read() as session:
        assert pace.progress_of(session, person).total == "4+"


def test_limits_of_items_and_of_minutes_end_the_way_earlier(database: Database) -> None:
    limits = {"limits": {"items": 12, "minutes": 4}}
    [person] = add_annotators(database, open_study(database, problems=5, systems=4, options=limits), 1)
    with database.read() as session:
        assert "item 1 of 12 ·" in pace.progress_of(session, person).text
    later = grade(database, person, 7, seconds=30, start=START)  # 3 of the 4 minutes, at 30 seconds each
    with time_machine.travel(later, tick=False), database.read() as session:
        progress = pace.progress_of(session, person)
    assert (progress.to_go, progress.minutes) == (2, 1)


def test_a_record_tells_what_was_done_since_the_last_break(database: Database) -> None:
    [person] = add_annotators(database, open_study(database, problems=4, systems=2), 1)
    later = grade(database, person, 3, seconds=20, start=START) + timedelta(minutes=31)
    later = grade(database, person, 2, seconds=20, start=later)
    with time_machine.travel(later, tick=False), database.read() as session:
        sitting = Sitting.of(session, person)
        record, [asked] = own_record.record_of(sitting), sitting.instruments
    assert (record.graded, record.held, record.sitting) == (5, {asked.id: 1}, {asked.id: 2})
    assert record.ages == [20, 40, 1920, 1940, 1960]
    assert record.next_position == 6


def test_no_sitting_lasts_longer_than_its_last_break_is_ago(database: Database) -> None:
    [person] = add_annotators(database, open_study(database, problems=3, systems=2), 1)
    later = grade(database, person, 2, seconds=20, start=START)
    for away, number in ((timedelta(minutes=29), 3), (timedelta(minutes=30), 1)):
        with time_machine.travel(later + away, tick=False), database.read() as session:
            assert pace.progress_of(session, person).number == number
