"""What the charts of pass@k are given."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Document = Mapping[str, Any]  # of a PassAtK


@dataclass(frozen=True)
class Model:
    """A model under one setting: its name, and pass@k for some k in rising order.

    seeds: of a PassAtKOverSeeds for each such k, where it has been run with several; the values are then their means.
    """

    name: str
    values: Sequence[Document]
    seeds: Sequence[Document] = ()

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
