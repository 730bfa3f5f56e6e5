"""From rows to documents: published values, strata, who counts, the same bytes, and what makes them stale."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select, update
from sqlalchemy.orm import Session

from app.clock import utc_now
from app.config import Settings
from app.services.agreement import all_documents
from app.services.imports.request import ImportRequest
from app.services.imports.uploads import keep, local_files, record, start_import
from app.services.studies import create_study, find_study
from app.storage.engine import Database
from app.storage.models import Annotator, Grade, GradeEvent, Item, Measurement, Question, Study
from tests.agreement.study import PEOPLE, PROBLEMS, TRANSFORMATIONS, documents, is_stale, measure, survey_study
from tests.conala_installation import do
from tests.shared_data import shared_data

Document = dict[str, Any]


def document(database: Database, kind: str, question: str = "") -> Document:
    found: list[Document] = [
        each
        for each in json.loads(documents(database))
        if (each["kind"], each["signature"]["parameters"]["question"]) == (kind, question)
    ]
    assert len(found) == 1
    return found[0]


@pytest.mark.sqlite_is_enough
def test_the_published_study(database: Database, settings: Settings) -> None:
    """Generalised Fleiss 0.310, ordinal alpha 0.636 of 10,602 grades of 2,360 items, from the sixteen raw files."""
    with local_files(shared_data("conala")) as files:
        kept = keep(settings, files)
    request = ImportRequest(
        sha256=kept.stored.sha256, file_name=kept.name, kind="codegen-metrics", title="CoNaLa", seed=0
    )
    with database.write() as session:
        record(session, kept, None)
        run_id = start_import(session, request, user_id=None, study=None).id
    do(database, settings, run_id)
    measure(database, settings, "conala", draws=1000)
    found = {each["kind"]: each for each in json.loads(documents(database, "conala"))}
    assert (found["agreement"]["items"], found["agreement"]["grades"]) == (2360, 10602)
    (part,) = found["agreement"]["parts"]
    coefficients = part["agreement"]["coefficients"]
    assert coefficients["fleiss_kappa"]["value"] == pytest.approx(0.310, abs=5e-4)
    assert coefficients["krippendorff_alpha"]["ordinal"]["value"] == pytest.approx(0.636, abs=1e-3)
    assert part["strata"] == []
    assert len(part["agreement"]["annotators"]) == 16
    enough = found["enough"]
    assert enough["of_one_moment"] == 10602
    assert [system["problems"] for system in enough["precision"]["systems"]] == [472] * 5
    assert len(enough["pairs"]) == 10
    assert enough["stability"]["grades"] == 10602


@pytest.mark.sqlite_is_enough
def test_strata_are_nominal_perturbed_and_each_transformation(measured: Database) -> None:
    (part,) = document(measured, "agreement", "naturalness")["parts"]
    strata = {each["name"]: each for each in part["strata"]}
    assert list(strata) == ["nominal", "perturbed", *TRANSFORMATIONS]
    assert [each["items"] for each in strata.values()] == [PROBLEMS, 2 * PROBLEMS, PROBLEMS, PROBLEMS]
    # Everybody finds each unchanged prompt natural: chance alone gives that.
    assert "chance alone" in strata["nominal"]["agreement"]["coefficients"]["fleiss_kappa"]["reason"]
    assert strata["perturbed"]["agreement"]["coefficients"]["fleiss_kappa"]["value"] is not None
    assert part["agreement"]["top"] == 1.0
    # By hand: the first three agree; a fourth and fifth give the grades after theirs. Three of five is the majority.
    assert part["agreement"]["majority"] == part["agreement"]["majority"] | {"count": 36, "of": 36}
    # Of pairs all are changed: the stratum that holds them all is left out.
    (similar,) = document(measured, "agreement", "semantic-similarity")["parts"]
    assert [each["name"] for each in similar["strata"]] == list(TRANSFORMATIONS)
    assert [each["items_without_grade"] for each in similar["strata"]] == [0, 1]
    assert document(measured, "agreement", "semantic-similarity")["items_without_grade"] == 1


@pytest.mark.sqlite_is_enough
def test_labels_are_measured_one_by_one_and_comments_not(measured: Database) -> None:
    labels = document(measured, "agreement", "labels")
    parts = {part["label"]: part["agreement"] for part in labels["parts"]}
    assert list(parts) == ["does-not-run", "wrong-result", "incomplete", "needless-code"]
    assert parts["does-not-run"]["coefficients"]["fleiss_kappa"]["value"] is None  # nobody gave it
    assert parts["wrong-result"]["coefficients"]["fleiss_kappa"]["value"] is not None
    assert labels["asked"]["level"] == "nominal"
    assert document(measured, "agreement", "quality")["asked"]["level"] == "interval"
    assert "comment" not in {each["signature"]["parameters"]["question"] for each in json.loads(documents(measured))}


@pytest.mark.sqlite_is_enough
def test_the_survey_counts_each_prompt(measured: Database) -> None:
    rows = document(measured, "survey")["survey"]["rows"]
    found = {(row["question"], row["prompts"], row["transformation"]): row for row in rows}
    assert found["naturalness", "nominal", None]["mean"]["value"] == 1
    assert found["naturalness", "perturbed", None]["grades"] == 5 * 2 * PROBLEMS
    similar = found["similarity", "perturbed", None]
    assert (similar["items"], similar["items_without_grade"]) == (2 * PROBLEMS - 1, 1)
    assert found["similarity", "perturbed", "Tense"]["items"] == PROBLEMS - 1


@pytest.mark.sqlite_is_enough
def test_systems_and_what_is_needed(measured: Database) -> None:
    found = document(measured, "enough", "helpfulness")
    means = {system["name"]: system["mean"] for system in found["precision"]["systems"]}
    assert means["system-1"] - means["system-0"] == pytest.approx(25)  # a grade more on a scale of 0 to 4
    (pair,) = found["pairs"]
    assert pair["difference"] == pytest.approx(-25)
    assert found["stability"]["grades"] == found["precision"]["grades"] == 2 * PROBLEMS * len(PEOPLE)


def test_who_is_excluded_and_what_only_checks_do_not_count(surveyed: Database, settings: Settings) -> None:
    with surveyed.write() as session:
        session.execute(update(Annotator).where(Annotator.pseudonym == "A05").values(excluded_at=utc_now()))
        items = session.scalars(
            select(Item)
            .join(Question, Question.instrument_id == Item.instrument_id)
            .where(Question.name == "quality")
        ).all()
        items[0].role, items[1].is_reference = "practice", True
        first = session.scalars(select(Grade).where(Grade.item_id == items[2].id).order_by(Grade.id)).first()
        assert first is not None
        first.surplus = True
    measure(surveyed, settings)
    # Of the first two questions of outputs: 22 items by four people, less one grade that is surplus.
    counts = [document(surveyed, "agreement", name)["grades"] for name in ("helpfulness", "quality")]
    assert sorted(counts) == [22 * 4 - 1, 22 * 4]
    assert document(surveyed, "agreement", "helpfulness")["items"] == 22
    assert document(surveyed, "enough", "helpfulness")["precision"]["items"] == 22


MADE: dict[str, str] = {}


@pytest.mark.xdist_group("both databases")  # in one process, which compares them
def test_both_databases_give_the_same_bytes(surveyed: Database, settings: Settings) -> None:
    """Run once on each; which comes first doesn't matter. Grades come at different times here and there."""
    with surveyed.write() as session:
        session.execute(update(Grade).values(created_at=utc_now()))
    measure(surveyed, settings)
    MADE[surveyed.engine.dialect.name] = documents(surveyed)
    assert len(set(MADE.values())) == 1
    assert len(json.loads(documents(surveyed))) == 8


def test_measured_again_from_the_same_it_stays(measured: Database, settings: Settings) -> None:
    before = documents(measured)
    run = measure(measured, settings)
    assert run.message == "8 measurements of the grades, 0 of them new."
    assert documents(measured) == before
    assert measure(measured, settings, seed=3).message == "8 measurements of the grades, 8 of them new."
    assert documents(measured) != before
    with measured.read() as session:
        assert len(session.scalars(select(Measurement.id)).all()) == 8


def _grade_event(session: Session, study: Study) -> None:
    annotator = session.scalars(select(Annotator).where(Annotator.study_id == study.id)).first()
    assert annotator is not None
    item = session.scalars(select(Item.id)).first()
    session.add(GradeEvent(annotator_id=annotator.id, item_id=item, kind="grade", value=1.0))


def _exclude(session: Session, study: Study) -> None:
    session.execute(update(Annotator).where(Annotator.pseudonym == "A05").values(excluded_at=utc_now()))


def _retire(session: Session, study: Study) -> None:
    item = session.scalars(select(Item).where(Item.study_id == study.id)).first()
    assert item is not None
    item.gradable = False


def _other_words(session: Session, study: Study) -> None:
    session.execute(update(Question).where(Question.name == "quality").values(text="How good is it, all in all?"))


def _elsewhere(session: Session, study: Study) -> None:
    create_study(session, "Elsewhere", seed=1)
    study.state = "open"


@pytest.mark.parametrize(
    ("change", "stale"),
    [(_grade_event, True), (_exclude, True), (_retire, True), (_other_words, True), (_elsewhere, False)],
)
def test_what_makes_it_stale(
    measured: Database, settings: Settings, change: Callable[[Session, Study], None], stale: bool
) -> None:
    assert not is_stale(measured)
    with measured.write() as session:
        change(session, find_study(session, "a-study"))
    assert is_stale(measured) == stale
    measure(measured, settings)
    assert not is_stale(measured)


@pytest.mark.sqlite_is_enough
def test_a_question_that_is_asked_no_more_goes(measured: Database, settings: Settings) -> None:
    with measured.write() as session:
        session.execute(update(Question).where(Question.name == "quality").values(name="goodness"))
    measure(measured, settings)
    names = {each["signature"]["parameters"]["question"] for each in json.loads(documents(measured))}
    assert "goodness" in names
    assert "quality" not in names


@pytest.mark.sqlite_is_enough
def test_nothing_graded_is_measured_with_its_reasons(database: Database, settings: Settings, tmp_path: Path) -> None:
    survey_study(database)
    with database.write() as session:
        study = create_study(session, "Empty", seed=1)
        assert all_documents(session, study) is None
    measure(database, settings, "empty")
    found = {each["kind"]: each for each in json.loads(documents(database, "empty"))}
    assert "no item has two grades" in found["agreement"]["parts"][0]["agreement"]["same"]["reason"]
    assert found["enough"]["precision"]["systems"] == []
