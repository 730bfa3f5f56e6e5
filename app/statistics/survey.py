"""The survey of a robustness study: how natural nominal and perturbed prompts are, and whether the meaning is kept.

In the form of ReCode's human evaluation (Wang et al., ACL 2023): five annotators give 0, 0.5 or 1 for the naturalness
of single prompts, and for the semantic similarity of pairs of a nominal and a perturbed one.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.statistics.agreement import AgreementCoefficient, measure_agreement
from app.statistics.estimates import Estimate, estimate, summable
from app.statistics.grade_table import GradeTable, count_grades
from app.statistics.resampling import SECOND_SAMPLE_STREAM, mean_draws

Floats = NDArray[np.float64]

NATURALNESS, SIMILARITY = "naturalness", "similarity"
NOMINAL, PERTURBED = "nominal", "perturbed"
SCALE = (0.0, 0.5, 1.0)
NO_GRADE = "no item has a grade"


class SurveyGrades(NamedTuple):
    """Grades of one question, one entry each: item, value."""

    items: Sequence[str]
    labels: Sequence[float]

    def of(self, members: Collection[str]) -> "SurveyGrades":
        """Only those of these items."""
        inside = set(members)
        rows = [row for row in zip(self.items, self.labels, strict=True) if row[0] in inside]
        return SurveyGrades([item for item, _ in rows], [label for _, label in rows])


@dataclass(frozen=True, slots=True)
class LabelShare:
    """A label of the scale and its share of the grades (0-1)."""

    label: float
    share: Estimate


@dataclass(frozen=True, slots=True)
class SurveyRow:
    """One question on the items of one stratum.

    mean, shares: each graded item weighs the same, however many grades it has; with equal numbers these are the
    mean and the shares of all grades. kappa: Fleiss', over the items_with_two that have two grades or more.
    transformation: None for the pooled rows.
    """

    question: str
    prompts: str
    transformation: str | None
    mean: Estimate
    shares: tuple[LabelShare, ...]
    kappa: AgreementCoefficient
    items: int
    items_without_grade: int
    items_with_two: int
    grades: int


@dataclass(frozen=True, slots=True)
class SurveyTable:
    """All rows, and how much less natural the perturbed prompts are: mean of perturbed less mean of nominal."""

    rows: tuple[SurveyRow, ...]
    naturalness_change: Estimate
    draws: int
    seed: int

    def row(self, question: str, prompts: str, transformation: str | None = None) -> SurveyRow:
        """One of the rows; KeyError if there is none."""
        key = (question, prompts, transformation)
        for row in self.rows:
            if (row.question, row.prompts, row.transformation) == key:
                return row
        raise KeyError(key)

    def to_json(self) -> dict[str, Any]:
        """Plain dicts, lists, numbers, strings and None."""
        return asdict(self)


def survey_table(
    naturalness: SurveyGrades,
    similarity: SurveyGrades,
    nominal: Collection[str],
    perturbed: Mapping[str, Collection[str]],
    pairs: Mapping[str, Collection[str]],
    *,
    scale: Sequence[float] = SCALE,
    draws: int = 10_000,
    seed: int = 0,
) -> SurveyTable:
    """The survey's table: naturalness of nominal and perturbed prompts, similarity of pairs, by transformation.

    nominal, and by transformation perturbed: items that are asked for naturalness; pairs: by transformation,
    those asked for similarity. Grades of other items are left out. Intervals resample the items of each row by
    themselves; that of the change draws nominal and perturbed items independently, which is on the safe side
    where they are of the same problems. Raises StatisticsError for a grade that is no finite number.
    """
    options: dict[str, Any] = {"scale": scale, "draws": draws, "seed": seed}
    rows = [_row(NATURALNESS, NOMINAL, None, naturalness, set(nominal), **options)]
    for question, grades, strata in ((NATURALNESS, naturalness, perturbed), (SIMILARITY, similarity, pairs)):
        rows.append(_row(question, PERTURBED, None, grades, _pooled(strata), **options))
        rows += [_row(question, PERTURBED, name, grades, set(items), **options) for name, items in strata.items()]
    change = _change(naturalness.of(nominal), naturalness.of(_pooled(perturbed)), draws=draws, seed=seed)
    return SurveyTable(tuple(rows), change, draws, seed)


def _pooled(strata: Mapping[str, Collection[str]]) -> set[str]:
    return {item for items in strata.values() for item in items}


def _row(
    question: str,
    prompts: str,
    transformation: str | None,
    grades: SurveyGrades,
    members: set[str],
    *,
    scale: Sequence[float],
    draws: int,
    seed: int,
) -> SurveyRow:
    chosen = grades.of(members)
    table = count_grades(chosen.items, chosen.labels)
    labels = sorted({*scale, *table.labels.tolist()})
    mean, *shares = _estimates(_item_values(table, labels), draws=draws, seed=seed)
    agreement = measure_agreement(chosen.items, chosen.labels, draws=draws, seed=seed)
    return SurveyRow(
        question=question,
        prompts=prompts,
        transformation=transformation,
        mean=mean,
        shares=tuple(LabelShare(label, share) for label, share in zip(labels, shares, strict=True)),
        kappa=agreement.fleiss_kappa,
        items=len(table.counts),
        items_without_grade=len(members) - len(table.counts),
        items_with_two=agreement.items_used,
        grades=int(table.counts.sum()),
    )


def _item_values(table: GradeTable, labels: list[float]) -> Floats:
    """Per item the mean of its grades, then the share of each label: shape (items, 1 + labels)."""
    share = table.counts / table.counts.sum(axis=1, keepdims=True)
    columns = np.zeros((len(share), len(labels)))
    columns[:, np.searchsorted(labels, table.labels)] = share
    return summable(np.column_stack([_item_means(table), columns]))


def _item_means(table: GradeTable) -> Floats:
    return np.asarray((table.counts * table.labels).sum(axis=1) / table.counts.sum(axis=1))


def _estimates(values: Floats, *, draws: int, seed: int) -> list[Estimate]:
    if len(values) == 0:
        return [Estimate(None, reason=NO_GRADE)] * values.shape[1]
    means = mean_draws(values, draws, seed=seed)
    return [estimate(float(v.mean()), sample, len(v)) for v, sample in zip(values.T, means, strict=True)]


def _change(nominal: SurveyGrades, perturbed: SurveyGrades, *, draws: int, seed: int) -> Estimate:
    before, after = (summable(_item_means(count_grades(*grades))[:, np.newaxis]) for grades in (nominal, perturbed))
    for name, values in ((NOMINAL, before), (PERTURBED, after)):
        if len(values) == 0:
            return Estimate(None, reason=f"no {name} prompt has a grade")
    sample = mean_draws(after, draws, seed=seed, stream=SECOND_SAMPLE_STREAM) - mean_draws(before, draws, seed=seed)
    return estimate(float(after.mean() - before.mean()), sample[0], min(len(before), len(after)))
