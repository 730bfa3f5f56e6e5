"""What automatic checks say comes along with a study's bundle: without its set, people stand beside checks again."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from anyio.from_thread import BlockingPortal
from fastapi.testclient import TestClient
from sqlalchemy import func, select

from app.config import Settings
from app.services.agreement import all_documents
from app.services.desk.copying import copy_all_problems, copy_study
from app.services.naturalness.runs import request_checks
from app.services.perturbing import find_set
from app.services.studies import find_study
from app.storage.engine import Database
from app.storage.models import BenchmarkProblem, ChangeScore, Study, Variant, VariantScore
from tests.apps import lent_app
from tests.browsing import browse
from tests.dashboards.study import sign_in
from tests.exports.conftest import empty
from tests.exports.steps import exported, members
from tests.exports.test_bent_bundles import resummed
from tests.imports.helpers import Importer, zipped
from tests.naturalness.conftest import SET, give_scores, grade_all, make_set, make_survey, measure
from tests.perturbing.conftest import Work

__all__ = ["empty"]

FILE = "change-scores.jsonl"
OWN = {"study.json", "decisions.csv", "SHA256SUMS"}  # tell of an installation, too
TABLES = ("robustness-survey", "robustness-checks-naturalness", "robustness-checks-similarity")


@pytest.fixture
def here(perturbed: Database, settings: Settings, work: Work, monkeypatch: pytest.MonkeyPatch) -> Importer:
    """A graded survey of a set that CodeBLEU has checked; of the other checks numbers that fill a float."""
    with perturbed.write() as session:
        grade_all(session, make_survey(session))
        monkeypatch.setattr("app.language_models.packaged.find_packaged", lambda name: None)
        run_id = request_checks(session, find_set(session, SET)).id
    assert "minilm" in work(run_id).message  # that encoder alone is missing
    with perturbed.write() as session:
        give_scores(session, "cosine_docstring", {"docstring": 1 / 3})
        give_scores(session, "cosine_name", {"function_name": 0.1 + 0.2})
        of_name = select(ChangeScore).where(ChangeScore.name == "cosine_name").order_by(ChangeScore.problem_id)
        asked = of_name.join(BenchmarkProblem).join(Variant, Variant.text == BenchmarkProblem.prompt)
        session.scalars(asked.limit(1)).one().score = None
    measure(perturbed, work)
    return Importer(perturbed, settings)


def measured_again(at: Importer, slug: str = "natural") -> str:
    """What is measured of the study there, byte for byte."""
    measure(at.database, Work(at.database, at.settings), slug)
    return measured(at, slug)


def measured(at: Importer, slug: str = "natural") -> str:
    """What was."""
    with at.database.read() as session:
        found = all_documents(session, find_study(session, slug))
    assert found is not None
    return found


def beside_people(documents: str) -> list[dict[str, Any]]:
    """Each check held against what people say of single prompts."""
    found = next(each for each in json.loads(documents) if each["kind"] == "naturalness")
    checks: list[dict[str, Any]] = found["checks"]["naturalness"]["checks"]
    return checks


@contextmanager
def browser(at: Importer, portal: BlockingPortal) -> Iterator[TestClient]:
    """A researcher's."""
    with lent_app(at.settings, at.database) as app:
        client = browse(app, portal)
        sign_in(client, at.database, "researcher")
        yield client


def shown(client: TestClient) -> tuple[str, dict[str, bytes]]:
    """The page, and the files of its tables."""
    at = "/studies/natural/reliability/tables"
    files = {f"{name}.{ending}": client.get(f"{at}/{name}.{ending}") for name in TABLES for ending in ("csv", "tex")}
    assert {each.status_code for each in files.values()} == {200}
    page = client.get("/studies/natural/naturalness").text
    return " ".join(page.split()), {name: each.content for name, each in files.items()}


def figures(page: str) -> list[str]:
    """Titles, sentences and tables of what people say and checks beside it."""
    parts = page.split('<section class="exhibit" id="robustness-')[1:]
    return [part.split("</section>")[0] for part in parts if not part.startswith("scores-")]


@pytest.mark.postgres
def test_checks_stand_beside_people_without_the_set(here: Importer, empty: Importer, portal: BlockingPortal) -> None:
    first, data = measured(here), exported(here, "natural")
    checks = {each["check"] for each in beside_people(first)}
    assert {"codebleu_syntax", "cosine_docstring", "cosine_name"} <= checks
    empty.good({"b.zip": data}, "bundle", title=None, seed=None)
    assert measured_again(empty) == first
    again = exported(empty, "natural")
    before, after = members(data), members(again)
    assert {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)} <= OWN
    assert b'"score": null' in before[FILE]
    with browser(here, portal) as client:
        page, files = shown(client)
    with browser(empty, portal) as client:
        other, others = shown(client)
    assert others == files
    assert figures(other) == figures(page) != []
    assert f"perturbed set {SET}. No set here has that name and these prompts; what automatic checks say of" in other
    empty.good({"b.zip": again}, "bundle", title="Third", seed=None)
    assert members(exported(empty, "third"))[FILE] == before[FILE]
    assert measured_again(empty, "third").replace("third", "natural").replace("Third", "Natural?") == first


@pytest.mark.postgres
def test_a_set_that_is_checked_speaks_for_itself(here: Importer, empty: Importer) -> None:
    """Check by check: what it has nothing of is as it came."""
    empty.good({"b.zip": exported(here, "natural")}, "bundle", title=None, seed=None)
    elsewhere = Work(empty.database, empty.settings)
    make_set(empty.database, elsewhere)
    assert measured_again(empty) == measured(here)
    with empty.database.write() as session:
        give_scores(session, "codebleu_syntax", {"format": 0.125})
    rows = [json.loads(line) for line in members(exported(empty, "natural"))[FILE].splitlines()]
    syntax = [row for row in rows if row["check"] == "codebleu_syntax"]
    assert {(row["signature"], row["score"]) for row in syntax} == {("codebleu_syntax", 0.125)}
    assert {row["score"] for row in rows if row["check"] == "cosine_docstring"} == {1 / 3}


def test_a_template_and_a_copy_have_them_too(here: Importer, empty: Importer) -> None:
    empty.good({"t.zip": exported(here, "natural", form="template")}, "bundle", title=None, seed=None)
    with empty.database.write() as session:
        source = find_study(session, "natural")
        copy = copy_study(session, "tests", source, "Again")
        copy_all_problems(session, source, copy)
    files = [members(exported(*each))[FILE] for each in ((here, "natural"), (empty, "natural"), (empty, "again"))]
    assert len(set(files)) == 1


def test_a_bundle_from_before_brings_none(here: Importer, empty: Importer, portal: BlockingPortal) -> None:
    files = {name: data for name, data in members(exported(here, "natural")).items() if name != FILE}
    empty.good({"b.zip": zipped(resummed(files))}, "bundle", title=None, seed=None)
    assert beside_people(measured_again(empty)) == []
    with browser(empty, portal) as client:
        page = client.get("/studies/natural/naturalness").text
    assert "No set here has that name and these prompts, so that automatic checks can’t stand beside people." in page
    assert FILE not in members(exported(empty, "natural"))


@pytest.mark.postgres
def test_two_scores_of_one_change_are_refused(here: Importer, empty: Importer) -> None:
    files = members(exported(here, "natural"))
    rows = files[FILE].splitlines(keepends=True)
    files[FILE] += json.dumps(json.loads(rows[1]) | {"score": 0.25, "signature": "another"}).encode() + b"\n"
    told = empty.bad({"b.zip": zipped(resummed(files))}, "bundle", title=None, seed=None)
    assert f"{FILE}, row {len(rows) + 1}: Row 2 says the same, or takes its place." in told
    with empty.database.read() as session:
        for table in (Study, VariantScore):
            assert session.scalar(select(func.count()).select_from(table)) == 0
