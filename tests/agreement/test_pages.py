"""The pages about the grades: before and after measuring, what can be chosen, files, and what others may ask for."""

import csv
import html
import io
import json
import re

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import func, select, update

from app.clock import utc_now
from app.config import Settings
from app.services.dashboards.reliability import measured_tables
from app.services.studies import find_study
from app.storage.engine import Database
from app.storage.models import Annotator, Run
from tests.agreement.study import SLUG, documents, measure
from tests.factories import make_study

pytestmark = pytest.mark.sqlite_is_enough

AT = f"/studies/{SLUG}"
PAGES = ("/reliability", "/enough")


def rows(client: TestClient, name: str, **query: str) -> list[dict[str, str]]:
    answer = client.get(f"{AT}/reliability/tables/{name}.csv", params=query)
    assert answer.status_code == 200, answer.text
    return list(csv.DictReader(io.StringIO(answer.text)))


def text_of(client: TestClient, path: str, **query: str) -> str:
    answer = client.get(AT + path, params=query)
    assert answer.status_code == 200, answer.text
    return html.unescape(answer.text)


@pytest.mark.parametrize("page", PAGES)
def test_an_empty_study_says_what_is_missing(researcher: TestClient, database: Database, page: str) -> None:
    with database.write() as session:
        make_study(session, problems=0, systems=1)
    page_text = text_of(researcher, page)
    assert "nothing has been imported or sampled yet" in page_text
    assert "Measure the agreement" not in page_text


def test_a_study_without_grades_says_so(researcher: TestClient, database: Database) -> None:
    with database.write() as session:
        make_study(session)
    assert "nobody has graded yet" in text_of(researcher, "/reliability")
    assert researcher.get(f"{AT}/reliability/survey").status_code == 404


def test_asked_for_it_waits_and_says_that_no_worker_lives(researcher: TestClient, surveyed: Database) -> None:
    assert "This has not been measured yet." in text_of(researcher, "/reliability")
    for _ in range(2):
        answer = researcher.post(
            f"{AT}/reliability", data={"page": "agreement", "question": "labels"}, follow_redirects=False
        )
        assert answer.status_code == 303
        assert answer.headers["location"] == f"{AT}/reliability?question=labels"
    with surveyed.read() as session:
        assert session.scalar(select(func.count(Run.id)).where(Run.kind == "agreement")) == 1
    page = text_of(researcher, "/reliability")
    assert "No worker is running" in page
    assert "This has not been measured yet." not in page
    assert "HX-Trigger" not in researcher.get(f"{AT}/reliability/status").headers


@pytest.mark.parametrize(
    "path",
    [
        "/reliability",
        "/reliability?question=quality",
        "/reliability?question=labels&label=wrong-result",
        "/reliability?question=semantic-similarity&weight=quadratic",
        "/reliability/survey",
        "/enough",
        "/enough?question=quality&a=system-1&b=system-0",
    ],
)
def test_pages_show_figures_that_are_json(researcher: TestClient, measured: Database, path: str) -> None:
    page = researcher.get(AT + path)
    assert page.status_code == 200
    figures = re.findall(r'<script type="application/json">(.*?)</script>', page.text, re.DOTALL)
    assert figures
    assert all(json.loads(figure)["data"] for figure in figures)
    assert "How it was made" in page.text
    assert "have changed since" not in page.text
    for address in re.findall(r'href="(/studies/[^"]*/tables/[^"]*)" download', page.text):
        plain, german = (
            researcher.get(html.unescape(address), headers={"Accept-Language": language}) for language in ("en", "de")
        )
        assert plain.status_code == 200, address
        assert german.content == plain.content


def test_the_page_the_file_and_the_document_say_the_same(researcher: TestClient, measured: Database) -> None:
    found = [each for each in json.loads(documents(measured)) if each["kind"] == "agreement"]
    (asked,) = [each for each in found if each["asked"]["name"] == "semantic-similarity"]
    whole, *strata = rows(researcher, "question-agreement", question="semantic-similarity")
    kappa = asked["parts"][0]["agreement"]["coefficients"]["fleiss_kappa"]
    assert float(whole["fleiss"]) == kappa["value"]
    assert (float(whole["fleiss_low"]), float(whole["fleiss_high"])) == (kappa["low"], kappa["high"])
    assert whole["items_without"] == "1"
    assert [row["items"] for row in strata] == ["CamelCase", "Tense"]
    page = text_of(researcher, "/reliability", question="semantic-similarity")
    assert f"{kappa['value']:.3f}" in page
    assert "(at least three of five)" in page
    top = {row["rule"]: row for row in rows(researcher, "top-grade", question="semantic-similarity")}
    assert f"in {top['at least 3 of 5']['items_count']} it is the top grade, 1" in page


def test_each_label_has_its_own_table(researcher: TestClient, measured: Database) -> None:
    chosen, other = (
        rows(researcher, "question-agreement", question="labels", label=label)[0]
        for label in ("wrong-result", "incomplete")
    )
    assert chosen["fleiss"] != ""
    assert other["fleiss"] == ""
    assert "Each label by itself" in text_of(researcher, "/reliability", question="labels")


def test_what_there_is_not(researcher: TestClient, measured: Database) -> None:
    for path in (
        "/reliability?question=comment",
        "/reliability?question=nothing",
        "/reliability?question=labels&label=nothing",
        "/reliability?weight=cubic",
        "/enough?question=naturalness",
        "/enough?a=system-0&b=nothing",
        "/reliability/tables/nothing.csv",
        "/reliability/tables/question-agreement.exe",
    ):
        assert researcher.get(AT + path).status_code == 404, path
    assert researcher.get(f"{AT}/enough?a=system-0&b=system-0").status_code == 422


def test_a_stale_measurement_says_so_until_it_is_made_again(
    researcher: TestClient, measured: Database, settings: Settings
) -> None:
    with measured.write() as session:
        session.execute(update(Annotator).where(Annotator.pseudonym == "A05").values(excluded_at=utc_now()))
    for path in (*PAGES, "/reliability/survey"):
        page = text_of(researcher, path)
        assert "have changed since this was measured" in page
        assert "Measure again" in page
    measure(measured, settings)
    page = text_of(researcher, "/reliability")
    assert "have changed since" not in page
    assert "A05" not in page


def test_another_seed_is_named(researcher: TestClient, measured: Database, settings: Settings) -> None:
    assert "own seed" not in text_of(researcher, "/enough")
    measure(measured, settings, seed=99)
    assert "99 instead of 7." in text_of(researcher, "/enough")


def test_programs_get_all_of_it(researcher: TestClient, surveyed: Database, settings: Settings) -> None:
    at = f"/api/v1/studies/{SLUG}/agreement"
    assert researcher.get(at).status_code == 404
    answer = researcher.post(at, json={"draws": 200})
    assert answer.status_code == 202
    assert answer.json()["kind"] == "agreement"
    assert researcher.post(at, json={"draws": 5}).status_code == 422
    measure(surveyed, settings)
    assert researcher.get(at).text == documents(surveyed)
    assert researcher.get(f"{AT}/reliability/measurements.json").text == documents(surveyed)


def test_a_file_is_the_same_in_every_language(researcher: TestClient, measured: Database) -> None:
    german = {"Accept-Language": "de"}
    assert "Übereinstimmung" in html.unescape(researcher.get(f"{AT}/reliability", headers=german).text)
    for name in ("question-agreement.tex", "pairs-of-annotators.csv", "half-widths.tex"):
        path = f"{AT}/reliability/tables/{name}?question=helpfulness"
        assert researcher.get(path, headers=german).content == researcher.get(path).content


def test_a_bundle_can_hold_every_table_under_a_name_of_its_own(measured: Database) -> None:
    with measured.read() as session:
        names = [table.name for table in measured_tables(session, find_study(session, SLUG))]
    assert len(set(names)) == len(names)
    assert {
        "helpfulness-question-agreement",
        "labels-wrong-result-pairs-of-annotators",
        "quality-half-widths",
        "survey-transformations",
    } <= set(names)
