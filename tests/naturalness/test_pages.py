"""The pages: a form that previews and makes a survey, its results, a set's checks; the same from a shell."""

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select
from typer.testing import CliRunner

from app.cli import make_cli
from app.config import Settings
from app.storage.engine import Database
from app.storage.models import Run, Study
from tests.dashboards.study import sign_in
from tests.naturalness.conftest import SET, give_scores, grade_all, make_survey, measure
from tests.perturbing.conftest import Work

AT = f"/benchmarks/{SET}"
CHOSEN = {"title": "Natural?", "unperturbed": "4", "perturbed": "6", "pairs": "3", "annotators": "5", "seed": "7"}


@pytest.fixture
def admin(client: TestClient, perturbed: Database) -> TestClient:
    sign_in(client, perturbed, "admin")
    return client


def test_the_form_shows_what_would_be_drawn_and_makes_it(admin: TestClient, perturbed: Database) -> None:
    assert 'value="100"' in admin.get(f"{AT}/survey").text
    preview = " ".join(admin.get(f"{AT}/survey", params=CHOSEN).text.split())
    assert "4 unperturbed and 6 perturbed prompts, mixed and shuffled, then 3 pairs. With 5 annotators" in preview
    with perturbed.read() as session:
        assert session.scalars(select(Study)).all() == []
    made = admin.post(f"{AT}/survey", data=CHOSEN, follow_redirects=False)
    assert (made.status_code, made.headers["location"]) == (303, "/studies/natural/desk")
    again = admin.post(f"{AT}/survey", data=CHOSEN)
    assert again.status_code == 409
    assert "There is a study &#39;natural&#39; already." in again.text


def test_two_studies_where_somebody_wishes(admin: TestClient) -> None:
    made = admin.post(f"{AT}/survey", data=CHOSEN | {"separate": "yes"})
    assert made.status_code == 200
    assert "Natural?: naturalness" in made.text
    assert "Natural?: similarity" in made.text


def test_what_can_not_be_drawn_stands_on_the_form(admin: TestClient) -> None:
    wrong = admin.get(f"{AT}/survey", params=CHOSEN | {"perturbed": "many"})
    assert wrong.status_code == 422
    assert "Perturbed prompts: enter a whole number" in wrong.text
    more = admin.get(f"{AT}/survey", params=CHOSEN | {"perturbed": "1000", "unperturbed": "12"}).text
    assert "You asked for 1,000 perturbed prompts; the set has 46 different ones of these." in more
    assert "46 of the perturbed prompts are of problems whose own prompt is asked about, too" in more


def test_before_anybody_has_graded_the_page_says_what_is_missing(admin: TestClient, perturbed: Database) -> None:
    with perturbed.write() as session:
        make_survey(session)
    page = admin.get("/studies/natural/naturalness")
    assert page.status_code == 200
    assert "nobody has graded yet" in page.text
    assert 'href="/studies/natural/naturalness" aria-current="page"' in page.text
    empty = admin.get(f"{AT}/naturalness").text
    assert "None of the 46 changed prompts has been checked yet." in empty
    assert "not measured yet" in empty


def test_another_study_has_no_such_page(admin: TestClient, perturbed: Database) -> None:
    with perturbed.write() as session:
        make_survey(session).set_slug = None
    assert admin.get("/studies/natural/naturalness").status_code == 404
    assert "/studies/natural/naturalness" not in admin.get("/studies/natural").text
    assert admin.get("/benchmarks/bench/naturalness").status_code == 422


def test_results_and_their_files(admin: TestClient, perturbed: Database, work: Work) -> None:
    with perturbed.write() as session:
        grade_all(session, make_survey(session))
        give_scores(session, "codebleu_syntax", {"docstring": 0.5, "function_name": 0.6, "format": 0.9})
        give_scores(session, "codebleu_dataflow", {"format": 1.0})
    measure(perturbed, work)
    page = admin.get("/studies/natural/naturalness").text
    assert "CodeBLEU syntax comes nearest to people" in page
    assert "How alike changed code is" in page
    of_set = admin.get(f"{AT}/naturalness").text
    assert "What people say of this set" in of_set
    assert "46 of 46 changed prompts are checked." in of_set
    tables = "/studies/natural/reliability/tables"
    for name in ("robustness-survey", "robustness-survey-transformations", "robustness-checks-naturalness"):
        assert admin.get(f"{tables}/{name}.csv").status_code == 200, name
    assert "\\begin{tabular}" in admin.get(f"{tables}/robustness-checks-similarity.tex").text
    file = admin.get(f"{AT}/naturalness/tables/robustness-scores-categories.csv")
    assert file.status_code == 200
    assert "Format" in file.text
    assert admin.get(f"{AT}/naturalness/tables/robustness-scores-categories.pdf").status_code == 404


def test_checks_are_asked_for_on_the_page(admin: TestClient, perturbed: Database) -> None:
    assert admin.post(f"{AT}/naturalness", follow_redirects=False).headers["location"] == f"{AT}/naturalness"
    with perturbed.read() as session:
        assert session.scalars(select(Run.kind).where(Run.state == "queued")).all() == ["change_checks"]


def test_the_command_line_does_the_same(
    perturbed: Database, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.cli.naturalness.load_settings", lambda: settings)
    arguments = ["survey", SET, "--title", "Natural?", "--perturbed", "6", "--pairs", "3", "--unperturbed", "4"]
    preview = CliRunner().invoke(make_cli(), [*arguments, "--preview"])
    assert preview.exit_code == 0, preview.output
    assert "docstring/Shout: 2 alone, 1 in pairs, of 22 changed prompts" in preview.output
    assert "Study:" not in preview.output
    made = CliRunner().invoke(make_cli(), arguments)
    assert made.output.endswith("Study: natural\n")
    assert preview.output in made.output
