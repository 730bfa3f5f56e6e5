"""Each form of export, into an empty installation: the same analysis, to the byte."""

import json

import pytest

from tests.exports.steps import analysed, exported, measured, members
from tests.imports.helpers import Importer

pytestmark = pytest.mark.sqlite_is_enough

METRICS = ("bleu", "chrf", "my_metric")
# Its label is more than its name in small letters, and one that a spreadsheet would run.
SCORES = "problem,system,metric,score\np0,system-0,=My Metric,0.5\np0,system-1,=My Metric,0.25\n"


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet", "label-studio"])
def test_a_template_and_a_file_of_grades_give_the_same_analysis(here: Importer, empty: Importer, form: str) -> None:
    here.good(SCORES, "scores", study="a-study")
    first, numbers = analysed(here, metrics=METRICS), measured(here)
    assert json.loads(first)["metric_labels"]["my_metric"] == "=My Metric"
    empty.good({"template.zip": exported(here, form="template")}, "bundle", title=None, seed=None)
    empty.good(exported(here, form=form, skips=True), "grades", study="a-study")
    empty.good(members(exported(here))["scores.csv"], "scores", study="a-study")
    assert analysed(empty, metrics=METRICS) == first
    assert measured(empty) == numbers


def test_label_studio_brings_the_outputs_as_well(here: Importer, empty: Importer) -> None:
    data = exported(here, form="label-studio")
    added = empty.good(data, "outputs", title="Again")["added"]
    assert (added["problems"], added["systems"], added["outputs"]) == (3, 2, 6)
    assert _outputs(exported(empty, "again")) == _outputs(exported(here))


def _outputs(bundle: bytes) -> dict[tuple[str, str], tuple[object, ...]]:
    rows = [json.loads(line) for line in members(bundle)["outputs.jsonl"].splitlines()]
    return {(row["problem"], row["system"]): (row["output"], row["intent"], row["references"]) for row in rows}
