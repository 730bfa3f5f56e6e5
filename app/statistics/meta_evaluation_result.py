"""The result of a meta-evaluation: arrays for figures, counts for tables, and a plain structure for JSON."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.statistics.advice import Advice
from app.statistics.correlation import SystemCorrelations
from app.statistics.delta_bins import AgreementByDelta, SignificanceCount
from app.statistics.original_comparisons import OriginalComparisons
from app.statistics.significance import Directions, Indices, Ties
from app.statistics.synthetic_systems import SystemSet

Floats = NDArray[np.float64]

DECIMALS = 10


@dataclass(frozen=True, eq=False)
class ScoreTable:
    """Scores in points (0-100), people in row 0: full set, and 2.5 % and 97.5 % percentiles of the draws.

    full, low, high: shape (1 + metrics, systems).
    """

    metrics: tuple[str, ...]
    full: Floats
    low: Floats
    high: Floats


@dataclass(frozen=True, eq=False)
class PairTable:
    """Every pair of systems, the earlier being A; people in row 0.

    first, second: shape (pairs,), positions of A and B. p_a_greater: shape (1 + metrics, pairs), share of
    draws in which A is better (where lower is better: lower). differences: the same shape, A's full-set score
    less B's, in points. verdicts: the same shape, +1 where A is significantly better, -1 where B is, else 0.
    """

    metrics: tuple[str, ...]
    first: Indices
    second: Indices
    p_a_greater: Floats
    differences: Floats
    verdicts: Directions


@dataclass(frozen=True, eq=False)
class MetaEvaluation:
    """Everything a study's dashboards show about metrics and people.

    significance is given for people and metrics, the other mappings for metrics, by name. correlation is over
    the original systems, with intervals; correlation_all_systems over all, without (synthetic systems are
    made from the grades themselves). missing counts, for each input, the problems in which an included system
    has no value.
    """

    human: str
    systems: SystemSet
    scores: ScoreTable
    pairs: PairTable
    originals: OriginalComparisons
    bins: tuple[tuple[float, float], ...]
    significance: Mapping[str, tuple[SignificanceCount, ...]]
    agreement: Mapping[str, AgreementByDelta]
    advice: Mapping[str, Advice]
    correlation: Mapping[str, SystemCorrelations]
    correlation_all_systems: Mapping[str, SystemCorrelations]
    problems: int
    problems_left_out: int
    missing: Mapping[str, int]
    draws: int
    seed: int
    ties: Ties

    def to_json(self) -> dict[str, Any]:
        """Plain dicts, lists, strings, numbers and None, always in the same order; no NaN."""
        return {
            "problems": {
                "used": self.problems,
                "left_out": self.problems_left_out,
                "missing": dict(self.missing),
            },
            "settings": {"draws": self.draws, "seed": self.seed, "ties": self.ties},
            "systems": [self._system_json(system) for system in range(len(self.systems.names))],
            "pairs": len(self.pairs.first),
            "bins": [list(edges) for edges in self.bins],
            "significance": {
                name: [[count.significant, count.not_significant] for count in counts]
                for name, counts in self.significance.items()
            },
            "agreement": {name: _agreement_json(counts) for name, counts in self.agreement.items()},
            "advice": {name: asdict(advice) for name, advice in self.advice.items()},
            "correlation": {
                name: {"original": asdict(value), "all": asdict(self.correlation_all_systems[name])}
                for name, value in self.correlation.items()
            },
            "original_pairs": self.original_pairs(),
        }

    def original_pairs(self) -> list[dict[str, Any]]:
        """For each pair of original systems: names; for people and metrics, the difference and what it is worth.

        p_a_greater, difference; low and high, the interval of the difference; p_bootstrap, p_randomisation,
        p_equal: see OriginalComparisons.
        """
        chosen = np.flatnonzero(self.pairs.second < self.systems.originals)
        return [
            {
                "a": self.systems.names[self.pairs.first[pair]],
                "b": self.systems.names[self.pairs.second[pair]],
                **self._pair_json(int(pair), column),
            }
            for column, pair in enumerate(chosen)
        ]

    def _pair_json(self, pair: int, column: int) -> dict[str, dict[str, float]]:
        return {
            name: {
                "p_a_greater": float(self.pairs.p_a_greater[row, pair]),
                "difference": float(self.pairs.differences[row, pair]),
                "low": float(self.originals.low[row, column]),
                "high": float(self.originals.high[row, column]),
                "p_bootstrap": float(self.originals.p_bootstrap[row, column]),
                "p_randomisation": float(self.originals.p_randomisation[row, column]),
                "p_equal": float(self.originals.p_equal[row, column]),
            }
            for row, name in enumerate(self.pairs.metrics)
        }

    def _system_json(self, system: int) -> dict[str, Any]:
        table = self.scores
        return {
            "name": self.systems.names[system],
            "synthetic": self.systems.is_synthetic(system),
            "scores": {
                name: {
                    "score": float(table.full[row, system]),
                    "low": float(table.low[row, system]),
                    "high": float(table.high[row, system]),
                }
                for row, name in enumerate(table.metrics)
            },
        }


def _agreement_json(counts: AgreementByDelta) -> dict[str, Any]:
    return {
        "bins": [
            {
                "pairs": count.pairs,
                "mismatches": count.mismatches,
                "type_1": count.type_1,
                "sign_error": count.sign_error,
            }
            for count in counts.bins
        ],
        "ns": {"pairs": counts.ns_pairs, "mismatches": counts.type_2},
        "total_mismatch": round(counts.total_mismatch, DECIMALS),
    }
