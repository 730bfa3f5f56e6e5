"""The pages: a form that previews and makes a survey, its results, a set's checks; the same from a shell."""

import csv
import html
import io
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import delete, select, update
from typer.testing import CliRunner

from app.cli import make_cli
from app.config import Settings
from app.services.naturalness.making import make_surveys
from app.services.perturbing import find_set
from app.storage.engine import Database
from app.storage.models import BenchmarkProblem, ChangeScore, Run, Study
from tests.dashboards.study import sign_in
from tests.factories import make_study
from tests.naturalness.conftest import SET, SPEC, give_scores, grade_all, make_set, make_survey, measure
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


def test_one_is_not_drawn_as_several(admin: TestClient) -> None:
    one = CHOSEN | {"unperturbed": "0", "perturbed": "1", "pairs": "0", "annotators": "1"}
    preview = " ".join(admin.get(f"{AT}/survey", params=one).text.split())
    assert "0 unperturbed and 1 perturbed prompt, mixed and shuffled, then 0 pairs." in preview
    assert "With 1 annotator for each that is 1 grade." in preview


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
    assert "You asked for 12 unperturbed" not in more
    above = admin.get(f"{AT}/survey", params=CHOSEN | {"pairs": "1000", "unperturbed": "100"}).text
    assert "You asked for 100 unperturbed prompts; the set has 12 different ones of these." in above
    assert "You asked for 1,000 pairs; the set has 46 different ones of these." in above
    assert "46 of the perturbed prompts are of problems whose own prompt is asked about, too" in more


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("unperturbed", "", "Unperturbed prompts: enter a whole number from 0 to 100,000."),
        ("annotators", "0", "Annotators for each item: enter a whole number from 1 to 100."),
        ("seed", str(2**63), "Seed: enter a whole number from 0 to 9,223,372,036,854,775,807."),
        ("title", "  ", "This is needed."),
        ("title", "?!", "A study needs a title with at least one letter or digit."),
        ("title", "n" * 201, "Use at most 200 characters."),
    ],
)
def test_an_error_stands_beside_its_field(admin: TestClient, field: str, value: str, words: str) -> None:
    choice = CHOSEN | {field: value}
    for answer in (admin.get(f"{AT}/survey", params=choice), admin.post(f"{AT}/survey", data=choice)):
        assert answer.status_code == 422
        assert f'<p class="error" id="{field}-error">{words}</p>' in answer.text
        assert f'aria-describedby="{field}-error"' in answer.text or f" {field}-error" in answer.text
        assert answer.text.count('class="error"') == 1
        assert "What people will see" not in answer.text
    assert admin.get("/studies/natural").status_code == 404


def test_several_errors_stand_beside_their_fields(admin: TestClient) -> None:
    page = admin.get(f"{AT}/survey", params=CHOSEN | {"title": "", "pairs": "", "perturbed": "many"}).text
    assert [name for name in CHOSEN if f'id="{name}-error"' in page] == ["title", "perturbed", "pairs"]
    assert 'value="many"' in page
    nothing = admin.get(f"{AT}/survey", params=CHOSEN | {"unperturbed": "0", "perturbed": "0", "pairs": "0"})
    assert nothing.status_code == 422
    assert "This survey asks about nothing." in nothing.text


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


def test_a_survey_is_not_taken_for_a_study_of_metrics(admin: TestClient, perturbed: Database) -> None:
    """It has nothing to compare: no tab leads there, and whoever opens the address is led to the results."""
    with perturbed.write() as session:
        make_survey(session)
        make_study(session)
    tabs = ("systems", "significance", "agreement", "points", "compare", "enough", "execution")
    for path in ("", *(f"/{tab}" for tab in tabs)):
        page = admin.get(f"/studies/natural{path}")
        assert page.status_code == 200
        assert "This study asks about prompts, not about outputs of systems." in page.text
        assert '<a class="button primary" href="/studies/natural/naturalness">' in page.text
        assert "This study still lacks" not in page.text
        assert 'id="choices"' not in page.text
        for tab in tabs:
            assert f'href="/studies/natural/{tab}"' not in page.text
        other = admin.get(f"/studies/a-study{path}").text
        assert "not about outputs of systems" not in other
        assert all(f'href="/studies/a-study/{tab}"' in other for tab in tabs)


def test_the_overview_says_which_items_it_counts(admin: TestClient, perturbed: Database) -> None:
    with perturbed.write() as session:
        make_survey(session)
    page = admin.get("/studies/natural").text
    assert "None of the 10 items has the 2 grades asked for." in page
    assert "Counted here is the question “naturalness” alone; other instruments of the study" in page
    tables = admin.get("/studies/natural/tables/grades-per-item.tex").text
    assert "question “naturalness” alone" in tables


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
    assert "Too few items to say which check tells what people say: they find fault with 2 of 6" in page
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


@pytest.fixture
def both(admin: TestClient, perturbed: Database, work: Work) -> TestClient:
    """Another set beside it: one study asks of its prompts, another of its pairs; the first set has one with both."""
    make_set(perturbed, work, "Other")
    with perturbed.write() as session:
        grade_all(session, make_survey(session))
        other = find_set(session, "other-perturbed")
        for study in make_surveys(session, other, SPEC, title="Others", separate=True, actor="tests"):
            grade_all(session, study)
        give_scores(session, "codebleu_syntax", {"docstring": 0.5, "function_name": 0.6, "format": 0.9})
    for slug in ("natural", "others-naturalness", "others-similarity"):
        measure(perturbed, work, slug)
    return admin


def test_another_set_stands_beside_it(both: TestClient) -> None:
    """Tables 6 and 8 have a column for each benchmark, and so have 7, 9 and 10."""
    page = both.get(f"{AT}/naturalness?second=other-perturbed").text
    assert "What people say, benchmarks side by side" in page
    tables = f"{AT}/naturalness/tables"
    rows = _rows(both, f"{tables}/robustness-survey-benchmarks.csv?second=other-perturbed")
    means = {row["question"]: (row["Bench, perturbed_mean"], row["Other, perturbed_mean"]) for row in rows}
    assert {name: tuple(map(float, pair)) for name, pair in means.items()} == {
        "Naturalness, nominal": (1.0, 1.0),
        "Naturalness, perturbed": (pytest.approx(2 / 3), pytest.approx(2 / 3)),
        "Semantic similarity, perturbed": (pytest.approx(2 / 3), pytest.approx(2 / 3)),
    }
    assert "Other, perturbed was asked about in Others: naturalness, Others: similarity." in page
    by_category = _rows(both, f"{tables}/robustness-survey-benchmarks-categories.csv?second=other-perturbed")
    assert [row["prompts"] for row in by_category] == 2 * ["Docstring", "Function name", "Format"]
    scores = _rows(both, f"{tables}/robustness-scores-code.csv?second=other-perturbed")
    assert [float(scores[0][f"{name}, perturbed_codebleu_syntax"]) for name in ("Bench", "Other")] == [0.9, 0.9]
    latex = both.get(f"{tables}/robustness-survey-benchmarks.tex?second=other-perturbed").text
    assert "Other, perturbed" in latex
    alone = _rows(both, f"{tables}/robustness-scores-code.csv")
    assert not any(key.startswith("Other") for key in alone[0])
    assert both.get(f"{tables}/robustness-survey-benchmarks.csv").status_code == 404


@pytest.mark.sqlite_is_enough
def test_two_surveys_of_one_title_have_a_column_each(admin: TestClient, perturbed: Database, work: Work) -> None:
    with perturbed.write() as session:
        grade_all(session, make_survey(session))
        again = make_survey(session, title="Again")
        grade_all(session, again)
        again.title = "Natural?"
    for slug in ("natural", "again"):
        measure(perturbed, work, slug)
    rows = _rows(admin, f"{AT}/naturalness/tables/robustness-surveys.csv")
    assert {"Natural? (natural)_mean", "Natural? (again)_mean"} <= rows[0].keys()


@pytest.mark.sqlite_is_enough
def test_the_studys_page_leads_to_both_sets(both: TestClient) -> None:
    page = both.get("/studies/natural/naturalness").text
    assert f'action="{AT}/naturalness"' in page
    assert '<option value="other-perturbed">' in page


@pytest.mark.sqlite_is_enough
def test_what_another_set_lacks_is_told(both: TestClient, perturbed: Database, work: Work) -> None:
    page = both.get(f"{AT}/naturalness?second=other-perturbed").text
    assert "Not to be compared" not in page
    with perturbed.write() as session:
        of_other = select(BenchmarkProblem.id).where(BenchmarkProblem.benchmark_id == find_set(session, SET).id)
        session.execute(
            update(ChangeScore).where(ChangeScore.problem_id.in_(of_other)).values(signature="older", score=0.4)
        )
    page = both.get(f"{AT}/naturalness?second=other-perturbed").text
    assert "both sets were checked by different versions of CodeBLEU syntax" in page
    with perturbed.write() as session:
        some = select(BenchmarkProblem.id).where(
            BenchmarkProblem.benchmark_id == find_set(session, "other-perturbed").id,
            BenchmarkProblem.category == "format",
        )
        session.execute(delete(ChangeScore).where(ChangeScore.problem_id.in_(some)))
    page = both.get(f"{AT}/naturalness?second=other-perturbed").text
    assert "Other, perturbed: 34 of 46 changed prompts are checked." in page
    make_set(perturbed, work, "Third")
    page = both.get(f"{AT}/naturalness?second=third-perturbed").text
    assert "No survey of the other set has been measured yet." in page
    assert "The changes of the other set have not been checked yet." in page
    assert "benchmarks side by side" not in page
    assert both.get(f"{AT}/naturalness?second=nowhere").status_code == 404
    assert both.get(f"{AT}/naturalness?second=bench").status_code == 422
    assert "benchmarks side by side" not in both.get(f"{AT}/naturalness?second={SET}").text


def _rows(client: TestClient, address: str) -> list[dict[str, str]]:
    answer = client.get(address)
    assert answer.status_code == 200, answer.text
    return list(csv.DictReader(io.StringIO(answer.text.lstrip("\ufeff"))))


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


@pytest.mark.sqlite_is_enough
def test_the_command_line_prints_and_writes_both_sets(
    both: TestClient, settings: Settings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("app.cli.naturalness.load_settings", lambda: settings)
    latex, folder = tmp_path / "all.tex", tmp_path / "tables"
    arguments = ["naturalness", SET, "--second", "other-perturbed", "--latex", str(latex), "--csv", str(folder)]
    told = CliRunner().invoke(make_cli(), arguments)
    assert told.exit_code == 0, told.output
    assert "What people say, benchmarks side by side" in told.output
    assert "Natural?: Automatic checks beside people: what is natural" in told.output
    names = [each.stem for each in folder.iterdir()]
    for name in ("robustness-survey-benchmarks", "robustness-scores-code", "natural-robustness-survey"):
        assert name in names
    assert latex.read_text(encoding="utf-8").count("\\begin{table}") == len(names)
    with_latex = CliRunner().invoke(make_cli(), ["naturalness", "other-perturbed", "--latex", "-"])
    assert with_latex.stdout.startswith("% Needs")


@pytest.mark.sqlite_is_enough
def test_the_command_line_says_where_nothing_is_known(
    perturbed: Database, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.cli.naturalness.load_settings", lambda: settings)
    told = CliRunner().invoke(make_cli(), ["naturalness", SET])
    assert told.exit_code == 1
    assert "Nobody has been asked about this set, and its changes have not been checked." in told.output


@pytest.mark.sqlite_is_enough
def test_a_survey_that_was_not_measured_is_named_with_what_comes_next(
    perturbed: Database, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.cli.naturalness.load_settings", lambda: settings)
    made = CliRunner().invoke(make_cli(), ["survey", SET, "--title", "Natural?", "--pairs", "3"])
    assert made.exit_code == 0, made.output
    told = CliRunner().invoke(make_cli(), ["naturalness", SET])
    assert told.exit_code == 1
    assert told.stderr.splitlines() == [
        "Natural?: not measured yet. Once people have graded: codejury agreement natural",
        f"The set's changes have not been checked: codejury check-changes {SET}",
    ]


@pytest.mark.sqlite_is_enough
@pytest.mark.parametrize(
    ("title", "said", "beside_the_field"),
    [
        ("", "A study needs a title with at least one letter or digit.", "This is needed."),
        (
            "a" * 201,
            "A study's title has at most 200 characters; this one has 201.",
            "Use at most 200 characters.",
        ),
        ("new", "'new' can't be a study's title", "'new' can't be a study's title"),
    ],
)
def test_a_title_is_refused_before_anything_is_drawn(
    admin: TestClient,
    perturbed: Database,
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
    title: str,
    said: str,
    beside_the_field: str,
) -> None:
    monkeypatch.setattr("app.cli.naturalness.load_settings", lambda: settings)
    refused = CliRunner().invoke(make_cli(), ["survey", SET, "--title", title])
    assert (refused.output, refused.exit_code) == ("", 1)
    assert said in str(refused.exception)
    fields = {"title": title, "seed": "0", "unperturbed": "4", "perturbed": "6", "pairs": "3", "annotators": "2"}
    for answer in (admin.get(f"{AT}/survey", params=fields), admin.post(f"{AT}/survey", data=fields)):
        assert answer.status_code == 422
        assert beside_the_field in html.unescape(answer.text)
        assert 'name="perturbed"' in answer.text


@pytest.mark.sqlite_is_enough
def test_a_title_that_is_taken_is_refused_before_anything_is_drawn(
    perturbed: Database, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.cli.naturalness.load_settings", lambda: settings)
    arguments = ["survey", SET, "--title", "Natural?", "--pairs", "3"]
    assert CliRunner().invoke(make_cli(), arguments).exit_code == 0
    again = CliRunner().invoke(make_cli(), arguments)
    assert (again.output, str(again.exception)) == ("", "There is a study 'natural' already.")
