"""Grades and scores that were made elsewhere join a study that has the outputs."""

import struct
from datetime import UTC, datetime

import pytest
from sqlalchemy import func, select

from app.ids import content_hash
from app.storage.engine import Database
from app.storage.models import (
    Annotator,
    Assignment,
    Grade,
    GradeEvent,
    Item,
    MetricScore,
    Output,
    Question,
    Scoring,
    Study,
)
from tests.imports.helpers import Importer

OUTPUTS = "problem,reference,m,n\np,ref p,same,same\nq|1,ref q,x,y\n"


@pytest.fixture
def study(importer: Importer) -> Importer:
    importer.good(OUTPUTS)
    return importer


def test_grades_by_task_and_by_columns(study: Importer, database: Database) -> None:
    result = study.good(
        "task,worker,label,time\np|m,ann,4,2026-01-02T03:04:05Z\nq|1|n,ann,0,\np|reference,bob,3.0,\n",
        "grades",
        study="study",
    )
    assert result["added"]["grades"] == 3
    # p|n is the same item as p|m: the same grade again adds nothing.
    result = study.good("problem,system,worker,label\np,n,ann,4\nq|1,m,ann,1\n", "grades", study="study")
    assert result["added"]["grades"] == 1
    with database.read() as session:
        rows = session.execute(
            select(Annotator.pseudonym, Item.text, Grade.value, Item.load).join(Annotator).join(Item)
            .order_by(Grade.id)
        ).all()  # fmt: skip
        assert [tuple(row) for row in rows] == [
            ("ann", "same", 4, 1), ("ann", "y", 0, 1), ("bob", "ref p", 3, 1), ("ann", "x", 1, 1)
        ]  # fmt: skip
        assert session.scalar(select(Grade.created_at)) == datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
        positions = session.execute(
            select(Assignment.position, Assignment.state).join(Annotator).where(Annotator.pseudonym == "ann")
            .order_by(Assignment.position)
        ).all()  # fmt: skip
        assert [tuple(row) for row in positions] == [(0, "graded"), (1, "graded"), (2, "graded")]


def test_importing_grades_again_adds_nothing(study: Importer, database: Database) -> None:
    data = "task,worker,label\np|m,ann,4\n"
    study.good(data, "grades", study="study")
    assert study.good(data, "grades", study="study")["message"].startswith("Everything in this file is there")
    with database.read() as session:
        assert session.scalar(select(func.count()).select_from(GradeEvent)) == 1


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ("p|m,ann,5,", "The grade 5 is not on the scale of 'helpfulness' (0, 1, 2, 3, 4)"),
        ("p|m,ann,-1,", "The grade -1 is not on the scale"),
        ("p|m,ann,nan,", "nan is not a finite number"),
        ("p|m,ann,good,", "'good' is not a number"),
        ("p|m,ann,,", "There is no grade"),
        ("p|m,,4,", "It is empty"),
        ("z|m,ann,4,", "no problem 'z'"),
        ("p|z,ann,4,", "no system 'z'"),
        ("p|reference 2,ann,4,", "no item of 'reference 2'"),
        ("pm,ann,4,", "'pm' names no item"),
        ("p|n,cec,1,", "Row 2 has another grade of cec"),
        ("p|m,ann,4,yesterday", "'yesterday' is not a time"),
        ("p|m,ann,4,9999-12-31T23:59:59-23:00", "9999-12-31T23:59:59-23:00 lies too far from today"),
        ("p|m,ann,4,0001-01-01T00:00:00+09:00", "0001-01-01T00:00:00+09:00 lies too far from today"),
    ],
)
def test_a_bad_grade_is_named(study: Importer, database: Database, row: str, expected: str) -> None:
    message = study.bad(f"task,worker,label,time\np|m,cec,3,\n{row}\n", "grades", study="study")
    assert "row 3" in message
    assert expected in message
    with database.read() as session:
        assert session.scalars(select(Grade)).all() == []
        assert session.scalars(select(Annotator)).all() == []


def test_an_imported_grade_never_replaces_a_stored_one(study: Importer) -> None:
    study.good("task,worker,label\np|m,ann,4\n", "grades", study="study")
    message = study.bad("task,worker,label\np|m,ann,3\n", "grades", study="study")
    assert "ann graded this item 4 already, here it is 3" in message


def test_a_person_of_the_study_gets_no_imported_grades(study: Importer, database: Database) -> None:
    with database.write() as session:
        study_id = session.scalars(select(Study.id)).one()
        session.add(Annotator(study_id=study_id, pseudonym="ann", kind="person", order_seed=1))
    assert "ann grades in this study already" in study.bad("task,worker,label\np|m,ann,3\n", "grades", study="study")


def test_several_questions_must_be_told_apart(study: Importer, database: Database) -> None:
    with database.write() as session:
        first = session.scalars(select(Question)).one()
        same = {"study_id": first.study_id, "instrument_id": first.instrument_id, "scale": first.scale}
        session.add(Question(**same, name="style", text="Style?", position=1))
    assert "asks several questions" in study.bad("task,worker,label\np|m,ann,3\n", "grades", study="study")
    data = "task,worker,label,question\np|m,ann,3,style\np|m,ann,2,helpfulness\n"
    assert study.good(data, "grades", study="study")["added"]["grades"] == 2
    with database.read() as session:
        assert session.scalars(select(Item.load).where(Item.text == "same")).one() == 1


def test_scores_join_the_study(study: Importer, database: Database) -> None:
    data = "problem,system,metric,score\np,m,CodeBERTScore,97.5\np,n,CodeBERTScore,0\nq|1,m,CodeBERTScore,100\n"
    result = study.good(data, "scores", study="study", scale="0-100")
    assert result["added"]["scores"] == 3
    assert "CodeBERTScore scores 3 of the study's 4 outputs." in result["message"]
    assert study.good(data, "scores", study="study", scale="0-100")["added"]["scores"] == 0
    more = study.good("problem,system,metric,score\nq|1,n,CodeBERTScore,0.5\n", "scores", study="study")
    assert more["added"]["scores"] == 1
    with database.read() as session:
        scoring = session.scalars(select(Scoring)).one()
        assert (scoring.name, scoring.label, scoring.imported) == ("codebertscore", "CodeBERTScore", True)
        rows = session.execute(select(Output.text, MetricScore).join(Output).order_by(Output.id)).all()
        assert [score.score for _, score in rows] == [0.975, 0, 1, 0.5]
        for _, score in rows:
            assert struct.unpack("<d", score.statistics) == (score.score,)
        assert rows[0][1].input_hash == content_hash("same", "ref p")


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ("p,n,New,1.5", "1.5 lies outside 0 to 1. If the scores are from 0 to 100, say so"),
        ("p,n,New,-0.1", "-0.1 lies outside 0 to 1"),
        ("p,n,New,inf", "inf is not a finite number"),
        ("p,n,New,high", "'high' is not a number"),
        ("p,n,human,0.5", "'human' is the name of a metric that is computed here"),
        ("p,n,***,0.5", "1 to 80 letters and digits"),
        ("p,m,New,0.5", "Row 2 scores 'm' on problem 'p'"),
        ("z,m,New,0.5", "no output of 'm' for problem 'z'"),
    ],
)
def test_a_bad_score_is_named(study: Importer, database: Database, row: str, expected: str) -> None:
    message = study.bad(f"problem,system,metric,score\np,m,New,0.25\n{row}\n", "scores", study="study")
    assert "row 3" in message
    assert expected in message
    with database.read() as session:
        assert session.scalars(select(Scoring)).all() == []


def test_scores_say_their_metrics_label_and_signature(study: Importer, database: Database) -> None:
    head = "problem,system,metric,score,signature,label\n"
    study.good(
        head + "p,m,new,1,,\np,n,new,0,new|v:2,New!\nq|1,m,old,0,,\nq|1,n,old,0,,Old\n", "scores", study="study"
    )
    with database.read() as session:
        new, old = session.scalars(select(Scoring).order_by(Scoring.name))
        assert (new.label, new.signature) == ("New!", "new|v:2")
        assert old.label == "Old"
        assert old.signature.startswith("metric:old|file:")


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (
            "p,n,new,1,new|v:3,New",
            "column 'signature': An earlier row says 'new|v:2' of this metric, here is 'new|v:3'.",
        ),
        ("p,n,new,1,new|v:2,Newer", "column 'label': An earlier row says 'New' of this metric, here is 'Newer'."),
        (f"p,n,new,1,{'x' * 501},New", "It has 501 characters; names have at most 500."),
        (f"p,n,new,1,new|v:2,{'x' * 81}", "It has 81 characters; names have at most 80."),
    ],
)
def test_a_metric_has_one_label_and_one_signature(study: Importer, row: str, expected: str) -> None:
    data = f"problem,system,metric,score,signature,label\np,m,new,1,new|v:2,New\n{row}\n"
    message = study.bad(data, "scores", study="study")
    assert "row 3" in message
    assert expected in message


@pytest.mark.parametrize("kind", ["grades", "scores"])
def test_grades_and_scores_need_outputs(importer: Importer, kind: str) -> None:
    data = {"grades": "task,worker,label\np|m,ann,3\n", "scores": "problem,system,metric,score\np,m,N,1\n"}
    assert "Import the outputs first" in importer.bad(data[kind], kind)


@pytest.mark.parametrize("column", ["surplus", "excluded", "skipped"])
def test_a_flag_that_is_neither_true_nor_false_is_refused(study: Importer, database: Database, column: str) -> None:
    data = f"task,worker,label,{column}\np|m,ann,4,vielleicht\n"
    message = study.bad(data, "grades", study="study")
    assert f"row 2, column '{column}'" in message
    assert "'vielleicht' is neither true nor false. Write true or false." in message
    with database.read() as session:
        assert session.scalars(select(Grade)).all() == []
    assert study.good(data.replace("vielleicht", "False"), "grades", study="study")["added"]["grades"] == 1
