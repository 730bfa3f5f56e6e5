"""What the pages about the grades themselves show: agreement, the survey of prompts, and whether it is enough."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.charts import cohen_map, half_widths, question_agreement, ranking_over_time, survey
from app.charts.exhibit import Exhibit
from app.charts.tables import Table
from app.errors import InvalidInput, NotFound
from app.services.agreement import StoredMeasurement, find_measurement
from app.services.agreement.questions import (
    AskedQuestion,
    asked_questions,
    questions_about_outputs,
    survey_questions,
)
from app.services.dashboards.naturalness import study_exhibits
from app.services.dashboards.naturalness_of_sets import people_exhibits
from app.services.studies import slugify
from app.storage.models import Annotator, Grade, Item, Study, System
from app.words import gettext

Pair = tuple[str, str]
WEIGHTS = tuple(cohen_map.WEIGHTS)
MOST_PAIRS_SHOWN = 500  # of annotators, on a page; files hold all


@dataclass(frozen=True)
class Asked:
    """What a study asks that can be measured: ``questions`` in order, ``has_survey`` of a robustness study."""

    questions: tuple[AskedQuestion, ...]
    about_outputs: tuple[AskedQuestion, ...]
    has_survey: bool

    def choose(self, name: str | None, *, about_outputs: bool = False) -> AskedQuestion | None:
        """The question asked for, by default the first; NotFound for a name that the study doesn't ask."""
        among = self.about_outputs if about_outputs else self.questions
        if name is None:
            return among[0] if among else None
        for question in among:
            if question.name == name:
                return question
        raise NotFound(gettext("This study has no such question to measure."))


def what_is_asked(session: Session, study: Study) -> Asked:
    """The study's measurable questions."""
    questions = asked_questions(session, study)
    return Asked(
        tuple(questions), tuple(questions_about_outputs(questions)), any(map(bool, survey_questions(questions)))
    )


def what_is_missing(session: Session, study: Study, asked: Asked) -> list[str]:
    """What the study lacks before its grades can be measured, each with what to do."""
    items = select(Item.id).where(Item.study_id == study.id).limit(1)
    grades = select(Grade.id).join(Annotator, Annotator.id == Grade.annotator_id)
    if not asked.questions:
        return [gettext("A question with a scale: comments can’t be compared.")]
    if session.scalar(items) is None:
        return [gettext("Items: nothing has been imported or sampled yet.")]
    if session.scalar(grades.where(Annotator.study_id == study.id).limit(1)) is None:
        return [gettext("Grades: nobody has graded yet. Agreement takes at least two grades of the same item.")]
    return []


def lacks_systems(session: Session, study: Study) -> bool:
    """Whether there is nothing whose mean could be known more or less well."""
    return session.scalar(select(System.id).where(System.study_id == study.id).limit(1)) is None


def agreement_exhibits(
    stored: StoredMeasurement, label: str | None = None, weight: str = "linear", *, most_pairs: int | None = None
) -> list[Exhibit]:
    """Agreement on the question, or on one of its labels, and that of each two annotators."""
    if weight not in WEIGHTS:
        raise NotFound(gettext("There is no such weighting."))
    asked, part = stored.document["asked"], _part(stored.document, label)
    name = asked["name"] if part["label"] is None else f"{asked['name']}: {part['label']}"
    return [
        question_agreement.question_agreement(
            name,
            part["agreement"],
            part["strata"],
            level=asked["level"],
            items_without_grade=stored.document["items_without_grade"],
        ),
        cohen_map.pairwise_kappa(name, part["agreement"], weight=weight, most_rows=most_pairs),
    ]


def _part(document: dict[str, Any], label: str | None) -> dict[str, Any]:
    parts: list[dict[str, Any]] = document["parts"]
    for part in parts:
        if label in (None, part["label"]):
            return part
    raise NotFound(gettext("There is no such label in this study."))


def survey_exhibits(stored: StoredMeasurement) -> list[Exhibit]:
    """The survey in the form of the robustness papers."""
    return [survey.survey(stored.document["survey"])]


def enough_exhibits(stored: StoredMeasurement, pair: Pair | None = None) -> list[Exhibit]:
    """How well the systems' means are known, what it takes to tell two apart, whether the ranking has settled."""
    document = stored.document
    if document["precision"] is None:
        return []
    chosen = chosen_pair(stored, pair)
    found = None if chosen is None else pair_document(stored, chosen)
    return [
        half_widths.system_half_widths(document["precision"]),
        *([] if found is None else [half_widths.pair_half_widths(document["precision"], found)]),
        ranking_over_time.ranking_over_time(document["stability"]),
    ]


def systems_of(stored: StoredMeasurement | None) -> list[str]:
    """The systems that can be chosen."""
    precision = stored.document["precision"] if stored else None
    return [system["name"] for system in precision["systems"]] if precision else []


def chosen_pair(stored: StoredMeasurement, pair: Pair | None) -> Pair | None:
    """The systems asked for; by default the first pair that isn't told apart; None where there are no two."""
    names = systems_of(stored)
    if pair is None:
        pairs: list[dict[str, Any]] = stored.document["pairs"]
        usable = [each for each in pairs if each["half_width"] is not None]
        open_ones = [each for each in usable if not each["separated"]]
        first = next(iter(open_ones or usable or pairs), None)
        return None if first is None else (first["first"], first["second"])
    for name in pair:
        if name not in names:
            raise NotFound(gettext("There is no such system in this measurement."))
    if pair[0] == pair[1]:
        raise InvalidInput(
            gettext("A system can’t be told apart from itself."), remedy=gettext("Choose two different systems.")
        )
    return pair


def pair_document(stored: StoredMeasurement, pair: Pair) -> dict[str, Any] | None:
    """The pair as it was measured, whichever system is named first; None for one that lies too far apart."""
    for each in stored.document["pairs"]:
        if {each["first"], each["second"]} == set(pair):
            found: dict[str, Any] = each
            return found
    return None


def find_measured_table(
    session: Session, study: Study, name: str, *, question: str | None, label: str | None, pair: Pair | None
) -> Table:
    """A table of these pages by its name, for download; NotFound when there is none."""
    for exhibit in _all_exhibits(session, study, question=question, label=label, pair=pair):
        for table in exhibit.tables:
            if table.name == name:
                return table
    raise NotFound(gettext("There is no such table in this study."))


def _all_exhibits(
    session: Session, study: Study, *, question: str | None, label: str | None, pair: Pair | None
) -> Iterable[Exhibit]:
    asked = what_is_asked(session, study)
    chosen = asked.choose(question)
    if chosen is not None:
        stored = find_measurement(session, study, "agreement", chosen.name)
        yield from agreement_exhibits(stored, label) if stored else ()
    if chosen in asked.about_outputs and chosen is not None:
        stored = find_measurement(session, study, "enough", chosen.name)
        yield from enough_exhibits(stored, pair) if stored else ()
    stored = find_measurement(session, study, "survey")
    yield from survey_exhibits(stored) if stored else ()
    stored = find_measurement(session, study, "naturalness")
    yield from study_exhibits(session, study, stored) if stored else ()


def measured_tables(session: Session, study: Study) -> Iterable[Table]:
    """Every table of these pages, for bundles; each question's have its name in front, and no name comes twice.

    Means over a whole perturbed set are the set's, not the study's: what a bundle holds follows from it anywhere.
    """
    for question in what_is_asked(session, study).questions:
        stored = find_measurement(session, study, "agreement", question.name)
        for part in stored.document["parts"] if stored else ():
            named = (question.name, part["label"] or "")
            for exhibit in agreement_exhibits(stored, part["label"]) if stored else ():
                yield from _named(exhibit, *named)
        stored = find_measurement(session, study, "enough", question.name)
        for exhibit in enough_exhibits(stored) if stored else ():
            yield from _named(exhibit, question.name)
    stored = find_measurement(session, study, "survey")
    for exhibit in survey_exhibits(stored) if stored else ():
        yield from exhibit.tables
    stored = find_measurement(session, study, "naturalness")
    for exhibit in people_exhibits(stored) if stored else ():
        yield from exhibit.tables


def _named(exhibit: Exhibit, *parts: str) -> Iterable[Table]:
    prefix = "-".join(slugify(part) for part in parts if part)
    for table in exhibit.tables:
        yield replace(table, name=f"{prefix}-{table.name}")
