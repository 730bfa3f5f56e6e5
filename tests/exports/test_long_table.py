"""The long table in its three forms, and back again as grades."""

import csv
import io
import json
from collections import Counter
from datetime import datetime
from typing import Any

import pytest
from sqlalchemy import delete, func, select

from app.services.exports.chunks import item_names
from app.services.exports.grade_table import GRADE_COLUMNS
from app.storage.models import Annotator, Assignment, FormResponse, Grade, GradeEvent, Item, Problem
from tests.exports.rich import EXCLUDED, PEOPLE, SKIPPED_BECAUSE, SLUG
from tests.exports.steps import analysed, exported
from tests.imports.helpers import Importer


def rows_of(data: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in data.decode().splitlines()]


def test_each_form_holds_the_same_rows(here: Importer) -> None:
    import pyarrow.parquet as pq

    rows = rows_of(exported(here, form="jsonl", skips=True))
    assert list(rows[0])[:3] == ["task", "worker", "label"]
    table = list(csv.DictReader(io.StringIO(exported(here, form="csv", skips=True).decode(), newline="")))
    assert len(table) == len(rows)
    assert list(table[0]) == list(GRADE_COLUMNS)
    numbers = [(float(row["label"]) if row["label"] else None, row["question"] or None) for row in table]
    assert numbers == [(row["label"], row["question"]) for row in rows]
    assert {row["worker"] for row in table} == {name.replace("=", "'=") for name in PEOPLE}
    frame = pq.read_table(io.BytesIO(exported(here, form="parquet", skips=True))).to_pylist()
    for row in rows:
        row["seed"], row["variant_seed"] = int(row["seed"]), row["variant_seed"] and int(row["variant_seed"])
        for name in ("started_at", "submitted_at", "updated_at"):
            row[name] = datetime.fromisoformat(row[name])
    assert frame == rows


def test_what_the_rows_tell(here: Importer) -> None:
    rows = rows_of(exported(here, form="jsonl"))
    with here.database.read() as session:
        assert len(rows) == session.scalar(select(func.count()).select_from(Grade))
    assert not any(row["skipped"] for row in rows)
    per_question = Counter((row["instrument"], row["question"], row["task"], row["worker"]) for row in rows)
    assert set(per_question.values()) == {1}  # a task names one item of its instrument
    pairs = [row for row in rows if row["instrument"] == "semantic-similarity"]
    assert {row["swapped"] for row in pairs} == {True, False}
    assert {row["transformation"] for row in pairs} == {"butter fingers"}
    assert all(row["task"].startswith(f"{row['problem']}|butter fingers") for row in pairs)
    assert {row["is_reference"] for row in rows if row["system"] == "reference"} == {True}
    assert {row["worker"] for row in rows if row["excluded"]} == {EXCLUDED}
    changed = [row for row in rows if row["active_ms"] and row["active_ms"] >= 1000]
    assert changed
    assert all(row["first_key_ms"] == 300 and row["submitted_at"].endswith("Z") for row in rows)
    assert all(row["started_at"] <= row["submitted_at"] <= row["updated_at"] for row in rows)
    assert sum(row["changes"] for row in rows) > 0
    assert {row["questionnaire"] for row in rows} == {1}
    comments = {row["text"] for row in rows if row["question"] == "comment"}
    assert {"=1+1", "'=x"} & comments
    skips = [row for row in rows_of(exported(here, form="jsonl", skips=True)) if row["skipped"]]
    assert {row["reason"] for row in skips} == {SKIPPED_BECAUSE, None}
    assert all(row["label"] is row["text"] is row["question"] is None for row in skips)


def test_repeats_and_checks_are_called_like_what_they_show(here: Importer) -> None:
    with here.database.read() as session:
        names = item_names(session, session.scalars(select(Problem.id)).all())
        repeat = session.scalars(select(Item).where(Item.role == "repeat")).one()
    assert repeat.repeats_id is not None
    shown, again = names[repeat.repeats_id], names[repeat.id]
    assert (again.task, again.system, again.repeats) == (f"{shown.task} (repeat)", shown.system, shown.identity)
    checks = {each.task: each.repeats for each in names.values() if each.role not in ("main", "repeat")}
    assert checks == {f"p0|own text ({role})": None for role in ("practice", "loud", "silent")}
    assert {each.repeats for each in names.values() if each.role == "main"} == {None}


def test_a_cell_of_systems_is_names_with_bars(importer: Importer) -> None:
    table = "problem,system,output\np,a|b,1\np,c,1\n"
    importer.good(table, title="Bars", merge_identical=True)
    importer.good("problem,system,worker,label\np,c,ann,3\n", "grades", study="bars")
    [row] = rows_of(exported(importer, "bars", form="jsonl"))
    assert (row["system"], row["systems"]) == ("a|b", r"a\|b|c")


@pytest.mark.sqlite_is_enough
@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_the_table_comes_back_as_grades(here: Importer, form: str) -> None:
    text, data = analysed(here), exported(here, form=form, skips=True)
    before = {key: value for row in rows_of(exported(here, form="jsonl")) for key, value in [_told(row)]}
    with here.database.write() as session:
        session.connection().exec_driver_sql("DROP TRIGGER IF EXISTS grade_events_no_delete")
        for name in session.connection().exec_driver_sql("SELECT name FROM sqlite_master WHERE type = 'trigger'"):
            session.connection().exec_driver_sql(f"DROP TRIGGER {name[0]}")
        for table in (Grade, GradeEvent, Assignment, FormResponse, Annotator):
            session.execute(delete(table))
        session.execute(Item.__table__.update().values(load=0))  # type: ignore[attr-defined]
    result = here.good(data, "grades", study=SLUG)
    assert result["added"]["grades"] == len(before)
    assert "tell of skipped items" in result["message"]
    after = {key: value for row in rows_of(exported(here, form="jsonl")) for key, value in [_told(row)]}
    assert after == before
    assert analysed(here) == text
    assert here.good(data, "grades", study=SLUG)["added"]["grades"] == 0


@pytest.mark.sqlite_is_enough
def test_prompts_and_pairs_are_named_by_instrument_problem_and_item(here: Importer) -> None:
    with here.database.read() as session:
        pair = session.scalars(select(Item).where(Item.original.is_not(None)).order_by(Item.id)).first()
        assert pair is not None
        key = session.get_one(Problem, pair.problem_id).key
    row = f"{key},{pair.identity},semantic-similarity,semantic-similarity,ann,0.5"
    head = "problem,item,instrument,question,worker,label\n"
    assert here.good(f"{head}{row}\n", "grades", study=SLUG)["added"]["grades"] == 1
    with here.database.read() as session:
        graded = session.scalars(select(Grade.item_id).join(Annotator).where(Annotator.pseudonym == "ann"))
        assert graded.all() == [pair.id]
    unknown = here.bad(head + row.replace(pair.identity, "first") + "\n", "grades", study=SLUG)
    assert "has no item first…" in unknown
    assert "An item’s identity is the one that an export of this study writes" in unknown
    assert "--map item=identity" in here.bad("worker,label,instrument\nann,1,x\n", "grades", study=SLUG)


def _told(row: dict[str, Any]) -> tuple[tuple[str, ...], tuple[Any, ...]]:
    key = tuple(row[name] for name in ("instrument", "problem", "item", "question", "worker"))
    return key, tuple(
        row[name]
        for name in ("label", "text", "surplus", "excluded", "swapped", "submitted_at", "updated_at", "task")
    )


@pytest.mark.sqlite_is_enough
@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ("p0,,A9,,labels,oops", "written as a JSON list"),
        ('p0,,A9,,labels,"[""no such""]"', "An answer is some of"),
        ("p0,,A9,3,semantic-similarity,", "doesn't ask about this"),
        ("p0,,A9,101,direct-assessment,", "is not on the scale"),
        ("p0,,A9,,fluency,", "is not a number"),
    ],
)
def test_a_bad_answer_is_named(here: Importer, row: str, expected: str) -> None:
    with here.database.read() as session:
        item = session.scalars(select(Item.identity).order_by(Item.id)).first()
    head = "task,problem,system,worker,label,question,text,item\n"
    assert expected in here.bad(f"{head}p0|system-0,{row},{item}\n", "grades", study=SLUG)
