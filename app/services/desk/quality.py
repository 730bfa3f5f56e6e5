"""How well each annotator grades: the rows that app.statistics.annotator_quality measures, and what came out."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session, aliased

from app.services.questionnaires.instruments import questions_of
from app.services.questionnaires.scales import Given, as_given
from app.services.way.expected import all_right
from app.statistics import annotator_quality as statistics
from app.statistics.annotator_quality import Likeness, Measure
from app.storage.models import Annotator, Assignment, Grade, GradeEvent, Item, Question, Study
from app.words import N_

EXCLUDED = N_("Excluded: not compared with the others.")
UNORDERED = N_("The order of imported grades isn’t known.")
# Measures in the order of the table. Shares, skill and entropy lie between 0 and their maximum; the rest has units.
MEASURES = (
    *("skill", "equal", "difference", "loud", "silent", "practice", "repeats_equal", "repeats_difference"),
    *("seconds", "longest_run", "modal_share", "entropy", "references"),
)

QUALITY_COLUMNS = (
    *("annotator", "excluded"),
    *(f"{measure}{part}" for measure in MEASURES for part in ("", "_items", "_why_not")),
)


@dataclass(frozen=True, slots=True)
class AnnotatorQuality:
    """One annotator's measures, by their names in MEASURES."""

    annotator_id: int
    pseudonym: str
    excluded: bool
    measures: dict[str, Measure]

    def to_json(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "annotator": self.annotator_id,
            "pseudonym": self.pseudonym,
            "excluded": self.excluded,
            "measures": statistics.as_json(self.measures),
        }


def quality_row(person: Mapping[str, Any]) -> dict[str, Any]:
    """Plain data of one annotator as a row of a table."""
    row: dict[str, Any] = {"annotator": person["pseudonym"], "excluded": person["excluded"]}
    for name in MEASURES:
        measure = person["measures"][name]
        row |= {name: measure["value"], f"{name}_items": measure["items"], f"{name}_why_not": measure["reason"]}
    return row


@dataclass(slots=True)
class _Record:
    """What one annotator answered to a question; ``own`` in the order in which it was shown to them.

    ``counted``: what the analysis counts, too. It is compared with what others gave; habits are those of all answers.
    """

    own: list[tuple[int, float]] = field(default_factory=list)  # position, value
    counted: list[tuple[int, float]] = field(default_factory=list)  # item, value
    references: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    first: list[float] = field(default_factory=list)
    second: list[float] = field(default_factory=list)
    passed: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    shown: dict[str, int] = field(default_factory=lambda: defaultdict(int))


def measure_annotators(
    session: Session, study: Study, question: Question, check: Callable[[], None] = lambda: None
) -> list[AnnotatorQuality]:
    """Everybody who answered the question, which has numbers for answers, by pseudonym.

    ``check`` is called between the steps.
    """
    people = {each.id: each for each in session.scalars(select(Annotator).where(Annotator.study_id == study.id))}
    records: dict[int, _Record] = defaultdict(_Record)
    for step in (_add_grades, _add_repeats, _add_checks, _add_times):
        step(session, study, question, records)
        check()
    counted = [who for who in records if people[who].excluded_at is None]
    skills, likeness = _compared(records, counted)
    return [
        AnnotatorQuality(
            who,
            people[who].pseudonym,
            people[who].excluded_at is not None,
            _own_measures(records[who], ordered=people[who].kind == "person")
            | _measures_beside_others(who, records[who], skills, likeness),
        )
        for who in sorted(records, key=lambda who: _in_order(people[who].pseudonym))
    ]


def _in_order(pseudonym: str) -> list[str | int]:
    """A2 before A10."""
    return [int(part) if part.isdecimal() else part for part in re.split(r"(\d+)", pseudonym)]


def _compared(
    records: Mapping[int, _Record], people: Iterable[int]
) -> tuple[dict[str, Measure], dict[str, Likeness]]:
    rows = [(str(item), str(who), value) for who in people for item, value in records[who].counted]
    tasks, workers, labels = ([row[part] for row in rows] for part in range(3))
    return (
        statistics.skills(tasks, workers, labels),  # type: ignore[arg-type]
        statistics.likeness_to_others(tasks, workers, labels),  # type: ignore[arg-type]
    )


def _measures_beside_others(
    who: int, record: _Record, skills: Mapping[str, Measure], likeness: Mapping[str, Likeness]
) -> dict[str, Measure]:
    reason = statistics.NO_GRADES if not record.counted else EXCLUDED
    nothing = Measure(None, len(record.counted), reason)
    alike = likeness.get(str(who), Likeness(nothing, nothing))
    return {"skill": skills.get(str(who), nothing), "equal": alike.equal, "difference": alike.difference}


def _own_measures(record: _Record, *, ordered: bool) -> dict[str, Measure]:
    habits = statistics.habits([value for _, value in sorted(record.own)])
    repeats = statistics.likeness_of_pairs(record.first, record.second)
    checks = {
        kind: statistics.share_passed(record.passed[kind], record.shown[kind], nothing)
        for kind, nothing in CHECKS.items()
    }
    return checks | {
        "repeats_equal": repeats.equal,
        "repeats_difference": repeats.difference,
        "seconds": statistics.median_seconds(record.seconds),
        "longest_run": habits.longest_run if ordered else Measure(None, len(record.own), UNORDERED),
        "modal_share": habits.modal_share,
        "entropy": habits.entropy,
        "references": statistics.mean_of_references(record.references),
    }


CHECKS = {"loud": statistics.NO_CHECKS, "silent": statistics.NO_CHECKS, "practice": statistics.NO_PRACTICE}


def _add_grades(session: Session, study: Study, question: Question, records: dict[int, _Record]) -> None:
    rows = session.execute(
        select(Grade.annotator_id, Assignment.position, Grade.item_id, Grade.value)
        .add_columns(Grade.surplus, Item.is_reference)
        .join(Item, Item.id == Grade.item_id)
        .join(
            Assignment,
            (Assignment.annotator_id == Grade.annotator_id) & (Assignment.item_id == Grade.item_id),
        )
        .where(Grade.question_id == question.id, Grade.value.is_not(None), Item.role == "main")
    )
    for who, position, item, value, surplus, is_reference in rows:
        if value is None:
            continue
        records[who].own.append((position, value))
        if is_reference:
            records[who].references.append(value)
        elif not surplus:
            records[who].counted.append((item, value))


def _add_repeats(session: Session, study: Study, question: Question, records: dict[int, _Record]) -> None:
    before = aliased(Grade)
    rows = session.execute(
        select(Grade.annotator_id, before.value, Grade.value)
        .join(Item, Item.id == Grade.item_id)
        .join(
            before,
            (before.item_id == Item.repeats_id)
            & (before.annotator_id == Grade.annotator_id)
            & (before.question_id == Grade.question_id),
        )
        .where(Item.study_id == study.id, Item.role == "repeat", Grade.question_id == question.id)
        .order_by(Grade.id)
    )
    for who, first, second in rows:
        if first is not None and second is not None:
            records[who].first.append(first)
            records[who].second.append(second)


def _add_checks(session: Session, study: Study, question: Question, records: dict[int, _Record]) -> None:
    """Practice and checks, whichever question they ask; a skipped one isn't passed."""
    questions = {each.id: each for each in questions_of(session, study.id)}
    given: dict[tuple[int, int], dict[str, Given]] = defaultdict(dict)
    checks = (Item.study_id == study.id, Item.role.in_(CHECKS))
    grades = select(Grade).join(Item, Item.id == Grade.item_id).where(*checks)
    for grade in session.scalars(grades):
        answer = as_given(questions[grade.question_id], grade.value, grade.text)
        if answer is not None:
            given[grade.annotator_id, grade.item_id][questions[grade.question_id].name] = answer
    shown = (
        select(Assignment.annotator_id, Item)
        .join(Item, Item.id == Assignment.item_id)
        .where(*checks, Assignment.state.in_(("graded", "skipped")))
    )
    for who, item in session.execute(shown):
        asked = [each for each in questions.values() if each.instrument_id == item.instrument_id]
        records[who].shown[item.role] += 1
        records[who].passed[item.role] += all_right(asked, item.expected or {"answers": {}}, given[who, item.id])


def _add_times(session: Session, study: Study, question: Question, records: dict[int, _Record]) -> None:
    """Active time of each first answer, as the browser measured it."""
    items = select(Item.id).where(Item.instrument_id == question.instrument_id, Item.role == "main")
    rows = session.execute(
        select(GradeEvent.annotator_id, GradeEvent.active_ms)
        .join(Annotator, Annotator.id == GradeEvent.annotator_id)
        .where(Annotator.study_id == study.id, GradeEvent.kind == "grade", GradeEvent.part == 0)
        .where(GradeEvent.item_id.in_(items))
    )
    for who, milliseconds in rows:
        if milliseconds is not None:
            records[who].seconds.append(milliseconds)
