"""What a researcher reads of robustness: the numbers of the documents, in words, tables and files, and each pair."""

import csv
import io
import re

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import delete, select

from app.perturbations import Category
from app.services.analysis.computation import canonical_json
from app.services.benchmarks import find_benchmark
from app.services.robustness_results.breaks import breaks_of
from app.services.robustness_results.document import compared_pair, robustness_results
from app.storage.engine import Database
from app.storage.models import BenchmarkProblem, Completion, Execution, Generation
from tests.dashboards.study import sign_in
from tests.robustness_results.rows import add_canonical, add_model, drawn, make_set

PAGE = "/benchmarks/robust/robustness"
HOSTILE = ("<i>one", "<b onclick")


def rows_of(client: TestClient, name: str, query: str = "") -> list[dict[str, str]]:
    answer = client.get(f"{PAGE}/tables/{name}.csv{query}")
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-disposition"].startswith("attachment")
    return list(csv.DictReader(io.StringIO(answer.text.lstrip("\ufeff"))))


def generations(results: Database) -> list[int]:
    with results.read() as session:
        return list(session.scalars(select(Generation.id).order_by(Generation.id)))


def test_the_page_tells_who_keeps_most(researcher: TestClient) -> None:
    page = researcher.get(PAGE)
    assert page.status_code == 200
    assert "keeps the greatest share of its pass@1" in page.text
    assert "of the canonical solutions themselves 91.7 % (docstring) pass on all perturbed prompts" in page.text
    for heading in ("A closer look", "Right before, wrong after", "What was run", "How it was made"):
        assert heading in page.text
    for hostile in HOSTILE:
        assert hostile not in page.text


def test_files_hold_the_numbers_of_the_page(researcher: TestClient, results: Database) -> None:
    with results.read() as session:
        document = robustness_results(session, find_benchmark(session, "robust"))
    rows = rows_of(researcher, "robustness")
    assert len(rows) == 3 * 4  # categories, numbers
    for place, (category, measure) in enumerate(
        (category, measure)
        for category in ("docstring", "function_name", "format")
        for measure in ("nominal", "robust_pass", "robust_drop", "robust_relative")
    ):
        for key, model in zip(("good <i>one</i>", "'=poor"), document["models"], strict=True):
            cell = model["categories"][category]["whole"]["at"][0][measure]
            assert float(rows[place][key]) == pytest.approx(100 * cell["value"])
            assert float(rows[place][f"{key}_low"]) == pytest.approx(100 * cell["low"])
        mean = document["mean"][category]["whole"]["at"][0][measure]["value"]
        assert float(rows[place]["mean_over_models"]) == pytest.approx(100 * mean)
    single = rows_of(researcher, "robustness-transformations-1")
    fingers = document["models"][0]["categories"]["docstring"]["transformations"][0]
    assert single[0]["transformation"] == "ButterFingers"
    assert float(single[0]["robust_pass"]) == pytest.approx(100 * fingers["at"][0]["robust_pass"]["value"])
    assert float(single[0]["ceiling"]) == pytest.approx(100 * 11 / 12)
    assert (single[1]["unchanged_count"], single[1]["unchanged_of"]) == ("4", "12")
    assert researcher.get(f"{PAGE}.json").text == canonical_json(document)
    assert "\\toprule" in researcher.get(f"{PAGE}/tables/robustness.tex").text
    for wrong in ("tables/none.csv", "tables/robustness.exe"):
        assert researcher.get(f"{PAGE}/{wrong}").status_code == 404


def test_every_table_of_the_page_can_be_had(researcher: TestClient) -> None:
    page = researcher.get(PAGE).text
    files = {each.replace("&amp;", "&") for each in re.findall(rf'href="({PAGE}/tables/[^"]+)"', page)}
    assert len(files) >= 2 * 9
    for each in files:
        assert researcher.get(each).status_code == 200, each
    (whole,) = re.findall(rf'href="({PAGE}\.tex[^"]*)"', page)
    tables = researcher.get(whole.replace("&amp;", "&")).text
    latex = [researcher.get(each).text for each in files if ".tex" in each]
    assert all(each in tables for each in latex)
    assert tables.count("\\begin{tabular}") == sum(each.count("\\begin{tabular}") for each in latex)


def test_models_categories_and_k_are_chosen(researcher: TestClient, results: Database) -> None:
    first, second = generations(results)
    query = f"?generation={second}&category=format&category=docstring&closer=format&of={second}"
    page = researcher.get(PAGE + query).text
    assert "Function name" not in page.partition('id="robustness"')[2].partition('id="closer"')[0]
    rows = rows_of(researcher, "robustness", query)
    assert {each["category"] for each in rows} == {"Docstring", "Format"}
    assert "good <i>one</i>" not in rows[0]
    assert rows_of(researcher, "robustness-breaks-format", query)
    assert researcher.get(f"{PAGE}?k=5").status_code == 422
    assert "k is at most 1 here." in researcher.get(f"{PAGE}?k=5").text
    assert researcher.get(f"{PAGE}?generation=99999").status_code == 404
    other = researcher.get(f"{PAGE}?of={first}&closer=syntax").text  # of which there are no results
    assert "What breaks most: good &lt;i&gt;one&lt;/i&gt;, docstring" in other
    assert researcher.get(f"{PAGE}?category=none").status_code == 422


def test_what_breaks_is_that_of_a_model(researcher: TestClient, results: Database) -> None:
    """Nothing breaks of the canonical solutions, which are often the first; they are shown where they are chosen."""
    with results.write() as session:
        made = make_set(session, "Ceiling")
        ceiling = add_canonical(session, made).id
    page = "/benchmarks/ceiling/robustness"
    assert "What breaks most: canonical, docstring" in researcher.get(page).text
    with results.write() as session:
        add_model(session, find_benchmark(session, "ceiling"), "late", drawn(0.9, 0.4, 1))
    assert "What breaks most: late, docstring" in researcher.get(page).text
    lost = researcher.get(f"{page}/tables/robustness-lost-docstring.csv").text
    assert "ButterFingers" in lost
    assert "What breaks most: canonical, docstring" in researcher.get(f"{page}?of={ceiling}").text


def test_two_models_are_compared(researcher: TestClient, results: Database) -> None:
    with results.read() as session:
        found = compared_pair(session, find_benchmark(session, "robust"), ("=poor", "good <i>one</i>"))
    rows = rows_of(researcher, "robustness-compared", "?a=%3Dpoor&b=good+%3Ci%3Eone%3C/i%3E")
    assert float(rows[1]["difference"]) == pytest.approx(found[0]["comparison"]["robust_pass"]["difference"])
    assert researcher.get(f"{PAGE}?a=nobody&b=%3Dpoor").status_code == 404


def test_another_set_stands_beside_it(researcher: TestClient, results: Database) -> None:
    with results.write() as session:
        made = make_set(session, "Other")
        add_model(session, made, "=poor", drawn(0.6, 0.1, 9))
        make_set(session, "Empty")
    assert "Beside it" in researcher.get(PAGE).text
    page = researcher.get(f"{PAGE}?second=other").text
    assert "Robustness on Robust and Other" in page
    rows = rows_of(researcher, "robustness-benchmarks", "?second=other")
    assert {"Robust_=poor", "Other_=poor"} <= rows[0].keys()
    assert (rows[1]["metric"], rows[1]["Robust_s"], rows[1]["Other_s"]) == ("RP_s@1", "2", "2")
    drops = rows_of(researcher, "robustness-benchmarks-drop", "?second=other")
    assert [(row["transformation"], row["Robust_s"], row["Other_s"]) for row in drops] == [
        ("ButterFingers", "2", "2"),
        ("Tense", "1", "1"),
        ("CamelCase", "1", "1"),
        ("TabIndent", "1", "1"),
    ]
    assert "No model has results on the other set yet." in researcher.get(f"{PAGE}?second=empty").text
    assert researcher.get(f"{PAGE}?second=nowhere").status_code == 404
    itself = researcher.get(f"{PAGE}?second=robust").text
    assert "on the other set" not in itself
    assert "second=robust" not in itself


def test_a_pair_shows_both_prompts_completions_and_verdicts(researcher: TestClient, results: Database) -> None:
    (first, _) = generations(results)
    with results.read() as session:
        made = find_benchmark(session, "robust")
        found = breaks_of(session, made, first, Category.DOCSTRING)
        turned = found["lost"]["shown"][0]
        after = session.get_one(Completion, turned["completion"])
        row = session.get_one(BenchmarkProblem, after.problem_id)
        assert row.key == f"{turned['problem']} · {turned['transformation']} · {turned['seed']}"
        verdicts = [
            session.scalar(
                select(Execution.verdict)
                .join(Completion, Completion.id == Execution.completion_id)
                .where(Completion.generation_id == first, Completion.problem_id == problem)
            )
            for problem in (row.origin_id, row.id)
        ]
        assert verdicts == ["passed", "failed"]
    address = f"{PAGE}/pairs/{turned['completion']}"
    assert f'href="{address}"' in researcher.get(f"{PAGE}?closer=docstring&of={first}").text
    page = researcher.get(address)
    assert page.status_code == 200
    assert turned["transformation"].partition("/")[2] in page.text
    assert "AssertionError" in page.text
    assert page.text.index(">passed<") < page.text.index(">failed<")
    assert page.text.count('class="pair-side"') == 4
    for hostile in HOSTILE:
        assert hostile not in page.text


def test_a_pair_without_its_nominal_sample_says_so(researcher: TestClient, results: Database) -> None:
    with results.write() as session:
        wanted = select(Completion).join(BenchmarkProblem, BenchmarkProblem.id == Completion.problem_id)
        after = session.scalars(wanted.where(BenchmarkProblem.category == "docstring").limit(1)).one()
        row = session.get_one(BenchmarkProblem, after.problem_id)
        mine = select(Completion.id).where(
            Completion.generation_id == after.generation_id, Completion.problem_id == row.origin_id
        )
        before = session.scalars(mine).one()
        session.execute(delete(Execution).where(Execution.completion_id == before))
        session.execute(delete(Completion).where(Completion.id == before))
        number = after.id
    assert "not written" in researcher.get(f"{PAGE}/pairs/{number}").text
    assert researcher.get(f"{PAGE}/pairs/{before + 10_000}").status_code == 404


def test_a_nominal_sample_is_no_pair(researcher: TestClient, results: Database) -> None:
    with results.read() as session:
        wanted = select(Completion.id).join(BenchmarkProblem, BenchmarkProblem.id == Completion.problem_id)
        number = session.scalars(wanted.where(BenchmarkProblem.transformation.is_(None)).limit(1)).one()
    assert researcher.get(f"{PAGE}/pairs/{number}").status_code == 404


def test_a_set_on_its_way(client: TestClient, database: Database) -> None:
    with database.write() as session:
        made = make_set(session)
    sign_in(client, database, "researcher")
    assert "No model has been asked for this set yet." in client.get(PAGE).text
    with database.write() as session:
        add_model(session, make_set(session, "Later"), "waits", lambda *_: None)
        add_model(session, made, "partly", lambda row, _: None if row.key == "b/3" else "passed")
    later = client.get("/benchmarks/later/robustness").text
    assert "has not been executed yet" in later
    assert "Not executed yet" in later
    with database.write() as session:
        add_model(session, made, "begun", lambda row, _: None if row.transformation else "passed")
    page = client.get(PAGE).text
    assert "begun is not shown, since it was not asked all that others were" in page
    assert "Of partly 1 of 80 samples have no verdict (1 not run yet)" in page
    assert "a problem with too few such samples is left out of the model’s numbers and counted" in page
    assert "partly, docstring and function name: 1 of 12 problems left out: not all samples are judged" in page


def test_a_set_leads_to_its_robustness(researcher: TestClient) -> None:
    for address in ("/benchmarks/robust", "/benchmarks/robust/results"):
        assert f'href="{PAGE}"' in researcher.get(address).text
    assert "These are results of the nominal prompts only." in researcher.get("/benchmarks/robust/results").text


def test_programs_get_the_same_documents(researcher: TestClient, results: Database) -> None:
    first, second = generations(results)
    at = "/api/v1/benchmarks/robust/robustness"
    with results.read() as session:
        made = find_benchmark(session, "robust")
        assert researcher.get(at).text == canonical_json(robustness_results(session, made))
        alone = robustness_results(session, made, [second])
        assert researcher.get(f"{at}?generation={second}").text == canonical_json(alone)
        pair = compared_pair(session, made, ("=poor", "good <i>one</i>"))
        answer = researcher.get(f"{at}/comparison", params={"a": "=poor", "b": "good <i>one</i>"})
        assert answer.text == canonical_json({"categories": pair})
        broken = breaks_of(session, made, first, Category.FORMAT)
    answer = researcher.get(f"{at}/breaks?generation={first}&category=format")
    assert answer.text == canonical_json(broken)
    assert researcher.get(f"{at}/breaks?generation={first}&category=none").status_code == 422
    assert researcher.get(f"{at}?models=1").status_code == 422


@pytest.mark.sqlite_is_enough
def test_names_that_hide_letters_are_shown_as_such(researcher: TestClient, results: Database) -> None:
    """Marked and by themselves in the heads of tables, spelled out in LaTeX, and byte for byte in CSV."""
    trick = "\u202emodel\u200b"
    with results.write() as session:
        made = make_set(session, "\u202eset")
        add_model(session, made, trick, drawn(0.9, 0.2, 1))
        address = f"/benchmarks/{made.slug}/robustness"
    page = researcher.get(address).text
    assert (
        f'<bdi><bdi class="hidden-character" data-code="U+202E" title="right-to-left override">{trick[0]}</bdi>model'
        in page
    )
    assert re.search(r'<h1[^>]*><bdi><bdi class="hidden-character" data-code="U\+202E"', page)
    by_kind = {kind: researcher.get(f"{address}/tables/robustness.{kind}").text for kind in ("csv", "tex")}
    assert trick in by_kind["csv"]
    assert "[U+202E]model[U+200B]" in by_kind["tex"]
    assert "[U+202E]set" in by_kind["tex"]
    assert not {"\u202e", "\u200b"} & set(by_kind["tex"])
