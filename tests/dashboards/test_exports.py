"""The bundle, the analysis as a file, and the API."""

import io
import json
import zipfile

from fastapi.testclient import TestClient
from sqlalchemy import select

from app.config import Settings
from app.services.runs import execute
from app.storage.engine import Database
from app.storage.models import Analysis, Artifact, Run
from app.web.downloads import disposition
from tests.dashboards.study import METRICS, SLUG


def make_bundle(researcher: TestClient, database: Database, settings: Settings) -> str:
    researcher.post(f"/studies/{SLUG}/export")
    with database.read() as session:
        run = session.scalars(select(Run).where(Run.kind == "export")).one()
    execute(database, settings, run.id)
    with database.read() as session:
        return session.scalars(select(Artifact.public_id)).one()


def test_a_bundle_from_the_page_to_the_file(researcher: TestClient, analysed: Database, settings: Settings) -> None:
    assert "No file has been made yet" in researcher.get(f"/studies/{SLUG}/export").text
    public_id = make_bundle(researcher, analysed, settings)
    assert f"/artifacts/{public_id}" in researcher.get(f"/studies/{SLUG}/export").text
    answer = researcher.get(f"/artifacts/{public_id}")
    assert answer.headers["content-type"] == "application/zip"
    assert answer.headers["content-disposition"].startswith('attachment; filename="a-study.zip"')
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["content-security-policy"].startswith("sandbox")
    with zipfile.ZipFile(io.BytesIO(answer.content)) as bundle:
        assert bundle.testzip() is None
        with analysed.read() as session:
            assert bundle.read("analysis.json").decode() == session.scalars(select(Analysis.result)).one()


def test_a_second_press_asks_for_nothing_new(researcher: TestClient, graded: Database) -> None:
    for _ in range(2):
        researcher.post(f"/studies/{SLUG}/export")
    with graded.read() as session:
        assert len(session.scalars(select(Run)).all()) == 1
    assert "No worker is running" in researcher.get(f"/studies/{SLUG}/export-status").text


def test_other_files_are_not_to_be_had(researcher: TestClient, graded: Database) -> None:
    with graded.write() as session:
        columns = {"file_name": "x", "media_type": "text/html", "size": 1, "sha256": "0" * 64}
        session.add(Artifact(public_id="u" * 32, kind="upload", **columns))
        session.add(Artifact(public_id="g" * 32, kind="export", **columns))
    assert researcher.get(f"/artifacts/{'u' * 32}").status_code == 404
    gone = researcher.get(f"/artifacts/{'g' * 32}")
    assert gone.status_code == 404
    assert "gone from the data folder" in gone.text


def test_file_names_are_told_twice() -> None:
    plain, _, encoded = disposition('a "ü"\r\n.csv').partition("; filename*=UTF-8''")
    assert plain == 'attachment; filename="a _____.csv"'
    assert encoded == "a%20%22%C3%BC%22%0D%0A.csv"


def test_the_analysis_is_the_stored_bytes(researcher: TestClient, analysed: Database) -> None:
    with analysed.read() as session:
        stored = session.scalars(select(Analysis.result)).one().encode()
    assert researcher.get(f"/api/v1/studies/{SLUG}/analysis").content == stored
    answer = researcher.get(f"/studies/{SLUG}/analysis.json")
    assert answer.content == stored
    assert "attachment" in answer.headers["content-disposition"]


def test_no_analysis_is_a_problem_in_json(researcher: TestClient, graded: Database) -> None:
    answer = researcher.get(f"/api/v1/studies/{SLUG}/analysis")
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/problem+json"
    assert "no analysis yet" in answer.json()["detail"]


def test_a_program_asks_for_an_analysis_and_waits(
    researcher: TestClient, graded: Database, settings: Settings
) -> None:
    answer = researcher.post(f"/api/v1/studies/{SLUG}/analyses", json={"metrics": METRICS, "draws": 100})
    assert answer.status_code == 202
    link = answer.json()["links"]["run"]
    assert researcher.get(link).json()["state"] == "queued"
    with graded.read() as session:
        run_id = session.scalars(select(Run.id)).one()
    execute(graded, settings, run_id)
    assert researcher.get(link).json()["state"] == "done"
    document = json.loads(researcher.get(f"/api/v1/studies/{SLUG}/analysis").content)
    assert document["settings"]["draws"] == 100


def test_bad_parameters_are_named(researcher: TestClient, graded: Database) -> None:
    answer = researcher.post(f"/api/v1/studies/{SLUG}/analyses", json={"draws": 1, "colour": "red"})
    assert answer.status_code == 422
    assert {each["field"] for each in answer.json()["problems"]} == {"draws", "colour"}
    unknown = researcher.post(f"/api/v1/studies/{SLUG}/analyses", json={"systems": ["nobody", "no-one"]})
    assert unknown.status_code == 422
    [problem] = unknown.json()["problems"]
    assert problem["field"] == "systems"
    assert "no-one, nobody" in problem["message"]
