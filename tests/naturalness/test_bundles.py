"""A study of a perturbed set in another installation: it finds the set again where that is, and no other one."""

import json

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select, update
from sqlalchemy.orm import Session

from app.config import Settings
from app.services.agreement import find_measurement
from app.services.desk.copying import copy_study
from app.services.naturalness.asked_sets import set_of, studies_of
from app.services.perturbing import find_set
from app.services.studies import find_study
from app.storage.engine import Database
from app.storage.models import BenchmarkProblem, Study
from tests.dashboards.study import sign_in
from tests.exports.conftest import empty
from tests.exports.steps import exported, members
from tests.imports.helpers import Importer
from tests.naturalness.conftest import SET, give_scores, grade_all, make_set, make_survey, measure
from tests.perturbing.conftest import Work

__all__ = ["empty"]


@pytest.fixture
def here(perturbed: Database, settings: Settings) -> Importer:
    """An installation with a graded survey of a set whose changes are checked."""
    with perturbed.write() as session:
        grade_all(session, make_survey(session))
        give_scores(session, "codebleu_syntax", {"docstring": 0.5, "function_name": 0.6, "format": 0.9})
    return Importer(perturbed, settings)


def bundle(here: Importer) -> bytes:
    """The survey, as it is exported."""
    return exported(here, "natural")


def study_of(session: Session) -> Study:
    """The survey that was imported."""
    return find_study(session, "natural")


@pytest.mark.postgres
def test_it_finds_its_set_where_that_is(here: Importer, empty: Importer) -> None:
    data = bundle(here)
    empty.good({"b.zip": data}, "bundle", title=None, seed=None)
    with empty.database.read() as session:
        study = study_of(session)
        assert (study.set_slug, set_of(session, study)) == (SET, None)
    again = members(exported(empty, "natural"))
    assert json.loads(again["study.json"])["perturbed_set"] == SET
    make_set(empty.database, Work(empty.database, empty.settings))
    with empty.database.read() as session:
        made = find_set(session, SET)
        assert set_of(session, study_of(session)) is made
        assert studies_of(session, made) == [study_of(session)]


@pytest.mark.postgres
def test_automatic_checks_stand_beside_people_again(here: Importer, empty: Importer, work: Work) -> None:
    measure(here.database, work)
    empty.good({"b.zip": bundle(here)}, "bundle", title=None, seed=None)
    elsewhere = Work(empty.database, empty.settings)
    make_set(empty.database, elsewhere)
    with empty.database.write() as session:
        give_scores(session, "codebleu_syntax", {"docstring": 0.5, "function_name": 0.6, "format": 0.9})
    measure(empty.database, elsewhere)
    documents = []
    for database in (here.database, empty.database):
        with database.read() as session:
            stored = find_measurement(session, study_of(session), "naturalness")
        assert stored is not None
        documents.append(stored.document)
    assert documents[0] == documents[1]
    assert documents[0]["checks"]["naturalness"]["checks"][0]["items"] == 6


def test_another_set_of_the_same_name_is_not_its_own(here: Importer, client: TestClient, work: Work) -> None:
    sign_in(client, here.database, "researcher")
    assert f"/benchmarks/{SET}/naturalness" in client.get("/studies/natural/naturalness").text
    with here.database.write() as session:
        changed = select(BenchmarkProblem.id).where(BenchmarkProblem.transformation.is_not(None))
        rows = BenchmarkProblem.id.in_(changed)
        session.execute(update(BenchmarkProblem).where(rows).values(prompt=BenchmarkProblem.prompt + "\n"))
    page = client.get("/studies/natural/naturalness").text
    assert f"Asked about prompts of the perturbed set {SET}. No set here has that name and these prompts" in page
    assert "/studies/natural" not in client.get(f"/benchmarks/{SET}/naturalness").text
    measure(here.database, work)
    with here.database.read() as session:
        stored = find_measurement(session, study_of(session), "naturalness")
    assert stored is not None
    assert stored.document["checks"]["naturalness"]["checks"] == []


@pytest.mark.sqlite_is_enough
def test_older_bundles_name_no_set(here: Importer) -> None:
    with here.database.write() as session:
        study_of(session).set_slug = None
    data = bundle(here)
    assert "perturbed_set" not in json.loads(members(data)["study.json"])
    result = here.good({"b.zip": data}, "bundle", title="Older", seed=None)
    with here.database.read() as session:
        assert find_study(session, "older").set_slug is None
    assert result["added"]["grades"] > 0


@pytest.mark.sqlite_is_enough
def test_a_copy_asks_about_the_same_set(here: Importer) -> None:
    with here.database.write() as session:
        assert copy_study(session, "tests", study_of(session), "Again").set_slug == SET
