"""How well people grade, what leaving somebody out changes, and what they did that is to be paid."""

import csv
import io
import re
from html import unescape
from typing import Any

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from app.clock import utc_now
from app.services.desk.people import people_of
from app.services.pace import progress_of
from app.services.questionnaires.instruments import output_instrument
from app.storage.models import Annotator, Assignment, Grade, GradeEvent, Item, Output, Problem, Question, Study
from tests.desk.conftest import DESK, Desk
from tests.factories import add_grade


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def add_checks(session: Session, desk: Desk) -> None:
    """For the first person: a silent check passed, one failed, one skipped; a repeat with another answer."""
    study = session.get_one(Study, desk.study)
    person = session.get_one(Annotator, desk.people[0])
    question = session.scalars(select(Question)).one()
    before = session.scalars(select(Assignment).where(Assignment.annotator_id == person.id)).all()[0].item_id
    expected = {"answers": {question.name: [0, 1]}, "feedback": ""}
    values: list[tuple[str, dict[str, Any], float | None]] = [
        ("silent", {"expected": expected}, 1.0),
        ("silent", {"expected": expected}, 4.0),
        ("silent", {"expected": expected}, None),
        ("repeat", {"repeats_id": before}, 3.0),
    ]
    for number, (role, more, value) in enumerate(values):
        item = Item(
            study_id=study.id,
            instrument_id=output_instrument(session, study).id,
            problem_id=session.scalars(select(Problem.id)).all()[0],
            identity=f"check-{number}",
            text="pass",
            role=role,
            shuffle=number,
            **more,
        )
        session.add(item)
        session.flush()
        add_grade(session, person, item.id, question.id, -1.0 if value is None else value)
        if value is None:
            skipped = session.scalars(select(Assignment).where(Assignment.item_id == item.id)).one()
            skipped.state = "skipped"


def test_quality_stands_in_the_order_of_the_pseudonyms(desk: Desk) -> None:
    with desk.database.write() as session:
        for person, name in zip(desk.people[:3], ("A100", "A20", "A3"), strict=True):
            session.get_one(Annotator, person).pseudonym = name
    desk.client.post(f"{DESK}/annotators/measure", data={"question": "helpfulness"})
    desk.do_runs()
    assert [row["annotator"] for row in rows_of(desk.get("/quality.csv"))] == ["A3", "A20", "A100"]


def test_the_table_of_quality(desk: Desk) -> None:
    with desk.database.write() as session:
        add_checks(session, desk)
    page = desk.get("/annotators")
    assert re.search(r'<a class="button" href="/studies/[^"]+/way/invitations">Invite annotators</a>', page)
    assert "Measure the annotators" in page
    assert desk.client.get(f"{DESK}/quality.csv").status_code == 404
    desk.client.post(f"{DESK}/annotators/measure", data={"question": "helpfulness"})
    desk.do_runs()
    first, second, third = rows_of(desk.get("/quality.csv"))
    assert (third["modal_share"], third["longest_run"], third["entropy"]) == ("1.0", "4.0", "0.0")
    assert [row["seconds"] for row in (first, second, third)] == ["2.0", "3.0", "4.0"]
    assert (first["silent"], first["silent_items"]) == ("0.333333", "3")
    assert (first["repeats_equal"], first["repeats_equal_items"]) == ("0.0", "1")
    assert second["silent_why_not"] == "No check was shown."
    # On each item the first and the second are apart by 1 or 2, and the third always says 4.
    with desk.database.read() as session:
        ids = session.scalars(select(Item.id).where(Item.role == "main")).all()
    apart = [abs(item % 3 - ((item + 1) % 3 + 4) / 2) for item in ids]
    assert float(first["difference"]) == round(sum(apart) / 4, 6)
    assert "nan" not in desk.get("/quality.csv").lower()
    page = desk.get("/annotators")
    assert "Longest run" in page
    assert "Loud checks (No check was shown.)" in page
    assert "Practice (No practice item was answered.)" in page
    assert re.search(r"\d %<small>4 items", desk.get(f"/annotators/{desk.people[2]}")), "a share has its unit"
    assert desk.client.post(f"{DESK}/annotators/measure", data={"question": "other"}).status_code == 422
    assert desk.client.get(f"{DESK}/annotators?question=other").status_code == 404


def test_others_are_compared_in_what_the_analysis_counts(desk: Desk) -> None:
    """A reference is graded and an answer is surplus: both are habits, neither is in skill or likeness."""
    with desk.database.write() as session:
        reference, other = session.scalars(select(Item).where(Item.role == "main").order_by(Item.id)).all()[:2]
        session.execute(delete(Output).where(Output.item_id == reference.id))
        reference.is_reference = True
        extra = session.scalars(select(Grade).where(Grade.item_id == other.id).order_by(Grade.annotator_id)).first()
        assert extra is not None
        extra.surplus = True
    desk.client.post(f"{DESK}/annotators/measure", data={"question": "helpfulness"})
    desk.do_runs()
    first, second, _ = rows_of(desk.get("/quality.csv"))
    columns = ("skill_items", "equal_items", "difference_items", "modal_share_items", "references_items")
    assert [first[name] for name in columns] == ["2", "2", "2", "4", "1"]
    assert second["skill_items"] == "3"


def test_what_an_exclusion_changes_is_measured_and_kept(desk: Desk) -> None:
    third = desk.people[2]
    address = f"{DESK}/annotators/{third}"
    page = desk.get(f"/annotators/{third}")
    assert "Exclude" in page
    assert 'name="reason"' in page, "nobody has to measure first"
    desk.client.post(f"{address}/effect")
    desk.do_runs()
    page = desk.get(f"/annotators/{third}")
    assert "12 grades of outputs count before, 8 after." in page
    assert "Krippendorff" in page
    assert "system-1" in page
    refused = desk.client.post(f"{address}/exclude", data={"reason": " "})
    assert refused.status_code == 422
    assert "reason-error" in refused.text
    desk.client.post(f"{address}/exclude", data={"reason": "Pressed <4> all the time"})
    page = desk.get(f"/annotators/{third}")
    assert "Pressed &lt;4&gt; all the time" in page
    assert "What was measured before the grades were left out" in page
    assert "12 grades of outputs count before, 8 after." in page
    assert f"/annotators/{third}/restore" in page
    assert "8 of 16 grades are in" in desk.get("")
    desk.client.post(f"{address}/effect")
    desk.do_runs()
    assert "8 grades of outputs count before, 12 after." in desk.get(f"/annotators/{third}")
    assert desk.client.post(f"{address}/exclude", data={"reason": "again"}).status_code == 409
    desk.client.post(f"{address}/restore", data={"reason": "It was the fourth"})
    assert "12 of 16 grades are in" in desk.get("")
    log = desk.get("/log")
    assert "whose 4 grades count in no result. Reason: Pressed &lt;4&gt; all the time" in log
    assert "4 grades count again, 0 are surplus. Reason: It was the fourth" in log


def test_excluded_people_are_measured_but_not_compared(desk: Desk) -> None:
    with desk.database.write() as session:
        session.get_one(Annotator, desk.people[2]).excluded_at = utc_now()
    desk.client.post(f"{DESK}/annotators/measure", data={"question": "helpfulness"})
    desk.do_runs()
    *_, third = rows_of(desk.get("/quality.csv"))
    assert (third["excluded"], third["equal"], third["modal_share"]) == ("True", "", "1.0")
    assert third["equal_why_not"] == "Excluded: not compared with the others."


def test_pay_tells_minutes_endings_and_codes(desk: Desk) -> None:
    with desk.database.write() as session:
        study = session.get_one(Study, desk.study)
        study.options = {"endings": {"done": {"code": "DONE1"}, "failed": {"code": "=FAILED()"}}}
        first, second, third = (session.get_one(Annotator, each) for each in desk.people[:3])
        first.stage, first.source, first.external_id, first.crowd = "done", "prolific", "=HYPERLINK(1)", None
        second.stage, second.crowd = "failed", None
        third.stage, third.crowd = "done", {"ending": {"as": "done", "code": "EARLIER", "at": "…"}}
    rows = rows_of(desk.get("/pay.csv"))
    assert [row["code"] for row in rows] == ["DONE1", "'=FAILED()", "EARLIER", ""]
    assert rows[0]["external_id"] == "'=HYPERLINK(1)", "no spreadsheet takes it for a formula"
    assert [row["items"] for row in rows] == ["4", "4", "4", "0"]
    assert [row["active_minutes"] for row in rows] == ["0.1", "0.2", "0.3", ""]
    assert [row["ending"] for row in rows] == ["done", "failed", "done", ""]
    page = desk.get("/pay")
    assert "=HYPERLINK(1)" in page
    assert "=HYPERLINK(1)" not in desk.get("/annotators") + desk.get("") + desk.get("/log")


def test_the_history_is_never_touched(desk: Desk) -> None:
    with desk.database.read() as session:
        before = session.scalars(select(GradeEvent.id)).all()
    for verb in ("exclude", "restore"):
        desk.client.post(f"{DESK}/annotators/{desk.people[0]}/{verb}", data={"reason": "why"})
    with desk.database.read() as session:
        assert session.scalars(select(GradeEvent.id)).all() == before


def test_why_nobody_has_a_skill_is_not_the_reason_of_somebody_without_grades(desk: Desk) -> None:
    """Two people alone don't agree enough for M-MSR; a third one, listed first, answered a check and nothing else."""
    with desk.database.write() as session:
        study, first = session.get_one(Study, desk.study), session.get_one(Annotator, desk.people[0])
        session.execute(delete(Grade).where(Grade.annotator_id == first.id))
        add_checks(session, desk)
        session.get_one(Annotator, desk.people[2]).excluded_at = utc_now()
        assert study.id == first.study_id
    desk.client.post(f"{DESK}/annotators/measure", data={"question": "helpfulness"})
    desk.do_runs()
    first_row, second_row, _ = rows_of(desk.get("/quality.csv"))
    assert first_row["skill_why_not"] == "No grade counts yet."
    assert second_row["skill_why_not"] != "No grade counts yet."
    assert f"Skill ({second_row['skill_why_not']})" in unescape(desk.get("/annotators"))


def test_practice_is_not_among_the_items_done(desk: Desk) -> None:
    """The thanks page counts as the desk and pay do."""
    with desk.database.write() as session:
        add_checks(session, desk)
        session.scalars(select(Item).where(Item.role == "silent").order_by(Item.id)).all()[0].role = "practice"
    with desk.database.read() as session:
        graded = progress_of(session, desk.people[0]).mine
        [person] = people_of(session, session.get_one(Study, desk.study), Annotator.id == desk.people[0])
    assert person.items == graded == 4 + 2, "a silent check and a repeat"
    assert rows_of(desk.get("/pay.csv"))[0]["items"] == "6"
