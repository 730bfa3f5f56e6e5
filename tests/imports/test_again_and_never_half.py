"""Importing again adds what is new and nothing else; a failure in the middle leaves nothing."""

import pytest
from sqlalchemy import event, func, select

from app.storage.engine import Database
from app.storage.models import AuditEvent, Item, Output, Problem, Reference, Run, Study, System
from tests.imports.helpers import Importer

FIRST = "problem,intent,reference,system,output\np,I,r,m,x\np,I,r,n,y\n"


def test_rows_that_come_later_are_added_alone(importer: Importer, database: Database) -> None:
    importer.good(FIRST)
    result = importer.good(FIRST + "p,I,r,o,x\nq,J,s,m,z\n", study="study")
    assert result["added"] == {
        "problems": 1, "systems": 1, "outputs": 2, "variants": 0, "grades": 0, "annotators": 0, "scores": 0
    }  # fmt: skip
    with database.read() as session:
        assert session.scalars(select(System.name).order_by(System.position)).all() == ["m", "n", "o"]
        assert session.scalars(select(Problem.position).order_by(Problem.position)).all() == [0, 1]
        # o's output equals m's: no new item; the reference of q is one.
        assert sorted(session.scalars(select(Item.text))) == ["r", "s", "x", "y", "z"]
        runs = session.scalars(select(Output.run_id).order_by(Output.id)).all()
        assert runs == [1, 1, 2, 2]


def test_references_may_come_later_and_become_items(importer: Importer, database: Database) -> None:
    importer.good("problem,system,output\np,m,x\n")
    importer.good("problem,reference,system,output\np,r,m,x\n", study="study")
    with database.read() as session:
        assert session.scalars(select(Reference.text)).all() == ["r"]
        assert sorted(session.scalars(select(Item.text))) == ["r", "x"]


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ("p,I,r,m,changed", "Another output of 'm' is stored for problem 'p'"),
        ("p,changed,r,n,y", "'intent': It differs from what is stored for problem 'p'"),
        ("p,I,changed,n,y", "'reference': It differs from what is stored for problem 'p'"),
    ],
)
def test_a_changed_text_is_a_conflict(importer: Importer, database: Database, row: str, expected: str) -> None:
    importer.good(FIRST)
    message = importer.bad(f"problem,intent,reference,system,output\n{row}\nz,I,r,m,new\n", study="study")
    assert "row 2" in message
    assert expected in message
    with database.read() as session:
        assert session.scalar(select(func.count()).select_from(Output)) == 2


@pytest.mark.parametrize("table", ["problems", "systems", "items", "references", "outputs", "audit_events"])
@pytest.mark.fault("F22")
def test_a_failure_in_the_middle_leaves_nothing(importer: Importer, database: Database, table: str) -> None:
    def fail(_c: object, _cursor: object, statement: str, *_rest: object) -> None:
        if statement.startswith((f"INSERT INTO {table}", f'INSERT INTO "{table}"')):
            raise OSError("the disk is gone")

    event.listen(database.engine, "before_cursor_execute", fail)
    run = importer.run(FIRST)
    event.remove(database.engine, "before_cursor_execute", fail)
    assert run.state == "failed"
    assert "the disk is gone" in (run.trace or "")
    with database.read() as session:
        for model in (Study, Problem, Reference, System, Output, Item, AuditEvent):
            assert session.scalar(select(func.count()).select_from(model)) == 0


def test_an_import_is_in_the_audit_trail(importer: Importer, database: Database) -> None:
    importer.good(FIRST)
    with database.read() as session:
        study = session.scalars(select(Study)).one()
        events = session.scalars(select(AuditEvent).order_by(AuditEvent.id)).all()
        run = session.scalars(select(Run)).one()
    assert [event.action for event in events] == ["study.create", "import"]
    assert {event.study_id for event in events} == {study.id}
    assert run.study_id == study.id
    details = events[1].details
    assert details["run"] == run.public_id
    assert details["sha256"] == run.payload["sha256"]
    assert details["added"]["outputs"] == 2


def test_a_title_that_is_taken_is_refused_before_anything_runs(importer: Importer) -> None:
    importer.good(FIRST)
    with pytest.raises(Exception, match="There is a study 'study' already"):
        importer.run(FIRST)
