"""The pages of results: before, with and after an analysis, and for whom."""

import csv
import html
import io
import json
import re

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from app.charts.tables import number
from app.config import Settings
from app.storage.engine import Database
from app.storage.models import Analysis, Item, Problem, Run
from tests.dashboards.study import METRICS, PROBLEMS, SLUG, SYSTEMS, analyse, change_a_grade, sign_in
from tests.factories import make_study

PAGES = ("", "/systems", "/significance", "/agreement", "/points", "/compare")
FIELDS = {"draws": "300", "seed": "", "bins": "0 4 100", "ties": "half", "consensus": "mean", "synthetic": "true"}


def document(database: Database) -> dict[str, object]:
    with database.read() as session:
        found = session.scalars(select(Analysis).order_by(Analysis.run_id.desc())).first()
    assert found is not None
    parsed: dict[str, object] = json.loads(found.result)
    return parsed


@pytest.mark.parametrize("page", PAGES)
def test_an_empty_study_says_what_is_missing(researcher: TestClient, database: Database, page: str) -> None:
    with database.write() as session:
        make_study(session, problems=0, systems=1)
    answer = researcher.get(f"/studies/{SLUG}{page}")
    assert answer.status_code == 200
    assert "There is no analysis yet" in answer.text
    assert "nothing has been imported" in answer.text
    assert "nobody has graded yet" in answer.text
    assert "<figure" not in answer.text, "axes without anything on them"


@pytest.mark.parametrize("page", PAGES)
def test_a_graded_study_offers_its_first_analysis(researcher: TestClient, graded: Database, page: str) -> None:
    answer = researcher.get(f"/studies/{SLUG}{page}")
    assert "Analyse the study" in answer.text
    assert "still lacks" not in answer.text


@pytest.mark.parametrize("page", PAGES)
def test_pages_show_figures_that_are_json(researcher: TestClient, analysed: Database, page: str) -> None:
    answer = researcher.get(f"/studies/{SLUG}{page}")
    assert answer.status_code == 200
    figures = re.findall(r'<script type="application/json">(.*?)</script>', answer.text, re.DOTALL)
    assert figures
    for figure in figures:
        assert "<" not in figure
        assert json.loads(figure)["data"]
    assert "<i>middle</i>" not in answer.text
    assert "How it was made" in answer.text
    assert "has changed since" not in answer.text


def test_the_page_the_file_and_the_document_say_the_same(researcher: TestClient, analysed: Database) -> None:
    page = html.unescape(researcher.get(f"/studies/{SLUG}/systems").text)
    rows = list(csv.DictReader(io.StringIO(researcher.get(f"/studies/{SLUG}/tables/scores.csv").text)))
    systems = [each for each in document(analysed)["systems"] if not each["synthetic"]]  # type: ignore[attr-defined]
    for row, system in zip(rows, systems, strict=True):
        assert row["system"].lstrip("'") == system["name"]
        for metric in ("human", *METRICS):
            cell = system["scores"][metric]
            assert float(row[metric]) == cell["score"]
            assert number(cell["score"], 2) in page
            assert f"+{number(cell['high'] - cell['score'], 2)}" in page


def test_errors_by_kind_add_up(researcher: TestClient, analysed: Database) -> None:
    text = researcher.get(f"/studies/{SLUG}/tables/errors.csv").text
    rows = list(csv.DictReader(io.StringIO(text)))
    total = document(analysed)["pairs"]
    for label in {row["metric"] for row in rows}:
        own = [row for row in rows if row["metric"] == label]
        assert sum(int(row["pairs"]) for row in own) == total
        for row in own:
            kinds = [int(row[kind] or 0) for kind in ("agree", "type_1", "type_2", "sign_error")]
            assert sum(kinds) == int(row["pairs"])


def test_all_pairs_can_be_had(researcher: TestClient, analysed: Database) -> None:
    text = researcher.get(f"/studies/{SLUG}/tables/pairs.csv").text
    assert len(text.splitlines()) == 1 + int(str(document(analysed)["pairs"]))


def test_tables_have_names_and_kinds(researcher: TestClient, analysed: Database) -> None:
    answer = researcher.get(f"/studies/{SLUG}/tables/agreement.tex")
    assert answer.headers["content-type"].startswith("application/x-tex")
    assert 'filename="a-study-agreement.tex"' in answer.headers["content-disposition"]
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert r"\toprule" in answer.text
    for name in ("nothing.csv", "agreement.exe", "agreement", "points-nothing.csv"):
        assert researcher.get(f"/studies/{SLUG}/tables/{name}").status_code == 404


def test_progress_counts_grades(researcher: TestClient, graded: Database) -> None:
    page = researcher.get(f"/studies/{SLUG}").text
    assert f"All {3 * PROBLEMS} items have the 3 grades asked for" in page
    assert "Three annotators gave" in page


def test_a_stale_analysis_says_so(researcher: TestClient, analysed: Database) -> None:
    change_a_grade(analysed)
    page = researcher.get(f"/studies/{SLUG}/systems").text
    assert "has changed since this analysis" in page
    assert "Analyse again" in page


def test_an_older_analysis_can_be_looked_at(researcher: TestClient, analysed: Database, settings: Settings) -> None:
    analyse(analysed, settings, bins=((0, 7), (7, 100)))
    newest = researcher.get(f"/studies/{SLUG}/agreement").text
    assert "Δ 0–7" in newest
    assert "All 2 analyses" in newest
    older = researcher.get(f"/studies/{SLUG}/agreement?analysis=1").text
    assert "Δ 0–2" in older
    assert "You look at an older analysis" in older
    assert "agreement.csv?analysis=1" in older
    assert researcher.get(f"/studies/{SLUG}/agreement?analysis=99").status_code == 404


def test_two_systems_of_ones_choice(researcher: TestClient, analysed: Database) -> None:
    chosen = {"a": SYSTEMS[0], "b": SYSTEMS[2]}
    page = researcher.get(f"/studies/{SLUG}/compare", params=chosen).text
    assert "weak compared with =strong" in page
    text = researcher.get(f"/studies/{SLUG}/tables/comparison.csv", params=chosen).text
    row = next(csv.DictReader(io.StringIO(text)))
    pair = next(
        each
        for each in document(analysed)["original_pairs"]  # type: ignore[attr-defined]
        if (each["a"], each["b"]) == (SYSTEMS[0], SYSTEMS[2])
    )
    assert float(row["difference"]) == pytest.approx(pair["human"]["difference"], abs=1e-11)
    assert float(row["p_bootstrap"]) == pytest.approx(pair["human"]["p_bootstrap"], abs=1e-11)
    same = researcher.get(f"/studies/{SLUG}/compare", params={"a": "weak", "b": "weak"})
    assert same.status_code == 422
    assert researcher.get(f"/studies/{SLUG}/compare", params={"a": "weak", "b": "no"}).status_code == 404


def test_a_new_analysis_is_asked_for_with_what_was_chosen(researcher: TestClient, analysed: Database) -> None:
    fields = {**FIELDS, "systems": list(SYSTEMS[:2]), "metrics": ["chrf", "mine"], "page": "agreement"}
    answer = researcher.post(f"/studies/{SLUG}/analyses", data=fields, follow_redirects=False)
    assert answer.status_code == 303
    assert answer.headers["location"] == f"/studies/{SLUG}/agreement"
    with analysed.read() as session:
        run = session.scalars(select(Run).order_by(Run.id.desc())).first()
    assert run is not None
    assert run.user_id is not None
    assert run.payload["bins"] == [[0, 4], [4, 100]]
    assert run.payload["systems"] == list(SYSTEMS[:2])
    assert (run.payload["ties"], run.payload["consensus"], run.payload["seed"]) == ("half", "mean", None)
    page = researcher.get(f"/studies/{SLUG}/agreement").text
    assert "No worker is running" in page
    assert f"/runs/{run.public_id}" in page
    assert "Where metric and people disagree" in page  # the last results stay


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("draws", "7"),
        ("draws", "many"),
        ("seed", "-1"),
        ("bins", "1 5"),
        ("bins", "0 5 5"),
        ("bins", "0 x"),
        ("ties", "odd"),
        ("consensus", "guess"),
        ("systems", []),
        ("metrics", []),
    ],
)
def test_errors_stand_beside_their_fields(
    researcher: TestClient, graded: Database, field: str, value: object
) -> None:
    fields = {**FIELDS, "systems": list(SYSTEMS), "metrics": list(METRICS), field: value}
    answer = researcher.post(f"/studies/{SLUG}/analyses", data=fields)
    assert answer.status_code == 422
    assert f'id="error-{field}"' in answer.text
    assert answer.text.count('class="error" id="error-') == 1
    with graded.read() as session:
        assert session.scalars(select(Run)).first() is None


def test_a_finished_run_is_announced_once(researcher: TestClient, analysed: Database) -> None:
    answer = researcher.get(f"/studies/{SLUG}/analysis-status", headers={"HX-Request": "true"})
    assert answer.headers["hx-trigger"] == "analysis-finished"
    assert "hx-get" not in answer.text


def test_a_failed_run_says_why(researcher: TestClient, graded: Database, settings: Settings) -> None:
    with graded.write() as session:
        session.add(
            Run(
                public_id="f" * 32, study_id=1, kind="analysis", payload={}, state="failed", message="No <consensus>."
            )
        )
    page = researcher.get(f"/studies/{SLUG}/systems").text
    assert "failed: No &lt;consensus&gt;." in page
    assert 'class="message error"' not in page
    assert "Analyse the study" in page


@pytest.mark.parametrize("path", [*PAGES, "/export", "/tables/scores.csv", "/analysis.json", "/analysis-status"])
def test_only_for_researchers(client: TestClient, analysed: Database, path: str) -> None:
    answer = client.get(f"/studies/{SLUG}{path}", follow_redirects=False)
    assert answer.status_code in (303, 401)
    assert client.get("/api/v1/runs/x").status_code == 401
    sign_in(client, analysed, "admin")
    assert client.get(f"/studies/{SLUG}{path}").status_code == 200


def test_an_unknown_study_is_not_found(researcher: TestClient, database: Database) -> None:
    assert researcher.get("/studies/nothing/systems").status_code == 404


def test_a_what_if_says_so_in_plain_sight(researcher: TestClient, analysed: Database, settings: Settings) -> None:
    analyse(analysed, settings, ties="half", consensus="mean", systems=SYSTEMS[:2], synthetic=False, draws=300)
    words = (
        "300 draws instead of 1,000; ties counted half instead of strict; without synthetic systems; "
        "only the systems weak and <i>middle</i>;"
    )
    for page in PAGES:
        text = html.unescape(researcher.get(f"/studies/{SLUG}{page}").text)
        head = text[: text.index('class="exhibit"')]
        assert "Not the study’s usual analysis:" in head
        assert words in head
        assert "consensus by Mean instead of M-MSR" in head
        assert text.count(words) == 2  # and in the list of analyses
        assert "m_msr" not in re.sub(r"<select.*?</select>|<code.*?</code>", "", text, flags=re.DOTALL)


def test_the_usual_analysis_is_not_called_a_departure(
    researcher: TestClient, analysed: Database, settings: Settings
) -> None:
    analyse(analysed, settings, metrics=None, draws=1000)
    assert "Not the study’s usual analysis" not in researcher.get(f"/studies/{SLUG}/systems").text


def test_a_failure_is_not_told_on_an_older_analysis(
    researcher: TestClient, analysed: Database, settings: Settings
) -> None:
    analyse(analysed, settings, draws=300)
    with analysed.write() as session:
        session.add(Run(public_id="f" * 32, study_id=1, kind="analysis", payload={}, state="failed", message="Oh."))
    assert "it failed: Oh." in researcher.get(f"/studies/{SLUG}/systems").text
    assert "it failed" not in researcher.get(f"/studies/{SLUG}/systems?analysis=1").text


def test_reloading_after_a_form_error_leads_back(researcher: TestClient, graded: Database) -> None:
    answer = researcher.get(f"/studies/{SLUG}/analyses", follow_redirects=False)
    assert answer.status_code == 303
    assert answer.headers["location"] == f"/studies/{SLUG}"


@pytest.mark.parametrize(("method", "path", "status"), [("PUT", f"/studies/{SLUG}", 405), ("GET", "/nowhere", 404)])
def test_error_pages_know_who_asks(
    researcher: TestClient, graded: Database, method: str, path: str, status: int
) -> None:
    answer = researcher.request(method, path)
    assert answer.status_code == status
    assert "Sign in" not in answer.text


def test_the_lead_has_its_own_numbers(researcher: TestClient, analysed: Database) -> None:
    page = researcher.get(f"/studies/{SLUG}/agreement").text
    assert "Of all pairs that far apart, the metric is wrong in" in page
    rows = list(csv.DictReader(io.StringIO(researcher.get(f"/studies/{SLUG}/tables/all-pairs.csv").text)))
    found = document(analysed)
    for row, agreement in zip(rows, found["agreement"].values(), strict=True):  # type: ignore[attr-defined]
        assert int(row["total_of"]) == found["pairs"]
        assert float(row["total_percent"]) == pytest.approx(agreement["total_mismatch"])
        inside = sum(int(row[key]) for key in row if key.startswith("delta_") and key.endswith("_of"))
        assert inside == found["pairs"]


def test_references_are_counted_apart(researcher: TestClient, graded: Database) -> None:
    with graded.write() as session:
        problem = session.scalars(select(Problem)).first()
        assert problem is not None
        item = Item(study_id=problem.study_id, problem_id=problem.id, identity="r", text="return 0", shuffle=1)
        item.is_reference = True
        item.instrument_id = session.scalars(select(Item.instrument_id)).first()
        session.add(item)
    page = researcher.get(f"/studies/{SLUG}").text
    assert f"Of the {3 * PROBLEMS + 1} items {3 * PROBLEMS} are outputs of systems and 1 reference;" in page
