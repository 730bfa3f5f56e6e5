"""In what an analysis differs from the study's own: a what-if must never pass for the study."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from app.charts.sentences import method_in_words
from app.charts.words import join, short
from app.services.analysis import AnalysisParameters
from app.storage.models import Study
from app.words import gettext, human_number

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
        "draws": lambda: gettext(
            "%(value)s draws instead of %(usual)s", value=human_number(value), usual=human_number(usual)
        ),
        "seed": lambda: gettext("seed %(value)s instead of %(usual)s", value=value, usual=usual),
        "bins": lambda: gettext("Δ edges %(value)s instead of %(usual)s", value=_edges(value), usual=_edges(usual)),
        "percents": lambda: gettext(
            "synthetic systems with %(shares)s %% of outputs replaced", shares=join([short(each) for each in value])
        ),
        "ties": lambda: gettext("ties counted half instead of strict"),
        "synthetic": lambda: gettext("without synthetic systems"),
        "systems": lambda: gettext("only the systems %(systems)s", systems=join(value)),
        "metrics": lambda: gettext(
            "only the metrics %(metrics)s", metrics=join([labels.get(each, each) for each in value])
        ),
        "consensus": lambda: gettext(
            "consensus by %(value)s instead of %(usual)s", value=method_in_words(value), usual=method_in_words(usual)
        ),
        "question": lambda: gettext("question “%(name)s”", name=value),
    }
    return words[name]()


def _edges(bins: Sequence[Sequence[float]]) -> str:
    return "; ".join(short(edge) for edge in [*(low for low, _ in bins), bins[-1][1]])
