"""What the pages of executions show of their documents, and the same tables as files."""

from collections.abc import Iterable, Mapping
from typing import Any

from app.charts import execution_agreement as agreement_chart
from app.charts import execution_lists, pass_at_k_samples
from app.charts import pass_at_k as pass_at_k_chart
from app.charts.exhibit import Exhibit
from app.charts.pass_at_k_models import Model, Models
from app.charts.tables import Table
from app.errors import NotFound
from app.words import gettext

Document = Mapping[str, Any]


def benchmark_exhibits(document: Document, pair: Document | None) -> list[Exhibit]:
    """Who solves more, two models compared, what was run, and problem by problem; nothing without a model."""
    if not document["models"]:
        return []
    compared = [pass_at_k_samples.compared_models(pair)] if pair else []
    return [
        pass_at_k_chart.pass_at_k(models_of(document), document["shown"]),
        *compared,
        pass_at_k_samples.what_was_run(document),
        pass_at_k_samples.problem_by_problem(document, f"/benchmarks/{document['benchmark']['slug']}"),
    ]


def models_of(document: Document) -> Models:
    """The document as charts read it."""
    models = [
        Model(each["name"], each["pass_at_k"], each["seeds"], each["is_canonical"]) for each in document["models"]
    ]
    compared = {(each["a"], each["b"]): each["comparison"] for each in document["compared"] if each["comparison"]}
    return Models(document["benchmark"]["name"], models, compared)


def study_exhibits(document: Document) -> list[Exhibit]:
    """Tests beside people, once something was both executed and graded; what the tests said, once they have run."""
    if not any(name != "not_executed" for name in document["verdicts"]):
        return []
    joined = [agreement_chart.execution_agreement(document["agreement"])] if has_grades(document) else []
    return [*joined, execution_lists.verdicts_by_system(document)]


def has_grades(document: Document) -> bool:
    """Whether people have given anything."""
    return document["agreement"] is not None and document["grades"] > 0


def study_tables(document: Document) -> Iterable[Table]:
    """Every table of a study's page, the lists of disagreement included."""
    for exhibit in study_exhibits(document):
        yield from exhibit.tables
    if has_grades(document):
        yield from (execution_lists.passes_but_low(document), execution_lists.fails_but_high(document))


def find_table(tables: Iterable[Table], name: str) -> Table:
    """The table of that name, for download."""
    for table in tables:
        if table.name == name:
            return table
    raise NotFound(gettext("There is no such table on this page."))
