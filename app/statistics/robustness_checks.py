"""Which automatic check predicts what people call unnatural, or changed in meaning?

A check scores how alike a perturbed prompt is to its nominal one: the cosine of sentence embeddings, CodeBLEU's
syntax or data flow. It is held against people's grades of the same items: the area under the ROC curve against their
verdict, and rank correlations with their mean grade. In a draw of the items each counts as often as it is drawn, so
that all three are sums weighted by draw counts.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.statistics.agreement import ratio
from app.statistics.errors import StatisticsError
from app.statistics.estimates import DECIMALS, FEWEST, Estimate, estimate
from app.statistics.execution_agreement import superiority
from app.statistics.grade_table import count_grades
from app.statistics.randomisation import tail_share
from app.statistics.resampling import draw_count_blocks
from app.statistics.survey import SurveyGrades

Floats = NDArray[np.float64]
Booleans = NDArray[np.bool_]
Indices = NDArray[np.intp]
Verdict = Literal["majority", "mean"]

LIMIT = 0.5  # of the scale 0, 0.5, 1: grades up to here say that a prompt is not natural, or its meaning changed
BLOCK_BYTES = 2 * 2**20  # several arrays of a block's size are alive at a time
# Why a number is undefined.
NO_ITEM = "no item has both a grade and a score"
NO_FAULT = "people find fault with no item"
ALL_FAULTS = "people find fault with every item"
NO_SPREAD = "all items have the same score or the same mean grade"


@dataclass(frozen=True, slots=True)
class CheckAgainstPeople:
    """One check against people, over the items that have both a score and a grade.

    auc: the chance that the check scores an item that people call unnatural lower than one that they don't, ties
    half; 0.5 is chance, 1 perfect. kendall (tau-b), spearman: rank correlation of score and mean grade, -1 to 1.
    Without an interval where there are fewer than FEWEST items, for auc of either kind.
    unnatural: how many of the items people call so; items_left_out: graded ones without a score.
    """

    check: str
    auc: Estimate
    kendall: Estimate
    spearman: Estimate
    items: int
    unnatural: int
    items_left_out: int


@dataclass(frozen=True, slots=True)
class CheckDifference:
    """AUC of the first check less that of the second over the items that both score, paired.

    p: two-sided, the share of draws that stray from the difference by at least its size; None where it is undefined.
    Neither p nor an interval where there are fewer than FEWEST items of either kind.
    """

    first: str
    second: str
    difference: Estimate
    p: float | None
    items: int


@dataclass(frozen=True, slots=True)
class ChecksAgainstPeople:
    """All checks, in the order given, and every two of them compared; ``verdict`` and ``limit``: as asked."""

    checks: tuple[CheckAgainstPeople, ...]
    differences: tuple[CheckDifference, ...]
    verdict: Verdict
    limit: float
    draws: int
    seed: int

    def to_json(self) -> dict[str, Any]:
        """Plain dicts, lists, numbers, strings and None."""
        return asdict(self)


class _Answers(NamedTuple):
    """What people say of each item: the mean grade, and whether they call it unnatural."""

    names: list[str]
    mean: Floats
    is_unnatural: Booleans


def checks_against_people(
    grades: SurveyGrades,
    scores: Mapping[str, Mapping[str, float]],
    *,
    verdict: Verdict = "majority",
    limit: float = LIMIT,
    draws: int = 10_000,
    seed: int = 0,
) -> ChecksAgainstPeople:
    """Hold checks against the grades of one question; for similarity read "changed in meaning" for "unnatural".

    scores: of each check by item, higher meaning more alike; an item may lack a score. People call an item unnatural
    where more than half of its grades ("majority") or the mean of them ("mean") are at most ``limit``. Intervals and
    p come from ``draws`` resamples of the items; draws in which a number is undefined are left out. Raises
    StatisticsError for a score that is no finite number. Sources: Hanley & McNeil 1982; Kendall 1945 (tau-b); Efron &
    Tibshirani 1993, chapters 13 and 16.
    """
    _refuse_bad_scores(scores)
    answers = _answers(grades, verdict, limit)
    found = [_check(name, answers, scores[name], draws=draws, seed=seed) for name in scores]
    pairs = [
        _difference((a, b), answers, (scores[a], scores[b]), draws=draws, seed=seed)
        for a, b in combinations(scores, 2)
    ]
    return ChecksAgainstPeople(tuple(found), tuple(pairs), verdict, limit, draws, seed)


def _refuse_bad_scores(scores: Mapping[str, Mapping[str, float]]) -> None:
    for check, by_item in scores.items():
        for item, score in by_item.items():
            if not np.isfinite(score):
                raise StatisticsError(f"{check}: the score of {item} is {score}; leave items without one out.")


def _answers(grades: SurveyGrades, verdict: Verdict, limit: float) -> _Answers:
    table = count_grades(grades.items, grades.labels)
    given = table.counts.sum(axis=1)
    mean = (table.counts @ table.labels) / given
    low = table.counts[:, table.labels <= limit].sum(axis=1)
    is_unnatural = 2 * low > given if verdict == "majority" else mean <= limit
    return _Answers(sorted(set(map(str, grades.items))), np.round(mean, DECIMALS), is_unnatural)


def _check(name: str, answers: _Answers, scores: Mapping[str, float], *, draws: int, seed: int) -> CheckAgainstPeople:
    rows = _scored(answers, scores)
    x = np.array([scores[answers.names[row]] for row in rows], dtype=np.float64)
    mean, is_unnatural = answers.mean[rows], answers.is_unnatural[rows]
    why = _why_no_area(is_unnatural)
    flat = NO_ITEM if len(rows) == 0 else NO_SPREAD if np.ptp(x) == 0 or np.ptp(mean) == 0 else None
    samples = np.empty((3, 1 + draws))
    if len(rows):
        order = _Order.of(x)
        for block, counts in _blocks(len(rows), draws, seed=seed):
            samples[0, block] = _area(counts, order, is_unnatural)
            samples[1, block] = weighted_kendall(counts, x, mean)
            samples[2, block] = weighted_spearman(counts, x, mean)
    auc = _estimate(samples[0], _of_rarer_kind(is_unnatural), why)
    tau, rho = (_estimate(each, len(rows), flat) for each in samples[1:])
    left_out = len(answers.names) - len(rows)
    return CheckAgainstPeople(name, auc, tau, rho, len(rows), int(np.count_nonzero(is_unnatural)), left_out)


def _scored(answers: _Answers, *scores: Mapping[str, float]) -> list[int]:
    return [row for row, name in enumerate(answers.names) if all(name in each for each in scores)]


def _blocks(items: int, draws: int, *, seed: int) -> Any:
    """All items once, then the draws: pairs of a place and draw counts."""
    yield slice(0, 1), np.ones((1, items))
    for rows, counts in draw_count_blocks(items, draws, seed=seed, block_bytes=BLOCK_BYTES):
        yield slice(1 + rows.start, 1 + rows.stop), counts


def _difference(
    pair: tuple[str, str],
    answers: _Answers,
    scores: tuple[Mapping[str, float], Mapping[str, float]],
    *,
    draws: int,
    seed: int,
) -> CheckDifference:
    rows = _scored(answers, *scores)
    is_unnatural = answers.is_unnatural[rows]
    why = _why_no_area(is_unnatural)
    if why:
        return CheckDifference(*pair, Estimate(None, reason=why), None, len(rows))
    orders = [_Order.of(np.array([each[answers.names[row]] for row in rows])) for each in scores]
    samples = np.empty(1 + draws)
    for block, counts in _blocks(len(rows), draws, seed=seed):
        first, second = (_area(counts, order, is_unnatural) for order in orders)
        samples[block] = np.round(first - second, DECIMALS)
    found = _estimate(samples, _of_rarer_kind(is_unnatural), None)
    if found.low is None:
        return CheckDifference(*pair, found, None, len(rows))
    strays = np.round(samples[1:][np.isfinite(samples[1:])] - samples[0], DECIMALS)
    return CheckDifference(*pair, found, tail_share(strays, float(samples[0])), len(rows))


def _why_no_area(is_unnatural: Booleans) -> str | None:
    if len(is_unnatural) == 0:
        return NO_ITEM
    if not is_unnatural.any():
        return NO_FAULT
    return ALL_FAULTS if is_unnatural.all() else None


def _of_rarer_kind(is_unnatural: Booleans) -> int:
    unnatural = int(np.count_nonzero(is_unnatural))
    return min(unnatural, len(is_unnatural) - unnatural)


def _estimate(samples: Floats, items: int, reason: str | None) -> Estimate:
    """samples: the value on all items, then those of the draws, NaN where undefined; items: what FEWEST is held
    against."""
    if reason:
        return Estimate(None, reason=reason)
    defined = samples[1:][np.isfinite(samples[1:])]
    is_enough = items >= FEWEST and len(defined)
    return estimate(float(samples[0]), defined, items if is_enough else 1)


class _Order(NamedTuple):
    """Items in rising order of a value: their places, and where each group of equal ones starts."""

    places: Indices
    starts: Indices

    @classmethod
    def of(cls, values: Floats) -> "_Order":
        places = np.argsort(values, kind="stable")
        changes = np.diff(values[places], prepend=np.nan) != 0
        return cls(places, np.flatnonzero(changes))


def _area(counts: Floats, order: _Order, is_unnatural: Booleans) -> Floats:
    """The area under the ROC curve in each row of draw counts; NaN where either kind of item is missing."""
    kinds = [counts * is_unnatural, counts * ~is_unnatural]
    totals = [np.add.reduceat(each[:, order.places], order.starts, axis=1) for each in kinds]
    return superiority(np.stack(totals, axis=1), np.empty(0), np.empty(0, dtype=np.bool_))


def weighted_kendall(counts: Floats, x: Floats, y: Floats) -> Floats:
    """Kendall's tau-b where item i is held counts[b, i] times: (B, n) to (B,); NaN where x or y is constant.

    Twice the concordant less the discordant pairs is a quadratic form of the counts; copies of an item are ties.
    """
    x_order, y_order = (np.sign(each[:, np.newaxis] - each) for each in (x, y))
    concordance = ((counts @ (x_order * y_order)) * counts).sum(axis=1)
    x_untied, y_untied = (_untied(counts, _Order.of(each)) for each in (x, y))
    return ratio(concordance, np.sqrt(x_untied * y_untied))


def _untied(counts: Floats, order: _Order) -> Floats:
    """Twice the pairs of held items with different values: all pairs less those within a group of equal ones."""
    groups = np.add.reduceat(counts[:, order.places], order.starts, axis=1)
    return np.asarray(groups.sum(axis=1) ** 2 - (groups**2).sum(axis=1))


def weighted_spearman(counts: Floats, x: Floats, y: Floats) -> Floats:
    """Spearman's rho, Pearson's r of mid-ranks, where item i is held counts[b, i] times; (B, n) to (B,), or NaN."""
    a, b = (_centred_ranks(counts, _Order.of(each)) for each in (x, y))
    covariance, x_spread, y_spread = ((counts * each).sum(axis=1) for each in (a * b, a * a, b * b))
    return ratio(covariance, np.sqrt(x_spread * y_spread))


def _centred_ranks(counts: Floats, order: _Order) -> Floats:
    """Each item's mid-rank in the draw less the mean rank; (B, n)."""
    groups = np.add.reduceat(counts[:, order.places], order.starts, axis=1)
    middle = groups.cumsum(axis=1) - (groups + groups.sum(axis=1, keepdims=True)) / 2
    sizes = np.diff(order.starts, append=len(order.places))
    ranks = np.empty(counts.shape)
    ranks[:, order.places] = np.repeat(middle, sizes, axis=1)
    return ranks
