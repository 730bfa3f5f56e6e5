"""What the charts of pass@k are given."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from app.statistics.significance import LEVEL

Document = Mapping[str, Any]  # of a PassAtK


@dataclass(frozen=True)
class Model:
    """A model under one setting: its name, and pass@k for some k in rising order.

    seeds: of a PassAtKOverSeeds for each such k, where it has been run with several; the values are then their means.
    is_canonical: it replays the canonical solutions, the ceiling.
    """

    name: str
    values: Sequence[Document]
    seeds: Sequence[Document] = ()
    is_canonical: bool = False

    def at(self, k: int) -> Document | None:
        """The value for k; None where none was computed."""
        return next((each for each in self.values if each["k"] == k), None)

    @property
    def known(self) -> list[Document]:
        """The values that are defined."""
        return [each for each in self.values if each["estimate"]["value"] is not None]


@dataclass(frozen=True)
class Models:
    """Models over one benchmark.

    compared: the TwoSystemComparison of the pass@1 of A and B by their names (A, B), in both orders, since P(A > B)
    and P(B > A) don't add up to 1.
    """

    benchmark: str
    models: Sequence[Model]
    compared: Mapping[tuple[str, str], Mapping[str, Any]] = field(default_factory=dict)

    @property
    def ranked(self) -> Sequence[Model]:
        """Those that rankings know: not the canonical solutions, unless they are alone."""
        return [model for model in self.models if not model.is_canonical] or self.models


def leads_in_draws(p_greater: float) -> bool:
    """Whether the paired bootstrap tells the one from the other: by the share of draws in which it solves more."""
    return p_greater >= 1 - LEVEL


def is_confirmed(comparison: Mapping[str, Any]) -> bool:
    """Whether randomisation says so, too: it holds for few problems, where a bootstrap sees too little chance."""
    return bool(comparison["p_randomisation"] <= LEVEL)
