"""A study with everything in it comes back whole, on the other database, too."""

import json

import pytest
from sqlalchemy import func, select

from app.storage.models import Annotator, Assignment, FormResponse, Grade, GradeEvent, Item, Study
from tests.exports.rich import EXCLUDED, SKIPPED_BECAUSE, WHY
from tests.exports.steps import analysed, exported, measured, members
from tests.exports.test_bent_bundles import resummed
from tests.imports.helpers import Importer, zipped

pytestmark = pytest.mark.postgres
WHOLE = {"platform_ids": True, "answers_about_people": True}


def test_everything_comes_back_on_the_other_database(here: Importer, empty: Importer) -> None:
    text, grades = analysed(here), measured(here)
    assert json.loads(text)["consensus"]["grades"] > 10
    data = exported(here, **WHOLE)
    files = members(data)
    assert files["analysis.json"].decode() == text
    assert files["measurements.json"].decode() == grades
    assert {"tables/survey.csv", "tables/quality-helpfulness.csv"} <= files.keys()
    counts = {name: files[name].count(b"\n") for name in files if name.endswith(".jsonl")}
    assert (
        min(
            counts[f"{name}.jsonl"] for name in ("variants", "change-scores", "responses", "skips", "flags", "events")
        )
        > 0
    )
    result = empty.good({"b.zip": data}, "bundle", title=None, seed=None)
    assert result["added"]["grades"] == counts["grades.jsonl"]
    assert analysed(empty) == text
    assert measured(empty) == grades
    again = members(exported(empty, **WHOLE))
    assert again.pop("study.json") == files.pop("study.json").replace(b'"state": "paused"', b'"state": "draft"')
    for name in ("SHA256SUMS", "decisions.csv"):  # decisions are an installation's own
        again.pop(name), files.pop(name)
    assert again.keys() == files.keys()
    assert {name for name in files if again[name] != files[name]} == set()


def test_what_came_back_is_a_study_to_go_on_with(here: Importer, empty: Importer) -> None:
    empty.good({"b.zip": exported(here)}, "bundle", title=None, seed=None)
    with here.database.read() as before, empty.database.read() as after:
        loads = select(Item.identity, Item.load, Item.role).order_by(Item.id)
        assert after.execute(loads).all() == before.execute(loads).all()
        for table in (Grade, GradeEvent, Assignment, Annotator):
            count = select(func.count()).select_from(table)
            assert after.scalar(count) == before.scalar(count)
        repeat = after.scalars(select(Item).where(Item.role == "repeat")).one()
        assert after.get_one(Item, repeat.repeats_id).text == repeat.text
        away = after.scalars(select(Annotator).where(Annotator.excluded_at.is_not(None))).one()
        assert (away.pseudonym, away.excluded_reason) == (EXCLUDED, WHY)
        assert SKIPPED_BECAUSE in after.scalars(select(Assignment.skip_reason)).all()
        assert after.scalars(select(Study.options)).one()["retire_after"] == 2
        unset = select(func.count()).select_from(Item).where(Item.expected.is_(None))  # NULL, not JSON's null
        assert after.scalar(unset) == before.scalar(unset)


def test_pseudonyms_unless_it_was_asked_for(here: Importer, empty: Importer) -> None:
    data = exported(here)
    for name, content in members(data).items():
        assert b"5f0ab1" not in content, name
        assert b"Name of" not in content, name
        assert b'"years": ' not in content, name
    empty.good({"b.zip": data}, "bundle", title=None, seed=None)
    with empty.database.read() as session:
        assert session.scalars(select(Annotator.external_id).distinct()).all() == [None]
        kinds = select(FormResponse.answers).distinct()
        assert session.scalars(kinds).all() == [{"agreed": True}]
    asked = members(exported(here, **WHOLE))
    assert b"5f0ab1" in asked["annotators.jsonl"]
    assert b"holds the ids" in asked["README.txt"]


def test_a_copy_beside_the_original(here: Importer) -> None:
    data = exported(here)
    assert here.good({"b.zip": data}, "bundle", title="A copy")["study"] == "a-copy"
    copied = members(exported(here, "a-copy"))
    for name in ("grades.csv", "items.jsonl", "consensus.csv"):
        assert copied[name] == members(data)[name]
    with here.database.read() as session:
        events = select(GradeEvent.submission_id, GradeEvent.part).where(GradeEvent.submission_id.is_not(None))
        ids = session.execute(events).all()
    assert len(set(ids)) == len(ids)


@pytest.mark.sqlite_is_enough
@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        ("grades.jsonl", b'"worker": "A01"', b'"worker": "A99"', "has no annotator A99"),
        ("grades.jsonl", b'"questionnaire": 1', b'"questionnaire": 8', "has no form questionnaire 8"),
        ("items.jsonl", b'"instrument": "naturalness"', b'"instrument": "nature"', "has no instrument nature"),
        ("items.jsonl", b'"role": "loud"', b'"role": "quiet"', "role: It must be 'main'"),
        ("events.jsonl", b'"question": "fluency"', b'"question": "fluid"', "asks no question 'fluid'"),
        ("assignments.jsonl", b'"position": 2,', b'"position": 1,', "assignments.jsonl holds something twice"),
        ("outputs.jsonl", b'"system": "system-1"', b'"system": "system-9"', "has no system system-9"),
        ("study.json", b'"format": 2', b'"format": 3', "written by a later CodeJury"),
        ("study.json", b'"title": "', b'"title": "' + b"x" * 300, "title: It has 307 characters; at most 200 are"),
        ("study.json", b'"tries": 2', b'"tries": 99', "settings can't be used"),
    ],
)
def test_a_bundle_that_was_bent_is_refused_whole(
    importer: Importer, whole_bundle: bytes, file: str, old: bytes, new: bytes, message: str
) -> None:
    files = members(whole_bundle)
    assert old in files[file]
    files[file] = files[file].replace(old, new)
    assert message in importer.bad({"b.zip": zipped(resummed(files))}, "bundle", title="Bent")
    with importer.database.read() as session:
        assert session.scalars(select(Study.slug)).all() == []
