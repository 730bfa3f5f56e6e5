"""What a researcher reads of executions: the numbers of the documents, in words, tables and files."""

import csv
import io
import json

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import delete, select, update

from app.services.analysis.computation import canonical_json
from app.services.benchmarks import find_benchmark
from app.services.dashboards.reliability import what_is_asked
from app.services.execution_results.joined import study_execution
from app.services.execution_results.pass_at_k import benchmark_results
from app.services.spreadsheets import neutralise
from app.services.studies import find_study
from app.storage.engine import Database
from app.storage.models import Execution, Grade, Run
from tests.dashboards.study import sign_in
from tests.execution_results.rows import make_benchmark
from tests.factories import make_study

RESULTS, EXECUTION = "/benchmarks/bench/results", "/studies/executed/execution"


def rows_of(client: TestClient, address: str) -> list[dict[str, str]]:
    answer = client.get(address)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-disposition"].startswith("attachment")
    return list(csv.DictReader(io.StringIO(answer.text.lstrip("\ufeff"))))


def test_a_benchmark_page_answers_who_solves_more(researcher: TestClient) -> None:
    page = researcher.get(RESULTS)
    assert page.status_code == 200
    assert "solves the most problems at the first try" in page.text
    assert "Incomplete." in page.text
    assert "1 sandbox failed" in page.text
    assert "No pass@5 for good &lt;i&gt;one&lt;/i&gt; and poor: a problem has fewer than 5 samples." in page.text
    for hostile in ("<i>one", "many<b>", "<b onclick"):
        assert hostile not in page.text


def test_files_hold_the_numbers_of_the_page(researcher: TestClient, results: Database) -> None:
    with results.read() as session:
        document = benchmark_results(session, find_benchmark(session, "bench"))
    rows = rows_of(researcher, f"{RESULTS}/tables/pass-at-k.csv")
    for row, model in zip(rows, document["models"], strict=True):
        estimate = model["pass_at_k"][0]["estimate"]
        assert float(row["pass_at_1"] or "nan") == pytest.approx(100 * (estimate["value"] or 0), nan_ok=True)
        assert float(row["pass_at_1_low"]) == pytest.approx(100 * estimate["low"])
    assert rows[2]["model"] == "'=many<b>"
    assert rows[0]["pass_at_10"] == ""
    problems = rows_of(researcher, f"{RESULTS}/tables/problems.csv")
    names = [neutralise(f"{model['name']}_percent") for model in document["models"]]
    assert [name for name in problems[0] if name.endswith("_percent")] == names
    assert names[2] == "'=many<b>_percent"
    assert [int(row["'=many<b>_of"]) for row in problems] == [9] + [10] * 11
    compared = rows_of(researcher, f"{RESULTS}/tables/compare.csv?a=poor&b=%3Dmany%3Cb%3E")
    assert compared[0]["first"] == "poor"
    assert "\\toprule" in researcher.get(f"{RESULTS}/tables/samples.tex").text
    assert json.loads(researcher.get("/benchmarks/bench/results.json").text) == document
    for wrong in ("tables/none.csv", "tables/pass-at-k.exe"):
        assert researcher.get(f"{RESULTS}/{wrong}").status_code == 404
    assert researcher.get(f"{RESULTS}?a=nobody&b=poor").status_code == 404
    assert researcher.get("/benchmarks/nowhere/results").status_code == 404


def test_weak_walls_are_told(researcher: TestClient, results: Database) -> None:
    with results.write() as session:
        for each in session.scalars(select(Execution)):
            each.tier, each.strength = "none", "in_process"
    for address in (RESULTS, EXECUTION):
        page = researcher.get(address).text
        assert "without a wall" in page, address
        assert "in one process with their tests" in page, address


def test_tests_and_people_beside_each_other(researcher: TestClient, results: Database) -> None:
    page = researcher.get(EXECUTION).text
    assert "People give outputs that pass" in page
    assert "Passes, but people gave at most 1" in page
    assert "Fails, but people gave at least 3" in page
    assert "the lowest and the highest 40 % of the scale" in page
    assert "M-MSR" in page
    assert "<b onclick" not in page
    assert "An admin can run the tests" not in page  # nothing is missing
    with results.read() as session:
        study = find_study(session, "executed")
        question = what_is_asked(session, study).choose(None, about_outputs=True)
        document = study_execution(session, study, question, "m_msr")
    rows = rows_of(researcher, f"{EXECUTION}/tables/execution-agreement.csv")
    assert [int(row["passing_count"]) for row in rows] == [each["passing"] for each in document["agreement"]["table"]]
    listed = rows_of(researcher, f"{EXECUTION}/tables/passes-but-low.csv")
    assert [row["problem"] for row in listed] == [each["problem"] for each in document["passes_but_low"]]
    assert len(listed) == 1
    values = rows_of(researcher, f"{EXECUTION}/tables/execution-coefficients.csv")
    assert float(values[0]["value"]) == pytest.approx(document["agreement"]["superiority"]["value"])
    assert json.loads(researcher.get(f"{EXECUTION}/results.json").text) == json.loads(canonical_json(document))
    assert researcher.get(f"{EXECUTION}/tables/none.csv").status_code == 404
    assert researcher.get(f"{EXECUTION}?question=none").status_code == 404
    assert researcher.get(f"{EXECUTION}?consensus=none").status_code == 422
    assert "Mean" in researcher.get(f"{EXECUTION}?consensus=mean").text


def test_a_study_on_its_way(admin: TestClient, results: Database) -> None:
    with results.write() as session:
        make_study(session, title="Plain")
        session.execute(delete(Grade))
    assert "Import outputs with a column" in admin.get("/studies/plain/execution").text
    assert "Nobody has graded these outputs yet" in admin.get(EXECUTION).text
    assert admin.post("/studies/plain/execution").status_code == 409
    with results.write() as session:
        session.execute(delete(Execution).where(Execution.output_id.is_not(None)))
        study = find_study(session, "executed")
        session.add(Run(public_id="x" * 12, kind="execution", payload={}, state="done", study_id=study.id))
    page = admin.get(EXECUTION).text
    assert "The tests have not been run yet" in page
    assert "Run the tests" in page
    answer = admin.post(EXECUTION)
    assert answer.status_code == 200
    assert "No worker is running" in answer.text
    with results.read() as session:
        run = session.scalars(select(Run).order_by(Run.id.desc())).first()
        assert run is not None
        assert (run.kind, run.state) == ("execution", "queued")


def test_where_everything_passes_the_page_says_why_there_is_no_number(
    researcher: TestClient, results: Database
) -> None:
    with results.write() as session:
        session.execute(update(Execution).values(verdict="passed"))
    page = researcher.get(EXECUTION)
    assert page.status_code == 200
    assert "Tests and people can’t be compared: all graded outputs pass" in page.text
    rows = rows_of(researcher, f"{EXECUTION}/tables/execution-coefficients.csv")
    assert [row["value"] for row in rows[:2]] == ["", ""]


def test_what_is_missing_is_told_beside_the_numbers(researcher: TestClient, results: Database) -> None:
    with results.write() as session:
        session.scalars(select(Execution).where(Execution.output_id.is_not(None))).first().verdict = "not_run"  # type: ignore[union-attr]
    page = researcher.get(EXECUTION).text
    assert "1 output has no verdict" in page
    assert "An admin can run the tests" in page


def test_a_benchmark_without_results_says_what_belongs_there(client: TestClient, database: Database) -> None:
    with database.write() as session:
        make_benchmark(session)
    sign_in(client, database, "researcher")
    assert "Nothing has been executed yet" in client.get(RESULTS).text


def test_programs_get_the_same_documents(admin: TestClient, results: Database) -> None:
    with results.read() as session:
        document = benchmark_results(session, find_benchmark(session, "bench"))
    assert admin.get("/api/v1/benchmarks/bench/results").json() == document
    pair = admin.get("/api/v1/benchmarks/bench/results/comparison?a=poor&b=%3Dmany%3Cb%3E").json()
    assert pair["comparison"]["metric"] == "pass@1"
    found = admin.get("/api/v1/studies/executed/execution?consensus=mean").json()
    assert found["signature"]["parameters"]["consensus"] == "mean"
    assert admin.get("/api/v1/studies/executed/execution?consensus=none").status_code == 422
    started = admin.post("/api/v1/studies/executed/execution")
    assert started.status_code == 202
    assert started.json()["kind"] == "execution"
