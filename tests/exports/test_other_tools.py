"""Files for other tools: the published study's form, and Label Studio's."""

import json
from typing import Any

import pytest

from tests.dashboards.conftest import graded
from tests.dashboards.study import SLUG as GRADED
from tests.exports.rich import EXCLUDED, SLUG
from tests.exports.steps import analysed, exported
from tests.imports.helpers import Importer

__all__ = ["graded"]
# The form has no place for problems' keys: the hash of the inputs differs, and the order in which items are drawn for
# the intervals of agreement.
KEYS_DIFFER = ("study", "signature", "annotators")


def numbers(text: str) -> dict[str, Any]:
    """All of an analysis but what the problems' keys decide."""
    document = json.loads(text)
    kappa = document["annotators"]["fleiss_kappa"]["value"]
    return {name: value for name, value in document.items() if name not in KEYS_DIFFER} | {"kappa": kappa}


@pytest.mark.usefixtures("graded")
def test_the_wide_form_gives_the_same_numbers_again(importer: Importer) -> None:
    rows = json.loads(exported(importer, GRADED, form="wide"))
    assert list(rows[0])[:2] == ["intent", "snippet"]
    assert rows[0]["snippet"] == ["return 0"]
    assert set(rows[0]["grade-weak"]) == {"grader0", "grader1", "grader2"}
    data = json.dumps(rows).encode()
    importer.good({"again.json": data}, "codegen-metrics", title="Again", seed=7)
    assert json.loads(exported(importer, "again", form="wide")) == rows
    chosen = {"consensus": "m_msr"}
    first, again = analysed(importer, GRADED, **chosen), analysed(importer, "again", **chosen)
    assert numbers(first) == numbers(again)


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
