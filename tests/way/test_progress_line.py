"""The line above an item where there is practice, and where checks stand among the items."""

import re
from uuid import uuid4

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from app.services import assignments, grading, pace
from app.services.sitting import Sitting
from app.services.way import answering, check_editing
from app.storage.engine import Database
from app.storage.models import Annotator, Item
from tests.grading.helpers import add_annotators
from tests.way.helpers import add_check, come, grade, invite, open_way

CHECKS = {"loud_every": 7, "silent_every": 5, "repeat_every": 9}


def lines_to_the_end(database: Database, person: int) -> list[str]:
    """Which item of how many, as the page says it with the next item claimed ahead, until nothing is left."""
    lines = []
    while True:
        with database.write() as session:
            claims = assignments.upcoming(session, person)
            lines.append(pace.progress_of(session, person).text)
            if not claims:
                return lines
            submission = grading.Submission(claims[0].public_id, str(uuid4()), "grade", {"helpfulness": 3})
            answering.submit(Sitting.held(session, person), submission)


def totals(lines: list[str]) -> list[int]:
    return [int(re.search(r"item \d+ of (\d+)", line)[1]) for line in lines[:-1]]  # type: ignore[index]


def test_the_total_tells_no_check(database: Database) -> None:
    with database.write() as session:
        study = open_way(session, forms=False, problems=30, checks=CHECKS)
        for number in range(10):
            add_check(session, study, "loud", number)
        for original in session.scalars(select(Item).where(Item.role == "main").limit(10)).all():
            check_editing.use_item(
                session, "test", study, original, role="silent", answers={"helpfulness": 3}, feedback=""
            )
        study_id = study.id
    for person in add_annotators(database, study_id, 3):
        lines = lines_to_the_end(database, person)
        found = totals(lines)
        assert len(lines) > 33, "checks were among them"
        assert sorted(found, reverse=True) == found, "it never rises"
        assert found[0] - found[-1] <= 2, "a check that had nothing to check with is one item less"
        assert found[-1] == len(lines) - 1, "and at the end it was true"
        assert lines[-1].endswith("graded · you are done")
        wanted, graded = [], []
        for line in lines[:-1]:
            done, of = re.search(r"study ([\d,]+) of ([\d,]+)", line).groups()  # type: ignore[union-attr]
            graded, wanted = [*graded, int(done)], [*wanted, int(of)]
        assert set(wanted) == {60}, "30 items and 3 grades each, but for 10 that are lent to checks"
        assert max(graded) <= 60, "checks are no part of it"


@pytest.mark.parametrize("kind", ["loud_every", "silent_every"])
def test_few_checks_are_not_promised_again(database: Database, kind: str) -> None:
    with database.write() as session:
        study = open_way(session, forms=False, problems=12, checks={kind: 2})
        for number in range(2):
            add_check(session, study, kind.removesuffix("_every"), number)
        study_id = study.id
    [person] = add_annotators(database, study_id, 1)
    assert set(totals(lines_to_the_end(database, person))) == {14}


def test_practice_counts_in_no_number_and_has_its_own(client: TestClient, database: Database) -> None:
    with database.write() as session:
        study = open_way(session, forms=False)
        for number in range(2):
            add_check(session, study, "practice", number)
    come(client, invite(database))
    assert "practice · item 1 of 2" in client.get("/grade").text
    grade(client, 3)
    assert "practice · item 2 of 2" in client.get("/grade").text
    grade(client, 3)
    assert ">0 graded · item 1 of 3 · study 0 of 9<" in client.get("/grade").text


def test_items_seen_in_practice_and_full_strata_are_not_to_come(database: Database) -> None:
    with database.write() as session:
        study = open_way(session, forms=False, problems=6, quotas={"full": 0})
        items = session.scalars(select(Item).order_by(Item.id)).all()
        items[0].stratum = "full"
        for original in items[1:3]:
            check_editing.use_item(
                session, "test", study, original, role="practice", answers={"helpfulness": 3}, feedback=""
            )
        study_id = study.id
    [person] = add_annotators(database, study_id, 1)
    lines = lines_to_the_end(database, person)
    assert lines[2].startswith("0 graded · item 1 of 3 · study ")
    assert lines[-1] == "3 graded · you are done"


@pytest.mark.parametrize("stage", ["failed", "declined"])
def test_whoever_is_sent_away_has_nothing_to_go(database: Database, stage: str) -> None:
    with database.write() as session:
        study_id = open_way(session, forms=False).id
    [person] = add_annotators(database, study_id, 1)
    with database.write() as session:
        assignments.upcoming(session, person)
        session.get_one(Annotator, person).stage = stage
        progress = pace.progress_of(session, person)
    assert (progress.to_go, progress.text) == (0, "0 graded · your part has ended")


def test_nothing_left_says_so(database: Database) -> None:
    with database.write() as session:
        study_id = open_way(session, forms=False, problems=0).id
    [person] = add_annotators(database, study_id, 1)
    with database.write() as session:
        assert pace.progress_of(session, person).text == "0 graded · nothing left to grade"
