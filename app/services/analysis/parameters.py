"""What can be chosen of an analysis. Whatever is not chosen is as in 'Out of the BLEU'."""

from itertools import pairwise
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from app.errors import InvalidInput
from app.statistics.consensus import ConsensusMethod
from app.statistics.delta_bins import DEFAULT_BINS, check_bins
from app.statistics.errors import StatisticsError
from app.statistics.synthetic_systems import PERCENTS
from app.words import gettext


class AnalysisParameters(BaseModel):
    """The choices of one analysis; ``None`` stands for all systems, all metrics, the study's seed."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    draws: int = Field(1000, ge=100, le=20_000)
    seed: int | None = Field(None, ge=0, lt=2**63)
    bins: tuple[tuple[float, float], ...] = DEFAULT_BINS
    percents: tuple[float, ...] = PERCENTS
    ties: Literal["strict", "half"] = "strict"
    synthetic: bool = True
    systems: tuple[str, ...] | None = None
    metrics: tuple[str, ...] | None = None
    consensus: ConsensusMethod = ConsensusMethod.M_MSR
    question: str | None = None  # the study's first question where nothing is chosen

    @field_validator("bins")
    @classmethod
    def _bins_follow_each_other(cls, bins: tuple[tuple[float, float], ...]) -> tuple[tuple[float, float], ...]:
        try:
            return check_bins(bins)
        except StatisticsError as error:
            raise ValueError(str(error)) from error

    @field_validator("percents")
    @classmethod
    def _percents_are_shares(cls, percents: tuple[float, ...]) -> tuple[float, ...]:
        if any(not 0 < percent <= 100 for percent in percents):
            raise ValueError("Each share of replaced outputs lies above 0 and at most 100 %.")
        return percents

    @field_validator("systems")
    @classmethod
    def _systems_can_be_compared(cls, systems: tuple[str, ...] | None) -> tuple[str, ...] | None:
        if systems is not None and len(set(systems)) < 2:
            raise ValueError(gettext("Comparing needs at least two systems."))
        return systems

    @field_validator("metrics")
    @classmethod
    def _there_is_a_metric(cls, metrics: tuple[str, ...] | None) -> tuple[str, ...] | None:
        if metrics is not None and not metrics:
            raise ValueError(gettext("Choose at least one metric."))
        return metrics


def parse_edges(text: str) -> tuple[tuple[float, float], ...]:
    """Edges of the Δ bins: "0 2 5 10 100", with commas or blanks between."""
    try:
        edges = [float(part) for part in text.replace(",", " ").replace(";", " ").split()]
    except ValueError:
        raise InvalidInput(gettext("Edges are numbers with blanks between, for example: 0 2 5 10 100.")) from None
    if len(edges) < 2:
        raise InvalidInput(gettext("At least two edges are needed, for example: 0 2 5 10 100."))
    return tuple(pairwise(edges))
