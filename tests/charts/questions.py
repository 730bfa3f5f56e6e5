"""Documents of agreement, survey and precision for tests of charts: small made-up studies, hostile names."""

import json
from functools import cache
from typing import Any

import numpy as np

from app.statistics.precision import Precision, measure_precision
from app.statistics.question_agreement import measure_question, measure_strata
from app.statistics.ranking_stability import measure_stability
from app.statistics.survey import SurveyGrades, survey_table
from app.statistics.system_grades import SystemGrades, collect_grades
from tests.charts.study import SYSTEMS

ANNOTATORS = ("ann", "<b>bo</b>", "=cy", "del")
Document = dict[str, Any]


def stored(found: Any) -> Any:
    """As a page reads it: through JSON, and without NaN."""
    return json.loads(json.dumps(found, allow_nan=False))


@cache
def agreement() -> tuple[Document, tuple[Document, ...]]:
    """A question's agreement and its two strata; the fourth annotator shares too few items with the third."""
    rng = np.random.default_rng(5)
    rows = []
    for item in range(40):
        truth = rng.integers(0, 5)
        present = ANNOTATORS[:3] if item > 11 else (*ANNOTATORS[:2], ANNOTATORS[3])
        rows += [(f"i{item:02d}", who, float(np.clip(truth + rng.integers(-1, 2), 0, 4))) for who in present]
    items, annotators, labels = zip(*rows, strict=True)
    strata = {"nominal": [f"i{n:02d}" for n in range(20)], "<i>x</i>": [f"i{n:02d}" for n in range(20, 45)]}
    whole = measure_question(items, annotators, labels, top=4, draws=100)
    by_stratum = measure_strata(items, annotators, labels, strata, top=4, draws=100)
    return stored(whole.to_json()), tuple(stored(each.to_json()) for each in by_stratum)


@cache
def nobody() -> Document:
    found: Document = stored(measure_question([], [], [], draws=10).to_json())
    return found


@cache
def survey(*, empty: bool = False) -> Document:
    rng = np.random.default_rng(6)

    def grades(names: list[str], chances: list[float]) -> list[tuple[str, float]]:
        return [(name, float(rng.choice([0, 0.5, 1], p=chances))) for name in names for _ in range(0 if empty else 5)]

    nominal = [f"n{n}" for n in range(30)]
    perturbed = {name: [f"{name}{n}" for n in range(15)] for name in ("typos", "<i>x</i>")}
    pairs = {name: [f"pair {each}" for each in items] for name, items in perturbed.items()}
    natural = grades(nominal, [0, 0.1, 0.9]) + grades(
        [n for each in perturbed.values() for n in each], [0.3, 0.4, 0.3]
    )
    similar = grades([n for each in pairs.values() for n in each], [0.05, 0.15, 0.8])
    columns = [SurveyGrades([item for item, _ in rows], [grade for _, grade in rows]) for rows in (natural, similar)]
    found: Document = stored(survey_table(*columns, nominal, perturbed, pairs, draws=100).to_json())
    return found


@cache
def graded(*, grades: int = 2, spread: float = 1.0, problems: int = 30) -> SystemGrades:
    """Three systems, the better ones later, each problem graded in turn."""
    rng = np.random.default_rng(7)
    rows = [
        (f"p{problem:03d}/{s}", float(np.clip(round(1.5 + 0.4 * s + rng.normal(0, spread)), 0, 4)))
        for problem in range(problems)
        for _ in range(grades)
        for s in range(3)
    ]
    names = sorted({item for item, _ in rows})
    return collect_grades(
        [item for item, _ in rows],
        [grade for _, grade in rows],
        systems=SYSTEMS,
        systems_of={name: [SYSTEMS[int(name[-1])]] for name in names},
        problem_of={name: name[:4] for name in names},
        scale=(0, 4),
    )


@cache
def precision(*, grades: int = 2, spread: float = 1.0, problems: int = 30) -> Precision:
    return measure_precision(graded(grades=grades, spread=spread, problems=problems), draws=500)


@cache
def stability(*, spread: float = 1.0, problems: int = 30) -> Document:
    sure = np.array(precision(spread=spread, problems=problems).pairs["separated"])
    found: Document = stored(measure_stability(graded(spread=spread, problems=problems), sure).to_json())
    return found
