"""In what an analysis differs from the study's own: a what-if must never pass for the study."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from app.charts.sentences import METHODS
from app.charts.words import join
from app.services.analysis import AnalysisParameters
from app.storage.models import Study

FEW_PROBLEMS = 20  # below, intervals of the bootstrap are too narrow and verdicts hang on single problems


def departures(
    parameters: Mapping[str, Any], study: Study, questions: Sequence[str], labels: Mapping[str, str]
) -> str:
    """The differences from the default in words, joined by semicolons; "" where there is none."""
    usual = AnalysisParameters().model_dump(mode="json") | {"seed": study.seed}
    # In the order of the parameters: a database may give the stored ones in another.
    differing = {name: parameters[name] for name in usual if name in parameters and parameters[name] != usual[name]}
    if questions and differing.get("question") in (None, questions[0]):
        differing.pop("question", None)
    return "; ".join(_in_words(name, value, usual[name], labels) for name, value in differing.items())


def _in_words(name: str, value: Any, usual: Any, labels: Mapping[str, str]) -> str:
    words: dict[str, Callable[[], str]] = {
        "draws": lambda: f"{value:,} draws instead of {usual:,}",
        "seed": lambda: f"seed {value} instead of {usual}",
        "bins": lambda: f"Δ edges {_edges(value)} instead of {_edges(usual)}",
        "percents": lambda: f"synthetic systems with {join([f'{each:g}' for each in value])} % of outputs replaced",
        "ties": lambda: "ties counted half instead of strict",
        "synthetic": lambda: "without synthetic systems",
        "systems": lambda: f"only the systems {join(value)}",
        "metrics": lambda: f"only the metrics {join([labels.get(each, each) for each in value])}",
        "consensus": lambda: f"consensus by {METHODS.get(value, value)} instead of {METHODS[usual]}",
        "question": lambda: f"question “{value}”",
    }
    return words[name]()


def _edges(bins: Sequence[Sequence[float]]) -> str:
    return ", ".join(f"{edge:g}" for edge in [*(low for low, _ in bins), bins[-1][1]])
