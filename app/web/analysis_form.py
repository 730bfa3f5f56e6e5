"""The form in which an analysis is chosen: what was typed, what is wrong with it, and the parameters it means."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

from fastapi import Form
from pydantic import ValidationError

from app.errors import InvalidInput, Problem
from app.services.analysis import AnalysisParameters
from app.services.analysis.parameters import parse_edges
from app.services.dashboards import Readiness
from app.web.forms import error_in_words


@dataclass
class AnalysisForm:
    """Fields as typed; ``errors`` by field."""

    draws: str = "1000"
    seed: str = ""
    bins: str = "0 2 5 10 100"
    ties: str = "strict"
    consensus: str = "m_msr"
    question: str = ""
    synthetic: bool = True
    systems: Sequence[str] = ()
    metrics: Sequence[str] = ()
    errors: dict[str, str] = field(default_factory=dict)

    def refuse(self, problems: Sequence[Problem]) -> None:
        """What a service found wrong goes beside the fields."""
        for problem in problems:
            self.errors[problem.field or ""] = " ".join(filter(None, (problem.message, problem.remedy)))


def posted_form(
    *,
    draws: Annotated[str, Form()] = "1000",
    seed: Annotated[str, Form()] = "",
    bins: Annotated[str, Form()] = "0 2 5 10 100",
    ties: Annotated[str, Form()] = "strict",
    consensus: Annotated[str, Form()] = "m_msr",
    question: Annotated[str, Form()] = "",
    synthetic: Annotated[bool, Form()] = False,
    systems: Annotated[list[str] | None, Form()] = None,
    metrics: Annotated[list[str] | None, Form()] = None,
) -> AnalysisForm:
    """The form as a browser sends it: an unchecked box is absent."""
    return AnalysisForm(
        draws.strip(), seed.strip(), bins, ties, consensus, question, synthetic, systems or (), metrics or ()
    )


def filled_form(readiness: Readiness, parameters: Mapping[str, Any] | None) -> AnalysisForm:
    """The form with the choices of the analysis on the page; without one, as in the paper."""
    everything = AnalysisForm(
        systems=readiness.systems,
        metrics=readiness.usual_metrics,
        question=readiness.questions[0] if readiness.questions else "",
    )
    if parameters is None:
        return everything
    bins = parameters["bins"]
    return AnalysisForm(
        draws=str(parameters["draws"]),
        seed=str(parameters["seed"]),
        bins=" ".join(f"{edge:g}" for edge in [*(low for low, _ in bins), bins[-1][1]]),
        ties=parameters["ties"],
        consensus=parameters["consensus"],
        question=parameters["question"] or everything.question,
        synthetic=parameters["synthetic"],
        systems=parameters["systems"] or everything.systems,
        metrics=parameters["metrics"] or everything.metrics,
    )


def read_parameters(form: AnalysisForm, readiness: Readiness) -> AnalysisParameters | None:
    """What the form asks for; None, with ``form.errors`` filled, when something can't be used."""
    values: dict[str, Any] = {
        "draws": form.draws.replace(",", ""),
        "seed": form.seed or None,
        "ties": form.ties,
        "consensus": form.consensus,
        "synthetic": form.synthetic,
        "systems": _unless_all(form.systems, readiness.systems),
        "metrics": _unless_all(form.metrics, readiness.usual_metrics),
        "question": form.question or None,
    }
    try:
        values["bins"] = parse_edges(form.bins)
    except InvalidInput as error:
        form.errors["bins"] = error.message
    return _validate(form, values)


def _validate(form: AnalysisForm, values: dict[str, Any]) -> AnalysisParameters | None:
    try:
        parameters = AnalysisParameters.model_validate(values)
    except ValidationError as error:
        for each in error.errors():
            form.errors.setdefault(str(each["loc"][0]), error_in_words(each))
        return None
    return None if form.errors else parameters


def _unless_all(chosen: Sequence[str], everything: Sequence[str]) -> tuple[str, ...] | None:
    """None stands for all that are usual, also for those that come later."""
    return None if set(chosen) == set(everything) else tuple(chosen)
