"""A stored analysis as the charts read it: the document and the columns of all pairs, under plain names."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.charts.theme import HUMAN
from app.once import computed_once
from app.statistics.delta_bins import bin_of
from app.statistics.significance import directions
from app.words import pgettext

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Results:
    """One analysis. document and pairs are what the analysis stored, unchanged."""

    document: dict[str, Any]
    pairs: dict[str, Any]

    @computed_once
    def metrics(self) -> list[str]:
        """Names of the metrics, in the order of the document, without people."""
        return list(self.document["agreement"])

    @property
    def scored(self) -> list[str]:
        """People, then the metrics."""
        return [HUMAN, *self.metrics]

    def label(self, metric: str) -> str:
        """The metric as papers print it."""
        labels: dict[str, str] = self.document["metric_labels"]
        return pgettext("who grade", "People") if metric == HUMAN else labels.get(metric, metric)

    @computed_once
    def systems(self) -> list[dict[str, Any]]:
        """All systems, the original ones first."""
        return list(self.document["systems"])

    @computed_once
    def originals(self) -> list[dict[str, Any]]:
        """The systems of the study itself."""
        return [system for system in self.systems if not system["synthetic"]]

    @computed_once
    def original_names(self) -> list[str]:
        """Their names, in the study's order."""
        return [system["name"] for system in self.originals]

    @property
    def bins(self) -> list[tuple[float, float]]:
        """The Δ bins."""
        return [(low, high) for low, high in self.document["bins"]]

    @property
    def draws(self) -> int:
        """How many resamples."""
        return int(self.document["settings"]["draws"])

    @property
    def pair_count(self) -> int:
        """How many pairs of systems, synthetic ones included."""
        return int(self.document["pairs"])

    def differences(self, metric: str) -> Floats:
        """A's score less B's, in points, of every pair."""
        return np.asarray(self.pairs["differences"][metric], dtype=np.float64)

    def verdicts(self, metric: str) -> Integers:
        """+1, 0, -1 of every pair."""
        return np.asarray(self.pairs["verdicts"][metric], dtype=np.int64)

    def kinds(self, metric: str) -> Integers:
        """Of every pair: 0 agree, 1 Type-I, 2 Type-II, 3 sign error (the order of theme.KINDS)."""
        ours, theirs = self.verdicts(metric), self.verdicts(HUMAN)
        kinds = np.zeros(len(ours), dtype=np.int64)
        kinds[(ours != 0) & (theirs == 0)] = 1
        kinds[(ours == 0) & (theirs != 0)] = 2
        kinds[ours * theirs < 0] = 3
        return kinds

    def bin_numbers(self, metric: str) -> Integers:
        """Of every pair, the Δ bin of the metric's difference."""
        return np.asarray(bin_of(self.differences(metric), self.bins), dtype=np.int64)

    def comparison(self, a: str, b: str) -> dict[str, dict[str, float]]:
        """Two original systems, by metric; as if A were first, whichever way it is stored. KeyError if absent."""
        for pair in self.document["original_pairs"]:
            if (pair["a"], pair["b"]) == (a, b):
                return {name: pair[name] for name in self.scored}
            if (pair["a"], pair["b"]) == (b, a):
                return {name: _turned(pair[name], self.document["settings"]["ties"]) for name in self.scored}
        raise KeyError((a, b))

    def is_told_apart(self, metric: str, a: str, b: str) -> bool:
        """Whether the difference of two original systems is significant at 95 %."""
        for pair in self.document["original_pairs"]:
            if {pair["a"], pair["b"]} == {a, b}:
                return self.stored_verdict(pair[metric]) != 0
        raise KeyError((a, b))

    def stored_verdict(self, cell: dict[str, float]) -> int:
        """+1 where A of a cell of original_pairs is significantly better, -1 where B is, else 0."""
        p, reverse = np.array([cell["p_a_greater"]]), np.array([_reverse(cell, self.document["settings"]["ties"])])
        return int(directions(p, reverse)[0])

    def verdict_between(self, metric: str, a: str, b: str) -> int:
        """The pair's one verdict, +1 where A is the better one, whichever of the two the study names first."""
        for pair in self.document["original_pairs"]:
            if (pair["a"], pair["b"]) in ((a, b), (b, a)):
                return self.stored_verdict(pair[metric]) * (1 if pair["a"] == a else -1)
        raise KeyError((a, b))

    def is_turned(self, a: str, b: str) -> bool:
        """Whether the study names B before A: its criterion is applied to the pair in that order."""
        return self.original_names.index(a) > self.original_names.index(b)


def _turned(cell: dict[str, float], ties: str) -> dict[str, float]:
    """A cell of original_pairs seen from B."""
    return cell | {
        "difference": -cell["difference"],
        "low": -cell["high"],
        "high": -cell["low"],
        "p_a_greater": _reverse(cell, ties),
    }


def _reverse(cell: dict[str, float], ties: str) -> float:
    """P(B > A). Rounded: shares of draws are whole counts, and 1 - 0.9 - 0.05 must stay at the limit."""
    equal = cell["p_equal"] if ties == "strict" else 0.0
    return max(0.0, round(1 - cell["p_a_greater"] - equal, 10))
