"""How far annotators agree on one question, as a whole and by stratum: all coefficients from the same draws."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.statistics.agreement import (
    COEFFICIENTS,
    NO_PAIRS,
    AnnotatorAgreement,
    coefficient_rows,
    summarise,
    why_undefined,
)
from app.statistics.coded_grades import CodedGrades, code_grades
from app.statistics.cohen import FEWEST_COMMON_ITEMS, JointGrades, PairAgreement, joint_grades, pair_agreements
from app.statistics.estimates import Estimate, ItemShare, estimate, item_share, summable
from app.statistics.grade_table import GradeTable, count_grades
from app.statistics.item_statistics import item_statistics
from app.statistics.resampling import draw_count_blocks

Floats = NDArray[np.float64]

# Margins of pairs times draws that are summed at most; very many pairs take fewer draws, never under 1,000.
PAIR_BUDGET = 50_000_000
FEWEST_PAIR_DRAWS = 1_000
BLOCK_BYTES = 2 * 2**20  # several products read each block of draws: one that stays in a core's cache halves the time


@dataclass(frozen=True, slots=True)
class TopCount:
    """How many items with so many grades have the top label so many times."""

    grades: int
    top: int
    items: int


@dataclass(frozen=True, slots=True)
class QuestionAgreement:
    """Agreement on one question over the items with at least two grades.

    coefficients: Fleiss' kappa and Krippendorff's alphas, with the items used and left out. same: mean over
    items of the share of equal pairs of grades (0-1). majority: items of which more than half of the grades are
    one label; top_majority: those of which they are ``top``. top_counts: "k of n say top" for every n. pairs:
    every two annotators with a common item, their intervals from ``pair_draws`` of the draws.
    """

    coefficients: AnnotatorAgreement
    same: Estimate
    majority: ItemShare
    top_majority: ItemShare
    top: float | None
    top_counts: tuple[TopCount, ...]
    annotators: tuple[str, ...]
    pairs: tuple[PairAgreement, ...]
    fewest_common_items: int
    pair_draws: int

    def at_least(self, top: int, grades: int) -> tuple[int, int]:
        """How many items with exactly ``grades`` grades have the top label ``top`` times or more, and of how many."""
        those = [each for each in self.top_counts if each.grades == grades]
        return sum(each.items for each in those if each.top >= top), sum(each.items for each in those)

    def to_json(self) -> dict[str, Any]:
        """Plain dicts, lists, numbers, strings and None."""
        plain = asdict(self)
        return plain | {"coefficients": self.coefficients.to_json()}


@dataclass(frozen=True, slots=True)
class StratumAgreement:
    """A stratum's items, how many of these have no grade, and the agreement on the rest."""

    name: str
    items: int
    items_without_grade: int
    agreement: QuestionAgreement

    def to_json(self) -> dict[str, Any]:
        """Plain dicts, lists, numbers, strings and None."""
        return {
            "name": self.name,
            "items": self.items,
            "items_without_grade": self.items_without_grade,
            "agreement": self.agreement.to_json(),
        }


def measure_question(
    items: Sequence[str],
    annotators: Sequence[str],
    labels: Sequence[float],
    *,
    top: float | None = None,
    fewest_common_items: int = FEWEST_COMMON_ITEMS,
    draws: int = 10_000,
    seed: int = 0,
) -> QuestionAgreement:
    """Agreement from one entry per grade: its item, its annotator, its value on a numeric scale.

    top: the scale's highest label; the highest one given where it is None. The draws resample the items with at
    least two grades and serve everything here; the coefficients are those of measure_agreement, to the byte.
    Raises StatisticsError for a grade that is no finite number and for a second one of an annotator on an item.
    Sources: as measure_agreement; Cohen 1960; Cohen 1968.
    """
    grades = code_grades(items, annotators, labels)
    table = count_grades(items, labels)
    used = table.with_at_least(2)
    if top is None and len(table.labels):
        top = float(table.labels[-1])
    joint, enough = _pairs(grades, table, fewest_common_items)
    pair_draws = min(draws, max(FEWEST_PAIR_DRAWS, PAIR_BUDGET // enough.width))
    values = _item_values(used, top)
    resampled, means, kappas = _resample(used, values, enough, draws=draws, pair_draws=pair_draws, seed=seed)
    return QuestionAgreement(
        coefficients=summarise(table, resampled, seed=seed),
        same=_same(values[:, 0], means[0]),
        majority=_share(values[:, 1], means[1]),
        top_majority=_share(values[:, 2], means[2]),
        top=top,
        top_counts=_top_counts(used, top),
        annotators=tuple(map(str, grades.workers)),
        pairs=pair_agreements(joint, list(map(str, grades.workers)), kappas, fewest_common_items),
        fewest_common_items=fewest_common_items,
        pair_draws=pair_draws,
    )


def measure_strata(
    items: Sequence[str],
    annotators: Sequence[str],
    labels: Sequence[float],
    strata: Mapping[str, Collection[str]],
    *,
    top: float | None = None,
    fewest_common_items: int = FEWEST_COMMON_ITEMS,
    draws: int = 10_000,
    seed: int = 0,
) -> tuple[StratumAgreement, ...]:
    """measure_question of each stratum, given by its items, by itself; strata may overlap, items be in none."""
    found = []
    for name, members in strata.items():
        inside = set(members)
        rows = [row for row in zip(items, annotators, labels, strict=True) if row[0] in inside]
        its_items, its_annotators, its_labels = zip(*rows, strict=True) if rows else ((), (), ())
        agreement = measure_question(
            its_items,
            its_annotators,
            its_labels,
            top=top,
            fewest_common_items=fewest_common_items,
            draws=draws,
            seed=seed,
        )
        found.append(StratumAgreement(name, len(inside), len(inside - set(its_items)), agreement))
    return tuple(found)


def _pairs(grades: CodedGrades, table: GradeTable, fewest: int) -> tuple[JointGrades, JointGrades]:
    """All pairs of annotators, and those with enough common items, over the used items' positions."""
    has_two = table.counts.sum(axis=1) >= 2
    position = (np.cumsum(has_two) - 1)[grades.task] if len(has_two) else grades.task
    joint = joint_grades(grades, position, int(np.count_nonzero(has_two)))
    return joint, joint.only(joint.items_and_equal()[0] >= fewest)


def _item_values(used: GradeTable, top: float | None) -> Floats:
    """Per item: share of equal pairs of grades, whether a label has the majority, and whether the top one has."""
    grades = used.counts.sum(axis=1)
    same = (used.counts * (used.counts - 1)).sum(axis=1) / (grades * (grades - 1))
    majority = 2 * used.counts.max(axis=1, initial=0) > grades
    top_majority = 2 * _top(used, top) > grades
    return summable(np.column_stack([same, majority, top_majority]).astype(np.float64))


def _top(used: GradeTable, top: float | None) -> Floats:
    """How often each item has the top label."""
    return np.asarray(used.counts[:, used.labels == top].sum(axis=1))


def _top_counts(used: GradeTable, top: float | None) -> tuple[TopCount, ...]:
    rows = np.column_stack([used.counts.sum(axis=1), _top(used, top)]).astype(int)
    kinds, items = np.unique(rows, axis=0, return_counts=True)
    return tuple(TopCount(int(n), int(k), int(count)) for (n, k), count in zip(kinds, items, strict=True))


def _same(values: Floats, draws: Floats) -> Estimate:
    return estimate(float(values.mean()), draws, len(values)) if len(values) else Estimate(None, reason=NO_PAIRS)


def _share(holds: Floats, draws: Floats) -> ItemShare:
    return item_share(holds, draws) if len(holds) else ItemShare(0, 0, None, reason=NO_PAIRS)


def _resample(
    used: GradeTable, values: Floats, pairs: JointGrades, *, draws: int, pair_draws: int, seed: int
) -> tuple[Floats, Floats, Floats]:
    """Coefficients (4, draws), means of the item values (3, draws), kappas (3, pairs, pair_draws)."""
    coefficients, means = np.empty((len(COEFFICIENTS), draws)), np.empty((values.shape[1], draws))
    kappas = np.empty((3, pairs.pairs, pair_draws))
    if len(values) == 0:
        return coefficients, means, kappas
    statistics = item_statistics(used) if why_undefined(used) is None else None
    for rows, counts in draw_count_blocks(len(values), draws, seed=seed, block_bytes=BLOCK_BYTES):
        means[:, rows] = (counts @ values).T / len(values)
        if statistics is not None:
            coefficients[:, rows] = coefficient_rows(statistics, counts)
        if pairs.pairs and rows.start < pair_draws:
            ours = slice(rows.start, min(rows.stop, pair_draws))
            kappas[:, :, ours] = pairs.kappas(counts[: ours.stop - ours.start])
    return coefficients, means, kappas
