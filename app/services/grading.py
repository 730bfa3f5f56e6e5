"""Take an answer: a grade, a change, a skip, a flag. Each is stored once, with its trace, or refused in words."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.clock import utc_now
from app.errors import Conflict, InvalidInput, NotFound, Problem
from app.ids import content_hash
from app.services.claims import hold_slot, release
from app.services.grade_history import ANSWERS, History, event_of, used_twice
from app.services.questionnaires.instruments import questions_of, target_of
from app.services.questionnaires.scales import Given, Stored, as_given, check_answer
from app.services.questionnaires.versions import questionnaire_id
from app.services.retiring import count_skip, take_back_skip
from app.storage.models import Annotator, Assignment, Grade, GradeEvent, Instrument, Item, Question, Study
from app.words import gettext, in_locale


@dataclass(frozen=True, slots=True)
class Submission:
    """What an annotator sent. ``revision`` is how many answers to this item the sender had seen.

    ``answers``: by the names of the questions; all required ones of the item's instrument must be there.
    """

    assignment: str
    submission_id: str
    kind: Literal["grade", "skip", "flag"]
    answers: Mapping[str, Given] = field(default_factory=dict)
    note: str = ""
    revision: int | None = None
    version: int | None = None  # the number of the questionnaire that the page showed
    details: dict[str, Any] = field(default_factory=dict)

    @property
    def content(self) -> str:
        """What tells this submission from another with the same id."""
        sent = [self.assignment, self.kind, self.note, sorted(self.answers.items())]
        return content_hash(json.dumps(sent, ensure_ascii=False))


@dataclass(frozen=True, slots=True)
class Receipt:
    """What is stored now. ``replayed``: it was stored before, by an earlier delivery of the same submission."""

    submission_id: str
    revision: int
    answers: dict[str, Given]
    surplus: bool
    replayed: bool


def submit(session: Session, annotator_id: int, submission: Submission) -> Receipt:
    """Store the submission once. The same again is answered alike; the same id with another content is refused."""
    assignment = own_assignment(session, annotator_id, submission.assignment, lock=True)
    earlier = event_of(session, submission.submission_id)
    if earlier is not None:
        _check_is_same(assignment, earlier, submission)
        return _receipt(session, assignment, submission, replayed=True)
    study = session.get_one(Study, session.get_one(Annotator, annotator_id).study_id)
    details = submission.details | {"sent": submission.content}
    _Step(
        session, study, assignment, submission, History(session, assignment, submission.submission_id, details)
    ).take()
    return _receipt(session, assignment, submission, replayed=False)


def own_assignment(session: Session, annotator_id: int, public_id: str, *, lock: bool = False) -> Assignment:
    """The assignment, if it is this annotator's; anybody else's does not exist."""
    statement = select(Assignment).where(Assignment.public_id == public_id, Assignment.annotator_id == annotator_id)
    if lock:
        statement = statement.with_for_update(key_share=True).execution_options(populate_existing=True)
    assignment = session.scalar(statement)
    if assignment is None:
        raise NotFound(gettext("There is no such item among yours."))
    return assignment


def revision_of(session: Session, assignment: Assignment) -> int:
    """How many answers this annotator has given to the item so far."""
    statement = select(func.count()).where(
        GradeEvent.annotator_id == assignment.annotator_id,
        GradeEvent.item_id == assignment.item_id,
        GradeEvent.kind.in_(ANSWERS),
        GradeEvent.part == 0,
    )
    return session.scalar(statement) or 0


def answers_of(session: Session, assignment: Assignment) -> dict[str, Given]:
    """The current answers of the assignment, by the names of the questions."""
    found = {}
    for question, grade in _grades_of(session, assignment):
        given = as_given(question, grade.value, grade.text)
        if given is not None:
            found[question.name] = given
    return found


def _grades_of(session: Session, assignment: Assignment) -> list[tuple[Question, Grade]]:
    rows = session.execute(
        select(Question, Grade)
        .join(Grade, Grade.question_id == Question.id)
        .where(Grade.annotator_id == assignment.annotator_id, Grade.item_id == assignment.item_id)
        .order_by(Question.position, Question.id)
    )
    return [(question, grade) for question, grade in rows]


@dataclass(frozen=True, slots=True)
class _Step:
    """One submission on its way into the tables."""

    session: Session
    study: Study
    assignment: Assignment
    submission: Submission
    history: History

    def take(self) -> None:
        if self.submission.kind == "flag":
            self._flag()
        else:
            self._answer()

    def _flag(self) -> None:
        if self.study.state == "closed":
            raise Conflict(gettext("This study is closed; nothing can be flagged any more."))
        self.assignment.flag_note = self.submission.note
        self.history.add("flag", note=self.submission.note)

    def _answer(self) -> None:
        item = self.session.get_one(Item, self.assignment.item_id)
        skips = self.submission.kind == "skip"
        answers = {} if skips else self._checked_answers(item)
        grades = _grades_of(self.session, self.assignment)
        self._check_revision(grades)
        if self.study.state not in ("open", "paused") and (grades or skips):
            raise Conflict(gettext("This study is closed. Your earlier answers stand."))
        known = {question.id: grade for question, grade in grades}
        if skips:
            self._skip(known)
        else:
            self._store(item, answers, known)

    def _checked_answers(self, item: Item) -> dict[int, Stored]:
        """The answers as they are stored, by question id; InvalidInput names what is missing or not on the scale."""
        questions = {each.name: each for each in questions_of(self.session, item.study_id, item.instrument_id)}
        given = self.submission.answers
        if unknown := sorted(set(given) - set(questions)):
            raise InvalidInput(
                gettext("This item isn't asked: %(names)s.", names=", ".join(unknown)),
                remedy=gettext("Load the page again."),
            )
        missing = [each for name, each in questions.items() if each.required and name not in given]
        if missing:
            problems = [Problem(gettext("This needs an answer."), field=each.name) for each in missing]
            message = gettext("An answer is missing: %(text)s", text=missing[0].text)
            raise InvalidInput(message, problems, remedy=gettext("Answer it, then send again."))
        return {questions[name].id: _checked(questions[name], answer) for name, answer in given.items()}

    def _check_revision(self, grades: list[tuple[Question, Grade]]) -> None:
        seen = self.submission.revision
        if seen is None or seen == revision_of(self.session, self.assignment):
            return
        value = grades[0][1].value if len(grades) == 1 else None
        stands = gettext("That answer stands.")
        if value is not None:
            stands = gettext("Your answer %(value)s stands.", value=in_locale(f"{value:g}"))
        elsewhere = gettext("You answered this item in another window or on another device meanwhile.")
        raise Conflict(
            f"{elsewhere} {stands}",
            remedy=gettext("Open the item again if you want to change it."),
        )

    def _store(self, item: Item, answers: Mapping[int, Stored], known: Mapping[int, Grade]) -> None:
        """One grade and one event for each answer; what was answered before and isn't any more is withdrawn."""
        if not known:
            if self.assignment.state == "skipped":
                take_back_skip(self.session, self.study, item.id)
                self.assignment.skip_reason = None
            self.assignment.state, self.assignment.finished_at = "graded", utc_now()
            self._settle_slot(item)
        version = questionnaire_id(self.session, self.study, self.submission.version)
        for question, answer in answers.items():
            if question in known:
                self.history.change(known[question], answer, version)
            else:
                self.history.grade(question, answer, version)
        for question, grade in known.items():
            if question not in answers:
                self.history.withdraw(grade)

    def _settle_slot(self, item: Item) -> None:
        """A claim keeps its slot. Late work takes a free one; without one it is surplus, never thrown away."""
        is_excluded = self.session.get_one(Annotator, self.assignment.annotator_id).excluded_at is not None
        if self.study.state == "closed" or is_excluded:
            release(self.session, self.assignment)
            self.assignment.surplus = True
        elif self.assignment.slot is None:
            limit = target_of(self.study, self.session.get_one(Instrument, item.instrument_id))
            self.assignment.surplus = not hold_slot(self.session, self.assignment, limit)

    def _skip(self, known: Mapping[int, Grade]) -> None:
        """Skip the item; if it was graded, the grades are withdrawn. Its slot goes to somebody else."""
        note = self.submission.note
        if not known:
            self.history.add("skip", note=note or None)
        for grade in known.values():
            self.history.withdraw(grade)
        if self.assignment.state != "skipped":
            count_skip(self.session, self.study, self.assignment.item_id)
        self.assignment.skip_reason = note or None
        self.assignment.state, self.assignment.surplus, self.assignment.finished_at = "skipped", False, utc_now()
        release(self.session, self.assignment)


def _checked(question: Question, given: Given) -> Stored:
    """The answer as it is stored; InvalidInput names the question, too."""
    try:
        return check_answer(question, given)
    except InvalidInput as error:
        problem = Problem(error.message, field=question.name)
        raise InvalidInput(error.message, [problem], remedy=error.remedy) from error


def _check_is_same(assignment: Assignment, earlier: GradeEvent, submission: Submission) -> None:
    same_subject = (earlier.annotator_id, earlier.item_id) == (assignment.annotator_id, assignment.item_id)
    if not same_subject or not _is_same(earlier, submission):
        raise used_twice()


def _is_same(earlier: GradeEvent, submission: Submission) -> bool:
    details = earlier.details or {}
    if "sent" in details:
        return bool(details["sent"] == submission.content)
    # Stored before there were several questions: one value, or a note.
    if earlier.kind == "flag":
        return submission.kind == "flag" and details.get("note") == submission.note
    if earlier.kind in ("grade", "change"):
        return submission.kind == "grade" and list(submission.answers.values()) == [earlier.value]
    return submission.kind == "skip"


def _receipt(session: Session, assignment: Assignment, submission: Submission, *, replayed: bool) -> Receipt:
    session.flush()
    return Receipt(
        submission.submission_id,
        revision=revision_of(session, assignment),
        answers=answers_of(session, assignment),
        surplus=assignment.surplus,
        replayed=replayed,
    )
