"""The published study folder: the real CoNaLa study, and a small one like HearthStone, made here."""

import io
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from crowdkit.aggregation import MMSR
from PIL import Image
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.storage.engine import Database
from app.storage.files import FileStore
from app.storage.models import (
    Annotator,
    Artifact,
    Assignment,
    Grade,
    GradeEvent,
    Item,
    MetricScore,
    Output,
    Problem,
    Reference,
    Run,
    Scoring,
    Study,
    System,
)
from tests.imports.helpers import Importer
from tests.shared_data import load_json, shared_data

SYSTEMS = ("baseline", "tranx-annot", "best-tranx", "best-tranx-rerank", "codex")


def folder_of(path: Path) -> dict[str, bytes]:
    return {f"conala/{each.relative_to(path)}": each.read_bytes() for each in path.rglob("*.json")}


def output_grades(session: Session) -> list[tuple[str, str, str, float]]:
    """(intent, system, annotator, grade) of outputs, references left out."""
    rows = session.execute(
        select(Problem.intent, System.name, Annotator.pseudonym, Grade.value)
        .join(Output, Output.problem_id == Problem.id)
        .join(System, System.id == Output.system_id)
        .join(Grade, Grade.item_id == Output.item_id)
        .join(Annotator, Annotator.id == Grade.annotator_id)
    )
    return [(intent or "", system, annotator, value) for intent, system, annotator, value in rows]


def consensus(grades: list[tuple[str, str, str, float]]) -> dict[tuple[str, str], float]:
    table = pd.DataFrame(
        [(f"{system}\n{intent}", annotator, int(value)) for intent, system, annotator, value in grades],
        columns=["task", "worker", "label"],
    )
    labels = MMSR(n_iter=10_000, tol=1e-10, random_state=0).fit_predict(table)
    return {tuple(str(task).split("\n", 1)): float(label) for task, label in labels.items()}  # type: ignore[misc]


@pytest.fixture
def published() -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = load_json("conala", "published", "conala-all-grades.json")
    return rows


@pytest.mark.filterwarnings("ignore::pandas.errors.Pandas4Warning")  # crowd-kit's own call
def test_the_conala_study(importer: Importer, database: Database, published: list[dict[str, Any]]) -> None:
    files = folder_of(shared_data("conala"))
    result = importer.good(files, "codegen-metrics", title="CoNaLa")
    assert result["added"]["problems"] == 472
    assert result["added"]["annotators"] == 16
    with database.read() as session:
        study = session.scalars(select(Study)).one()
        assert (study.merge_identical, study.codebleu_variant) == (False, "published")
        _check_material(session, published)
        _check_grades(session)
        _check_ruby(session, published)
        grades = output_grades(session)
    got = consensus(grades)
    equal = sum(got[system, row["intent"]] == row[f"grade-{system}"] for row in published for system in SYSTEMS)
    assert equal >= 2_325

    again = importer.good(files, "codegen-metrics", study="conala")
    assert set(again["added"].values()) == {0}
    assert again["message"] == "Everything in this file is there already. Nothing was added."


def _check_material(session: Session, published: list[dict[str, Any]]) -> None:
    outputs = session.execute(
        select(Problem.intent, System.name, Output.text)
        .join(Output, Output.problem_id == Problem.id)
        .join(System, System.id == Output.system_id)
    )
    got = {(intent, system): text for intent, system, text in outputs}
    assert got == {(row["intent"], system): row[system] for row in published for system in SYSTEMS}
    references = session.execute(
        select(Problem.intent, Reference.text).join(Reference).order_by(Problem.position, Reference.position)
    )
    by_intent: dict[str | None, list[str]] = {}
    for intent, text in references:
        by_intent.setdefault(intent, []).append(text)
    assert list(by_intent.items()) == [(row["intent"], row["snippet"]) for row in published]


def _check_grades(session: Session) -> None:
    grades = output_grades(session)
    assert len(grades) == 10_602
    counts = Counter((intent, system) for intent, system, _, _ in grades)
    assert len(counts) == 2_360
    assert (min(counts.values()), max(counts.values())) == (3, 10)
    assert round(sum(counts.values()) / len(counts), 2) == 4.49
    merged = {
        (row["intent"], system, annotator): grade
        for row in load_json("conala", "published", "conala-human-grades.json")
        for system in SYSTEMS
        for annotator, grade in row[f"grade-{system}"].items()
    }
    ours = {(intent, system, annotator): grade for intent, system, annotator, grade in grades}
    assert ours.keys() == merged.keys()
    assert sum(ours[key] != merged[key] for key in ours) <= 93
    _check_invariants(session)


def _check_invariants(session: Session) -> None:
    """Every grade has its event and its assignment, and counts in its item's load."""
    count = session.scalar(select(func.count()).select_from(Grade))
    assert session.scalar(select(func.count()).select_from(Assignment)) == count
    assert session.scalar(select(func.sum(Item.load))) == count
    events = session.scalars(select(GradeEvent)).all()
    assert len(events) == count
    run = session.scalars(select(Run)).first()
    assert run is not None
    assert {event.kind for event in events} == {"import"}
    assert all(event.details and event.details["run"] == run.public_id for event in events)
    assert set(session.scalars(select(Annotator.kind))) == {"imported"}
    assert set(session.scalars(select(Output.run_id))) == {run.id}
    merged = [event.details["merged_from"] for event in events if event.details and "merged_from" in event.details]
    assert sum(len(set(grades)) > 1 for grades in merged) == 93


def _check_ruby(session: Session, published: list[dict[str, Any]]) -> None:
    scoring = session.scalars(select(Scoring)).one()
    assert (scoring.name, scoring.label, scoring.imported) == ("ruby_published", "RUBY (published)", True)
    rows = session.execute(
        select(Problem.intent, System.name, MetricScore.score)
        .join(Output, Output.id == MetricScore.output_id)
        .join(Problem, Problem.id == Output.problem_id)
        .join(System, System.id == Output.system_id)
    )
    got = {(intent, system): score for intent, system, score in rows}
    assert got == {(row["intent"], system): row[f"ruby-{system}"] for row in published for system in SYSTEMS}


@pytest.mark.filterwarnings("ignore::pandas.errors.Pandas4Warning")
def test_the_published_merged_grades(importer: Importer, database: Database, published: list[dict[str, Any]]) -> None:
    files = folder_of(shared_data("conala"))
    importer.good(files, "codegen-metrics", merged_grades=True, published_metrics=("all",))
    with database.read() as session:
        names = set(session.scalars(select(Scoring.name)))
        grades = output_grades(session)
    assert names == {f"{each}_published" for each in ("bleu", "rouge_l", "chrf", "meteor", "codebleu", "ruby")}
    assert len(grades) == 10_602
    got = consensus(grades)
    assert all(got[system, row["intent"]] == row[f"grade-{system}"] for row in published for system in SYSTEMS)


def png(colour: str, size: tuple[int, int] = (8, 6)) -> bytes:
    target = io.BytesIO()
    Image.new("RGB", size, colour).save(target, "PNG", pnginfo=None)
    return target.getvalue()


def like_hearthstone() -> dict[str, bytes]:
    rows = [
        {"snippet": "class A:\n    pass", "nl2code": "class A: pass", "gcnn": ""},
        {"snippet": ["class B:\n\tpass"], "nl2code": "class C: pass", "gcnn": "class B: pass"},
        {"snippet": "class A:\n    pass", "nl2code": "class A: pass", "gcnn": "x"},
    ]
    ann = [row | {"grade-nl2code": n, "grade-gcnn": -1, "grade-snippet": 4} for n, row in enumerate(rows)]
    bob = [row | ({"grade-gcnn": 0} if n else {}) for n, row in enumerate(rows)]
    return {
        "hs/hs.json": json.dumps(rows).encode(),
        "hs/grader1.hs.json": json.dumps(ann).encode(),
        "hs/grader2.hs.json": json.dumps(bob).encode(),
        "hs/images/0.png": png("red"),
        "hs/images/2.png": png("blue"),
        "hs/readme.md": b"not ours",
        "hs/.hidden.json": b"not ours",
    }


def test_a_study_without_intents_and_with_images(importer: Importer, database: Database) -> None:
    result = importer.good(like_hearthstone(), "codegen-metrics")
    # Without an intent no rows merge, not even equal ones; an empty output is an output.
    assert result["added"] == {
        "problems": 3, "systems": 2, "outputs": 6, "variants": 0, "grades": 8, "annotators": 2, "scores": 0
    }  # fmt: skip
    with database.read() as session:
        problems = session.execute(
            select(Problem.key, Problem.intent, Artifact.sha256).outerjoin(Artifact, Problem.image_id == Artifact.id)
            .order_by(Problem.position)
        ).all()  # fmt: skip
        grades = session.execute(select(Annotator.pseudonym, Grade.value).join(Annotator)).all()
    assert [(key, intent, sha is not None) for key, intent, sha in problems] == [
        ("0", None, True), ("1", None, False), ("2", None, True)
    ]  # fmt: skip
    assert Counter(name for name, _ in grades) == {"grader1": 6, "grader2": 2}
    assert sorted(value for name, value in grades if name == "grader1") == [0, 1, 2, 4, 4, 4]
    files = FileStore(importer.settings.artifacts_dir)
    with Image.open(files.path(problems[0][2])) as image:
        assert (image.format, image.size, image.getpixel((0, 0))) == ("PNG", (8, 6), (255, 0, 0))


def test_the_sixteenth_grader_may_come_later(importer: Importer, database: Database) -> None:
    files = like_hearthstone()
    late = files.pop("hs/grader2.hs.json")
    importer.good(files, "codegen-metrics")
    result = importer.good(files | {"hs/grader2.hs.json": late}, "codegen-metrics", study="study")
    assert result["added"]["grades"] == 2
    with database.read() as session:
        assert session.scalar(select(func.sum(Item.load))) == 8


def change(files: dict[str, bytes], name: str, edit: Any) -> dict[str, bytes]:
    rows = json.loads(files[name])
    edit(rows)
    return files | {name: json.dumps(rows).encode()}


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        (lambda rows: rows[1].update({"grade-nl2code": 9}), ["grader1.hs.json, row 2", "9 is not a whole number"]),
        (lambda rows: rows[1].update({"grade-nl2code": 2.5}), ["row 2", "2.5 is not a whole number"]),
        (lambda rows: rows[1].update({"grade-nl2code": "good"}), ["row 2", "'grade-nl2code'", "not a number"]),
        (lambda rows: rows[0].update({"grade-other": 1}), ["row 1", "'grade-other'", "without outputs"]),
        (lambda rows: rows[2].update({"snippet": "else"}), ["grader1.hs.json, row 3", "'snippet'", "differs"]),
        (lambda rows: rows.pop(), ["grader1.hs.json", "2 rows, hs.json has 3"]),
    ],
)
def test_a_grader_file_that_does_not_fit(
    importer: Importer, database: Database, edit: Any, expected: list[str]
) -> None:
    message = importer.bad(change(like_hearthstone(), "hs/grader1.hs.json", edit), "codegen-metrics")
    for part in expected:
        assert part in message
    with database.read() as session:
        assert session.scalars(select(Study)).all() == []
        assert session.scalars(select(Artifact.kind)).all() == ["upload"]


def test_a_picture_that_is_none(importer: Importer) -> None:
    files = like_hearthstone() | {"hs/images/0.png": b"<svg onload=alert(1)>"}
    assert "images/0.png: this is no PNG" in importer.bad(files, "codegen-metrics")


def test_a_picture_that_is_too_large(importer: Importer) -> None:
    files = like_hearthstone() | {"hs/images/0.png": png("red", (5_000, 4_001))}
    assert "more than 20,000,000 pixels" in importer.bad(files, "codegen-metrics")


def test_separately_graded_outputs_do_not_enter_a_study_that_merges(importer: Importer) -> None:
    importer.good("problem,system,output\na,m,x\n")
    assert "Import the folder into a new study" in importer.bad(like_hearthstone(), "codegen-metrics", study="study")


def test_several_studies_in_a_folder(importer: Importer) -> None:
    files = like_hearthstone()
    files |= {name.replace("hs.json", "other.json"): data for name, data in files.items() if "hs.json" in name}
    assert "holds several studies: hs, other" in importer.bad(files, "codegen-metrics")
    assert importer.good(files, "codegen-metrics", name="hs")["added"]["outputs"] == 6


def test_a_published_metric_that_is_not_there_is_named(importer: Importer) -> None:
    files = folder_of(shared_data("conala"))
    message = importer.bad(files, "codegen-metrics", published_metrics=("nonsense",))
    assert "no scores of a metric 'nonsense'. It has: bleu" in message
