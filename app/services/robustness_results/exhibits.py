"""What the page of robustness shows of its documents, and the same tables as files."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.charts import robustness as chart
from app.charts import robustness_breaks, robustness_compared, robustness_curves, robustness_map, robustness_samples
from app.charts.exhibit import Exhibit
from app.charts.robustness_models import DROP, RobustModel, RobustModels
from app.words import gettext

Document = Mapping[str, Any]


@dataclass(frozen=True)
class Shown:
    """The documents that a page is made of, and what of them it shows.

    second: of another set, for both side by side; pair and compared: two models' names and what compared_pair found;
    breaks: of one model under the category ``closer``, whose curves are drawn, too.
    """

    document: Document
    categories: Sequence[str]
    k: int = 1
    second: Document | None = None
    pair: tuple[str, str] | None = None
    compared: Sequence[Document] = ()
    closer: str = ""
    breaks: Document | None = None


def summary_exhibits(shown: Shown) -> list[Exhibit]:
    """By category, both sets side by side, by transformation, two models, what was run; nothing without a model."""
    results = robust_models(shown.document, shown.categories)
    if not results.models:
        return []
    both = [results, robust_models(shown.second, shown.categories)] if shown.second else []
    return [
        chart.robustness(results, shown.k),
        *([chart.benchmarks_side_by_side(both, shown.k)] if both else []),
        robustness_map.transformation_map(results, DROP, shown.k),
        *_compared(shown),
        robustness_samples.what_was_run(shown.document),
    ]


def closer_exhibits(shown: Shown) -> list[Exhibit]:
    """One category: over s, over k, what breaks most, and the samples that were turned; nothing without results."""
    results = robust_models(shown.document, [shown.closer])
    if not results.categories:
        return []
    samples = [robustness_curves.over_k(results, shown.closer)] if len(shown.document["ks"]) > 1 else []
    return [robustness_curves.over_seeds(results, shown.closer, shown.k), *samples, *_breaks(shown)]


def robust_models(document: Document, categories: Sequence[str]) -> RobustModels:
    """The document as charts read it, with these categories only."""
    compared = {
        (each["a"], each["b"], each["category"]): each["comparison"]
        for each in document["compared"]
        if each["comparison"] is not None and each["category"] in categories
    }
    mean = {name: found for name, found in document["mean"].items() if name in categories}
    models = [_model(each, categories) for each in document["models"]]
    return RobustModels(document["benchmark"]["name"], models, mean, compared)


def _model(model: Document, categories: Sequence[str]) -> RobustModel:
    measured, curves = (
        {name: found for name, found in model[part].items() if name in categories}
        for part in ("categories", "over_seeds")
    )
    return RobustModel(model["name"], measured, curves, model["is_canonical"])


def _compared(shown: Shown) -> list[Exhibit]:
    found = [
        (each["category"], each["seeds"], each["comparison"])
        for each in shown.compared
        if each["comparison"] is not None and each["category"] in shown.categories
    ]
    return [robustness_compared.compared_models(*shown.pair, found)] if shown.pair and found else []


def _breaks(shown: Shown) -> list[Exhibit]:
    if shown.breaks is None:
        return []
    model, found = shown.breaks["model"], shown.breaks
    at = f"/benchmarks/{shown.document['benchmark']['slug']}"
    pages = {each["problem"]: f"{at}/problems/{each['position'] + 1}" for each in found["broken"]}
    turned = [
        robustness_breaks.flipped_samples(
            model,
            shown.closer,
            found[name],
            is_right_before=name == "lost",
            link=lambda each: f"{at}/robustness/pairs/{each['completion']}",
        )
        for name in ("lost", "gained")
    ]
    broken = robustness_breaks.broken_problems(
        model, shown.closer, found["broken"], found["problems"], link=pages.__getitem__
    )
    return [broken, *turned]


def no_results(document: Document) -> str:
    """Why there is nothing to show."""
    if document["not_executed"]:
        return gettext("What models wrote for this set has not been executed yet.")
    return gettext("No model has been asked for this set yet.")
