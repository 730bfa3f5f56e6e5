"""What people say of perturbed prompts, by category and by transformation: ReCode's two surveys in full.

Puts ``survey_table`` together for both, and adds the check by majority: on which answer more than half of an item's
annotators agree.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.statistics.agreement import NO_PAIRS
from app.statistics.estimates import ItemShare, item_share, summable
from app.statistics.grade_table import GradeTable, count_grades
from app.statistics.resampling import mean_draws
from app.statistics.survey import (
    NATURALNESS,
    NOMINAL,
    PERTURBED,
    SCALE,
    SIMILARITY,
    SurveyGrades,
    SurveyTable,
    survey_table,
)

Floats = NDArray[np.float64]
Items = Mapping[str, Collection[str]]


@dataclass(frozen=True, slots=True)
class LabelMajority:
    """Of how many items more than half of the grades are this label."""

    label: float
    share: ItemShare


@dataclass(frozen=True, slots=True)
class MajorityRow:
    """The majorities on one question over the items of a stratum that have at least two grades.

    stratum: a category or a transformation; None for all. none: items on which no label has more than half.
    """

    question: str
    prompts: str
    stratum: str | None
    labels: tuple[LabelMajority, ...]
    none: ItemShare


@dataclass(frozen=True, slots=True)
class StrataSurvey:
    """The survey over one way to part the items; ``transformation`` of a row of ``table`` names its stratum."""

    table: SurveyTable
    majorities: tuple[MajorityRow, ...]


@dataclass(frozen=True, slots=True)
class RobustnessSurvey:
    """Both surveys by category (ReCode's Table 6 in its pooled rows, Table 8) and by transformation."""

    categories: StrataSurvey
    transformations: StrataSurvey

    def to_json(self) -> dict[str, Any]:
        """Plain dicts, lists, numbers, strings and None."""
        return asdict(self)


def robustness_survey(
    naturalness: SurveyGrades,
    similarity: SurveyGrades,
    nominal: Collection[str],
    perturbed: Items,
    pairs: Items,
    *,
    category_of: Mapping[str, str],
    scale: Sequence[float] = SCALE,
    draws: int = 10_000,
    seed: int = 0,
) -> RobustnessSurvey:
    """The surveys of survey_table, whose arguments these are, by category and by transformation, with majorities.

    category_of: of each transformation. Raises KeyError where one is missing, otherwise as survey_table. Source:
    ReCode, section 4.3 and Tables 6 and 8.
    """
    options: dict[str, Any] = {"scale": scale, "draws": draws, "seed": seed}
    by_category = (_merged(perturbed, category_of), _merged(pairs, category_of))
    found = [
        StrataSurvey(
            survey_table(naturalness, similarity, nominal, *strata, **options),
            _majorities(naturalness, similarity, nominal, strata, **options),
        )
        for strata in (by_category, (perturbed, pairs))
    ]
    return RobustnessSurvey(*found)


def _merged(strata: Items, category_of: Mapping[str, str]) -> dict[str, set[str]]:
    merged: dict[str, set[str]] = {}
    for name, items in strata.items():
        merged.setdefault(category_of[name], set()).update(items)
    return merged


def _majorities(
    naturalness: SurveyGrades,
    similarity: SurveyGrades,
    nominal: Collection[str],
    strata: tuple[Items, Items],
    **options: Any,
) -> tuple[MajorityRow, ...]:
    """In the order of the table's rows."""
    rows = [_row((NATURALNESS, NOMINAL, None), naturalness.of(nominal), **options)]
    for question, grades, parts in ((NATURALNESS, naturalness, strata[0]), (SIMILARITY, similarity, strata[1])):
        whole = {item for items in parts.values() for item in items}
        rows.append(_row((question, PERTURBED, None), grades.of(whole), **options))
        rows += [_row((question, PERTURBED, name), grades.of(items), **options) for name, items in parts.items()]
    return tuple(rows)


def _row(
    key: tuple[str, str, str | None], grades: SurveyGrades, *, scale: Sequence[float], draws: int, seed: int
) -> MajorityRow:
    table = count_grades(grades.items, grades.labels).with_at_least(2)
    labels = sorted({*scale, *table.labels.tolist()})
    holds = _majority_of(table, labels)
    if len(holds) == 0:
        found = [ItemShare(0, 0, None, reason=NO_PAIRS)] * holds.shape[1]
    else:
        found = [item_share(*each) for each in zip(holds.T, mean_draws(holds, draws, seed=seed), strict=True)]
    *shares, none = found
    return MajorityRow(*key, tuple(map(LabelMajority, labels, shares)), none)


def _majority_of(table: GradeTable, labels: list[float]) -> Floats:
    """Per item whether each label has more than half of its grades, then whether none has: (items, labels + 1)."""
    holds = np.zeros((len(table.counts), len(labels) + 1))
    holds[:, np.searchsorted(labels, table.labels)] = 2 * table.counts > table.counts.sum(axis=1, keepdims=True)
    holds[:, -1] = 1 - holds[:, :-1].sum(axis=1)
    return summable(holds)
