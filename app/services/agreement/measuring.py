"""From a study's grades to the documents that pages show and exports hold."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from typing import Any

import numpy as np

from app import __version__
from app.ids import content_hash
from app.services.agreement import naturalness
from app.services.agreement.changes import Changes
from app.services.agreement.inputs import CountedGrade, QuestionGrades, StudyGrades
from app.services.agreement.parameters import AgreementParameters
from app.services.analysis.computation import canonical_json
from app.statistics.errors import StatisticsError
from app.statistics.precision import Precision, measure_precision
from app.statistics.question_agreement import measure_question, measure_strata
from app.statistics.ranking_stability import measure_stability
from app.statistics.survey import SCALE, SurveyGrades, survey_table
from app.statistics.system_grades import collect_grades

Document = dict[str, Any]

PACKAGES = ("numpy", "scipy")  # whose version can change a number
PRECISION_DRAWS = 2_000
MOST_PAIRS = 2_000  # of systems that are measured one by one: all pairs of sixty


@dataclass(frozen=True)
class Measuring:
    """One thing to measure: ``signature`` is all that decides the result, ``measure`` makes the rest of it."""

    kind: str
    question: str
    about: dict[str, str]
    signature: dict[str, Any]
    measure: Callable[[], Document]

    @property
    def fingerprint(self) -> str:
        """The same again is the same result."""
        return content_hash(self.kind, canonical_json(self.about), canonical_json(self.signature))

    def document(self) -> Document:
        """The whole of it."""
        return {"kind": self.kind, "study": self.about, "signature": self.signature, **self.measure()}


def plan(data: StudyGrades, parameters: AgreementParameters) -> Iterator[Measuring]:
    """Everything that can be measured of the study, question by question, then the survey of prompts; and how
    natural a perturbed set's changes are, where the study was made to ask that."""
    for each in data.questions:
        inputs: list[Any] = [_said(grade) for grade in each.grades]
        strata = {name: sorted(members) for name, members in each.strata.items()}
        made_of: list[Any] = [each.question.about, sorted(each.keys), strata, inputs]
        measure = partial(_agreement, each, parameters.draws, data.seed)
        yield _measuring(data, ("agreement", each.question.name), parameters.draws, made_of, measure)
    for each in data.about_outputs:
        ordered = each.in_order(data.seed)
        made_of = [each.question.about, data.ownership.systems, _owners(data, each), [_said(one) for one in ordered]]
        measure = partial(_enough, data, each, ordered)
        yield _measuring(data, ("enough", each.question.name), PRECISION_DRAWS, made_of, measure)
    if any(data.survey):
        made_of = [*map(_survey_inputs, data.survey)]
        measure = partial(_survey, *data.survey, parameters.draws, data.seed)
        yield _measuring(data, ("survey", ""), parameters.draws, made_of, measure)
        if data.changes is not None:
            made_of += [naturalness.inputs_of(data.changes)]
            measure = partial(_naturalness, data, data.changes, parameters.draws)
            yield _measuring(data, ("naturalness", ""), parameters.draws, made_of, measure)


def _measuring(
    data: StudyGrades, subject: tuple[str, str], draws: int, inputs: object, measure: Callable[[], Document]
) -> Measuring:
    kind, question = subject
    signature = {
        "codejury": __version__,
        "parameters": {"question": question, "draws": draws, "seed": data.seed},
        "inputs_sha256": content_hash(canonical_json(inputs)),
        "packages": {name: version(name) for name in PACKAGES},
    }
    return Measuring(kind, question, data.about, signature, measure)


def _said(grade: CountedGrade) -> list[Any]:
    return [grade.item, grade.annotator, grade.value, sorted(grade.labels)]


def _agreement(data: QuestionGrades, draws: int, seed: int) -> Document:
    """Agreement on the answers; on labels, on each of them by itself, given or not."""
    question = data.question
    top = question.bounds[1] if question.bounds else 1.0
    answers: dict[str | None, Sequence[float]] = (
        {name: [float(name in each.labels) for each in data.grades] for name in question.labels}
        if question.labels
        else {None: [each.value or 0.0 for each in data.grades]}
    )
    parts = [{"label": name, **_part(data, values, top, draws, seed)} for name, values in answers.items()]
    return {
        "asked": question.about,
        "items": len(data.keys),
        "items_without_grade": len(data.keys - {each.item for each in data.grades}),
        "grades": len(data.grades),
        "parts": parts,
    }


def _part(data: QuestionGrades, values: Sequence[float], top: float, draws: int, seed: int) -> Document:
    items, people = [each.item for each in data.grades], [each.annotator for each in data.grades]
    options: dict[str, Any] = {"top": top, "draws": draws, "seed": seed}
    whole = measure_question(items, people, values, **options)
    strata = [each.to_json() for each in measure_strata(items, people, values, data.strata, **options)]
    for each in strata:
        del each["agreement"]["pairs"]  # pairs of annotators share too few items of one stratum
    return {"agreement": whole.to_json(), "strata": strata}


def _owners(data: StudyGrades, question: QuestionGrades) -> dict[str, tuple[str, ...]]:
    owners = data.ownership.owners
    return {item.key: owners[item.key] for item in question.items if item.key in owners}


def _enough(data: StudyGrades, question: QuestionGrades, ordered: Sequence[CountedGrade]) -> Document:
    """Precision now and projected, of the systems and of their pairs, and how the ranking came about."""
    known: Document = {"asked": question.question.about, "of_one_moment": question.of_one_moment}
    bounds = question.question.bounds or (0.0, 1.0)
    try:
        grades = collect_grades(
            [each.item for each in ordered],
            [each.value or 0.0 for each in ordered],
            systems=data.ownership.systems,
            systems_of=_owners(data, question),
            problem_of={item.key: item.problem for item in question.items},
            scale=bounds,
        )
    except StatisticsError as error:
        return known | {"reason": str(error), "precision": None, "stability": None, "pairs": []}
    precision = measure_precision(grades, draws=PRECISION_DRAWS, seed=data.seed)
    sure = np.array(precision.pairs["separated"], dtype=np.bool_)
    return known | {
        "reason": None,
        "precision": precision.to_json(),
        "stability": measure_stability(grades, sure).to_json(),
        "pairs": [precision.pair(*names).to_json() for names in _closest_pairs(precision)],
    }


def _closest_pairs(precision: Precision) -> list[tuple[str, str]]:
    """All pairs in the order of the systems; of very many those that lie closest together."""
    columns = precision.pairs
    pairs = list(zip(columns["first"], columns["second"], columns["difference"], strict=True))
    if len(pairs) > MOST_PAIRS:
        closest = sorted(pairs, key=lambda pair: (pair[2] is None, abs(pair[2] or 0), pair[:2]))
        pairs = sorted(closest[:MOST_PAIRS], key=lambda pair: pair[:2])
    return [(precision.systems[first], precision.systems[second]) for first, second, _ in pairs]


def _survey_inputs(data: QuestionGrades | None) -> object:
    if data is None:
        return None
    strata = {name: sorted(members) for name, members in data.by_transformation.items()}
    return [data.question.about, sorted(data.unchanged), strata, [_said(grade) for grade in data.grades]]


def _survey(natural: QuestionGrades | None, similar: QuestionGrades | None, draws: int, seed: int) -> Document:
    table = survey_table(
        _survey_grades(natural),
        _survey_grades(similar),
        natural.unchanged if natural else (),
        natural.by_transformation if natural else {},
        similar.by_transformation if similar else {},
        scale=_scale(natural, similar),
        draws=draws,
        seed=seed,
    )
    return {"asked": _about(natural, similar), "survey": table.to_json()}


def _naturalness(data: StudyGrades, changes: Changes, draws: int) -> Document:
    natural, similar = data.survey
    measured = naturalness.measure_naturalness(
        (_survey_grades(natural), _survey_grades(similar)),
        natural.unchanged if natural else frozenset(),
        (natural.by_transformation if natural else {}, similar.by_transformation if similar else {}),
        changes,
        scale=_scale(natural, similar),
        draws=draws,
        seed=data.seed,
    )
    return {"asked": _about(natural, similar), **measured}


def _about(*asked: QuestionGrades | None) -> list[dict[str, Any]]:
    return [each.question.about for each in asked if each is not None]


def _scale(*asked: QuestionGrades | None) -> list[float]:
    return sorted({value for each in asked if each is not None for value in each.question.values} or SCALE)


def _survey_grades(data: QuestionGrades | None) -> SurveyGrades:
    grades = data.grades if data else ()
    return SurveyGrades([each.item for each in grades], [each.value or 0.0 for each in grades])
