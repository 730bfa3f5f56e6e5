"""Files for other tools: the published study's form, and Label Studio's."""

import csv
import io
import json

import pytest
from sqlalchemy import select

from app.services.analysis.inputs import load_grades
from app.services.desk.exclusion import exclude
from app.services.spreadsheets import neutralise
from app.statistics.consensus import ConsensusMethod, find_consensus
from app.storage.models import Annotator, Study
from tests.dashboards.conftest import graded
from tests.dashboards.study import SLUG as GRADED
from tests.exports.rich import EXCLUDED, SLUG
from tests.exports.steps import analysed, exported, measured, members
from tests.imports.helpers import Importer

__all__ = ["graded"]


@pytest.mark.usefixtures("graded")
def test_the_wide_form_gives_the_same_numbers_again(importer: Importer) -> None:
    rows = json.loads(exported(importer, GRADED, form="wide"))
    assert list(rows[0])[:3] == ["intent", "snippet", "problem_key"]
    assert rows[0]["snippet"] == ["return 0"]
    assert set(rows[0]["grade-weak"]) == {"grader0", "grader1", "grader2"}
    data = json.dumps(rows).encode()
    importer.good({"again.json": data}, "codegen-metrics", title="Again", seed=7)
    assert json.loads(exported(importer, "again", form="wide")) == rows
    chosen = {"consensus": "m_msr"}
    first, again = (json.loads(analysed(importer, slug, **chosen)) for slug in (GRADED, "again"))
    for document in (first, again):
        # They name the study; and it showed identical outputs once, for which this form has no place: the items have
        # other names, and are drawn in another order for the intervals.
        del document["study"], document["signature"]
        document["annotators"] = document["annotators"]["fleiss_kappa"]["value"]
    assert first == again


@pytest.mark.sqlite_is_enough
def test_the_wide_form_of_a_published_folder_gives_the_same_analysis(importer: Importer, empty: Importer) -> None:
    """Problems with several references, each of them graded."""
    rows = [
        {"intent": f"do {n // 2}", "snippet": f"do({n})", "m1": f"do_{n // 2}()", "m2": f"d({n // 2})"}
        for n in range(8)
    ]
    files = {"small.json": json.dumps(rows).encode()}
    for person in range(3):
        graded = [
            row | {f"grade-{name}": (n + person * place) % 5 for place, name in enumerate(("snippet", "m1", "m2"))}
            for n, row in enumerate(rows)
        ]
        files[f"grader{person}.small.json"] = json.dumps(graded).encode()
    whole = importer.good(files, "codegen-metrics", title="Small", seed=7)
    data = exported(importer, "small", form="wide")
    assert "grade-snippet 2" in json.loads(data)[0]
    again = empty.good({"small-wide.json": data}, "codegen-metrics", title="Small", seed=7)
    assert again["added"] == whole["added"]
    assert analysed(empty, "small") == analysed(importer, "small")
    assert measured(empty, "small") == measured(importer, "small")


@pytest.mark.sqlite_is_enough
def test_problems_of_one_intent_stay_apart_where_the_wide_form_says_their_keys(importer: Importer) -> None:
    table = "problem,intent,reference,system,output\np1,add,a+b,s,sum\np2,add,a+b,s,plus\n"
    importer.good(table, "outputs", title="Twins")
    importer.good({"w.json": exported(importer, "twins", form="wide")}, "codegen-metrics", title="Again")
    files = members(exported(importer, "again"))
    assert [json.loads(line)["problem"] for line in files["problems.jsonl"].splitlines()] == ["p1", "p2"]


def test_the_wide_form_holds_what_counts(here: Importer) -> None:
    rows = json.loads(exported(here, form="wide", question="direct-assessment"))
    graders = {name for row in rows for key, value in row.items() if key.startswith("grade-") for name in value}
    assert graders
    assert EXCLUDED not in graders
    assert "grade-snippet" in json.loads(exported(here, form="wide"))[0]


def test_label_studio_gets_tasks_with_annotations(here: Importer) -> None:
    tasks = json.loads(exported(here, form="label-studio"))
    assert [task["id"] for task in tasks] == list(range(1, len(tasks) + 1))
    annotations = [each for task in tasks for each in task["annotations"]]
    assert len({each["id"] for each in annotations}) == len(annotations)
    assert {"completed_by", "lead_time", "was_cancelled", "ground_truth", "created_at"} <= annotations[0].keys()
    assert all(each["created_at"].endswith("Z") for each in annotations)
    assert any(each["was_cancelled"] and not each["result"] for each in annotations)
    results = [each for annotation in annotations for each in annotation["result"]]
    by_name = {each["from_name"]: each for each in results}
    assert by_name["helpfulness"]["type"] == "choices"  # from 0: no stars
    assert by_name["fluency"]["type"] == "rating"
    assert by_name["direct-assessment"]["value"].keys() == {"number"}
    assert by_name["comment"]["value"].keys() == {"text"}
    assert isinstance(by_name["labels"]["value"]["choices"], list)
    pair = next(task for task in tasks if task["data"]["instrument"] == "semantic-similarity")
    assert pair["data"]["original"] != pair["data"]["text"]
    assert SLUG not in str(pair)


@pytest.mark.sqlite_is_enough
def test_an_annotators_skill_is_the_one_of_the_analysis(here: Importer) -> None:
    """The study has graded references, which tell of annotators and are in no consensus."""
    quality = members(exported(here, form="tables"))["tables/quality-helpfulness.csv"].decode()
    rows = {row["annotator"]: row for row in csv.DictReader(io.StringIO(quality))}
    with here.database.read() as session:
        grades = load_grades(session, session.scalars(select(Study)).one(), "helpfulness")
    skills = find_consensus(grades.tasks, grades.workers, grades.labels, ConsensusMethod.M_MSR).skills
    assert skills
    for worker, skill in skills.items():
        row = rows[neutralise(worker)]
        assert float(row["skill"]) == pytest.approx(skill, abs=1e-5)
        assert int(row["skill_items"]) == grades.workers.count(worker)


@pytest.mark.sqlite_is_enough
def test_tables_and_decisions(here: Importer) -> None:
    analysed(here), measured(here)
    with here.database.write() as session:
        study = session.scalars(select(Study)).one()
        someone = session.scalars(select(Annotator).where(Annotator.pseudonym == "A01")).one()
        exclude(session, "user:1", study, someone.id, "Too fast: 2 s an item.")
    tables, bundle = members(exported(here, form="tables")), members(exported(here))
    assert {"tables/survey.csv", "tables/quality-helpfulness.csv", "SHA256SUMS"} <= tables.keys()
    assert {name: bundle[name] for name in tables if name != "SHA256SUMS"} == {
        name: data for name, data in tables.items() if name != "SHA256SUMS"
    }
    [decision] = csv.DictReader(io.StringIO(bundle["decisions.csv"].decode()))
    assert (decision["actor"], decision["action"]) == ("user:1", "annotator excluded")
    assert "Excluded A01" in decision["what"]
    assert "Too fast: 2 s an item." in decision["what"]
    assert members(exported(here)) == bundle, "exports decide nothing: the same state, the same bundle"


@pytest.mark.sqlite_is_enough
def test_wmts_table_and_its_way_back(here: Importer, empty: Importer) -> None:
    data = exported(here, form="wmt")
    rows = list(csv.DictReader(io.StringIO(data.decode())))
    assert list(rows[0]) == ["user", "system", "segment", "type", "score", "start", "end"]
    assert {row["type"] for row in rows} == {"TGT", "REF"}
    assert {row["system"] for row in rows if row["type"] == "REF"} == {"reference"}
    assert all(float(row["start"]) <= float(row["end"]) for row in rows)
    assert EXCLUDED not in {row["user"] for row in rows}
    empty.good({"template.zip": exported(here, form="template")}, "bundle", title=None, seed=None)
    table = "problem,system,worker,label,question\n" + "".join(
        f"{row['segment']},{row['system']},{row['user']},{row['score']},helpfulness\n" for row in rows
    )
    assert empty.good(table, "grades", study=SLUG)["added"]["grades"] == len(rows)
