"""How far annotators agree: generalised Fleiss' kappa and Krippendorff's alpha, with bootstrap intervals.

Each coefficient is a function of sums over items, so that a resample of the items is a row of draw counts
times the items' sufficient statistics.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.statistics.errors import StatisticsError
from app.statistics.grade_table import GradeTable, count_grades
from app.statistics.intervals import percentile_interval
from app.statistics.item_statistics import ItemStatistics, ItemTotals, item_statistics
from app.statistics.resampling import draw_count_blocks

Floats = NDArray[np.float64]

DECIMALS = 10
# Upper ends of Landis & Koch's (1977) ranges, and their words; below 0 is "poor".
LANDIS_KOCH = (
    (0.2, "slight"),
    (0.4, "fair"),
    (0.6, "moderate"),
    (0.8, "substantial"),
    (1.0, "almost perfect"),
)
# Why a coefficient is undefined.
NO_PAIRS = "no item has two grades"
ONE_LABEL = "all grades are the same, so that chance alone gives full agreement"


@dataclass(frozen=True, slots=True)
class AgreementCoefficient:
    """One coefficient, at most 1 (perfect), 0 being chance, with its 95 % percentile interval.

    value is None, with the reason named, where it is undefined. low and high are None, too, where a single item
    leaves nothing to resample. draws_left_out: draws of items in which it was undefined.
    """

    value: float | None
    low: float | None
    high: float | None
    word: str | None
    draws_left_out: int = 0
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class GradesPerItem:
    """How many grades an item has: smallest, mean, largest, and how many items have each number."""

    smallest: int
    mean: float
    largest: int
    items_by_count: dict[int, int]


@dataclass(frozen=True, slots=True)
class AnnotatorAgreement:
    """Agreement over the items with at least two grades.

    items_used: those; items_left_out: items with a single grade; grades_used: grades of the used items.
    """

    fleiss_kappa: AgreementCoefficient
    alpha_nominal: AgreementCoefficient
    alpha_ordinal: AgreementCoefficient
    alpha_interval: AgreementCoefficient
    items_used: int
    items_left_out: int
    grades_used: int
    grades_per_item: GradesPerItem | None
    draws: int
    seed: int

    def to_json(self) -> dict[str, Any]:
        """Plain dicts, numbers, strings and None; JSON's keys are strings."""
        used = {
            "items_used": self.items_used,
            "items_left_out": self.items_left_out,
            "grades_used": self.grades_used,
            "draws": self.draws,
            "seed": self.seed,
        }
        alpha = {
            "nominal": self.alpha_nominal,
            "ordinal": self.alpha_ordinal,
            "interval": self.alpha_interval,
        }
        return {
            "fleiss_kappa": asdict(self.fleiss_kappa) | used,
            "krippendorff_alpha": {level: asdict(value) for level, value in alpha.items()} | used,
            "grades_per_item": grades_per_item_json(self.grades_per_item),
        }


def grades_per_item_json(grades: GradesPerItem | None) -> dict[str, Any] | None:
    """Plain, with strings as keys."""
    if grades is None:
        return None
    by_count = {str(count): items for count, items in grades.items_by_count.items()}
    return asdict(grades) | {"items_by_count": by_count}


def measure_agreement(
    items: Sequence[str], grades: Sequence[float], *, draws: int = 10_000, seed: int = 0
) -> AnnotatorAgreement:
    """Agreement of the annotators from one entry per grade: its item, and its value on a numeric scale.

    Who gave a grade does not matter to these coefficients; an annotator has at most one grade per item. Items
    with a single grade tell nothing about agreement and are left out, counted. The interval comes from
    ``draws`` resamples of the used items. Raises StatisticsError for a grade that is not a finite number.
    Sources: Fleiss 1971 with P_i over n_i(n_i-1) and pooled category shares; Krippendorff 2011, "Computing
    Krippendorff's Alpha-Reliability"; Landis & Koch 1977.
    """
    table = count_grades(items, grades)
    used = table.with_at_least(2)
    resampled = np.empty((len(COEFFICIENTS), draws))
    if why_undefined(used) is None:
        statistics = item_statistics(used)
        for rows, counts in draw_count_blocks(len(used.counts), draws, seed=seed):
            resampled[:, rows] = coefficient_rows(statistics, counts)
    return summarise(table, resampled, seed=seed)


def why_undefined(used: GradeTable) -> str | None:
    """Why no coefficient is defined on these items, each with at least two grades; None where they may be."""
    if len(used.counts) == 0:
        return NO_PAIRS
    return ONE_LABEL if len(used.labels) == 1 else None


def coefficient_rows(statistics: ItemStatistics, counts: Floats) -> Floats:
    """All coefficients on rows of draw counts, (rows, items) to (coefficients, rows); NaN where undefined."""
    totals = statistics.totals(counts)
    return np.stack([coefficient(totals) for coefficient in COEFFICIENTS])


def summarise(table: GradeTable, resampled: Floats, *, seed: int) -> AnnotatorAgreement:
    """The coefficients of a table with their intervals from draws, shape (coefficients, draws)."""
    used = table.with_at_least(2)
    reason = why_undefined(used)
    if reason:
        found = [undefined(reason)] * len(COEFFICIENTS)
    else:
        point = coefficient_rows(item_statistics(used), np.ones((1, len(used.counts))))[:, 0]
        items = len(used.counts)
        found = [coefficient_of(float(value), drawn, items) for value, drawn in zip(point, resampled, strict=True)]
    kappa, nominal, ordinal, interval = found
    return AnnotatorAgreement(
        fleiss_kappa=kappa,
        alpha_nominal=nominal,
        alpha_ordinal=ordinal,
        alpha_interval=interval,
        items_used=len(used.counts),
        items_left_out=len(table.counts) - len(used.counts),
        grades_used=int(used.counts.sum()),
        grades_per_item=count_per_item(table),
        draws=resampled.shape[1],
        seed=seed,
    )


def fleiss_kappa(totals: ItemTotals) -> Floats:
    """(P - Pe) / (1 - Pe): P the mean over items of agreeing pairs, Pe from pooled shares; shape (rows,)."""
    observed = totals.item_agreement / totals.items
    shares = totals.label_counts / totals.label_counts.sum(axis=1, keepdims=True)
    expected = (shares * shares).sum(axis=1)
    return ratio(observed - expected, 1 - expected)


def alpha_nominal(totals: ItemTotals) -> Floats:
    """Krippendorff's alpha with any two different grades equally far apart; shape (rows,)."""
    n = totals.label_counts.sum(axis=1)
    observed = n - totals.same_label_pairs
    expected = (n * n - (totals.label_counts**2).sum(axis=1)) / (n - 1)
    return ratio(expected - observed, expected)


def alpha_interval(totals: ItemTotals) -> Floats:
    """Krippendorff's alpha with the squared difference of the grades as distance; shape (rows,)."""
    return _alpha_of_positions(totals, np.broadcast_to(totals.labels, totals.label_counts.shape))


def alpha_ordinal(totals: ItemTotals) -> Floats:
    """Krippendorff's alpha with the squared difference of mid-ranks as distance; shape (rows,).

    The published ordinal distance, (sum of n_g from c to k, less (n_c + n_k)/2) squared, is just that.
    """
    counts = totals.label_counts
    return _alpha_of_positions(totals, counts.cumsum(axis=1) - counts / 2)


def _alpha_of_positions(totals: ItemTotals, positions: Floats) -> Floats:
    """Alpha where labels c and k are (position_c - position_k)² apart; positions: shape (rows, labels)."""
    counts = totals.label_counts
    n = counts.sum(axis=1)
    mean = (counts * positions).sum(axis=1, keepdims=True) / n[:, np.newaxis]
    squares = (counts * (positions - mean) ** 2).sum(axis=1)
    expected = 2 * n * squares / (n - 1)
    return ratio(expected - totals.observed_disagreement(positions), expected)


# In the order of AnnotatorAgreement.
COEFFICIENTS = (fleiss_kappa, alpha_nominal, alpha_ordinal, alpha_interval)


def ratio(numerator: Floats, denominator: Floats) -> Floats:
    """Their quotient; NaN, which never leaves this room, where the denominator is 0."""
    defined = np.abs(denominator) > 1e-12
    return np.where(defined, numerator / np.where(defined, denominator, 1), np.nan)


def coefficient_of(value: float, resampled: Floats, items: int) -> AgreementCoefficient:
    """The coefficient over so many items with the interval of its draws; NaN, in either, is where it is undefined."""
    if np.isnan(value):
        return undefined("chance alone gives full agreement")
    defined = resampled[np.isfinite(resampled)]
    left_out = len(resampled) - len(defined)
    value = round(value, DECIMALS)
    if items < 2 or len(defined) == 0:
        return AgreementCoefficient(value, None, None, landis_koch(value), left_out)
    low, high = (round(float(end), DECIMALS) for end in percentile_interval(defined))
    return AgreementCoefficient(value, low, high, landis_koch(value), left_out)


def undefined(reason: str) -> AgreementCoefficient:
    """No coefficient, and why."""
    return AgreementCoefficient(None, None, None, None, reason=reason)


def landis_koch(value: float) -> str:
    """Landis & Koch's word for a coefficient: poor, slight, fair, moderate, substantial, almost perfect."""
    if value < 0:
        return "poor"
    for upper, word in LANDIS_KOCH:
        if value <= upper:
            return word
    raise StatisticsError(f"An agreement of {value} is above 1.")


def count_per_item(table: GradeTable) -> GradesPerItem | None:
    """None where there is no item."""
    per_item = table.counts.sum(axis=1).astype(int)
    if len(per_item) == 0:
        return None
    sizes, items = np.unique(per_item, return_counts=True)
    by_count = dict(zip(sizes.tolist(), items.tolist(), strict=True))
    return GradesPerItem(int(per_item.min()), round(float(per_item.mean()), DECIMALS), int(per_item.max()), by_count)
