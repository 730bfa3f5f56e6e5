"""Take an answer: a grade, a change, a skip, a flag. Each is stored once, with its trace, or refused in words."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from sqlalchemy.orm import Session

from app.clock import utc_now
from app.errors import Conflict, InvalidInput, Problem
from app.ids import content_hash
from app.services.claims import hold_slot, release
from app.services.grade_history import History, event_of, used_twice
from app.services.own_assignments import Past, given_of, past_of
from app.services.questionnaires.instruments import target_of
from app.services.questionnaires.scales import Given, Stored, check_answer
from app.services.questionnaires.versions import questionnaire_id
from app.services.retiring import count_skip, take_back_skip
from app.services.sitting import Sitting
from app.services.way.expected import answer_in_words
from app.storage.models import Assignment, Grade, GradeEvent, Item, Question, Study
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
    """What is stored now. ``replayed``: it was stored before, by an earlier delivery of the same submission.

    ``moves_slot``: the item's slot was taken or freed, so that the transaction holds the item's row until its end.
    ``one_more``: all that changed is that of a claim became a grade that counts.
    """

    submission_id: str
    revision: int
    answers: dict[str, Given]
    surplus: bool
    replayed: bool
    moves_slot: bool = False
    one_more: bool = False


def submit(session: Session, annotator_id: int, submission: Submission) -> Receipt:
    """Store the submission once. The same again is answered alike; the same id with another content is refused."""
    sitting = Sitting.held(session, annotator_id)  # so that nobody excludes the annotator meanwhile
    return take(sitting, *sitting.assignment(submission.assignment), submission)


def take(sitting: Sitting, assignment: Assignment, item: Item, submission: Submission) -> Receipt:
    """``submit`` for an assignment that is held."""
    session = sitting.session
    past = past_of(session, assignment, item)
    earlier = None if _is_surely_first(assignment, item, submission) else event_of(session, submission.submission_id)
    if earlier is not None:
        _check_is_same(assignment, earlier, submission)
        return Receipt(submission.submission_id, past.revision, past.answers, assignment.surplus, replayed=True)
    slot, was_claimed = assignment.slot, assignment.state == "claimed"
    details = submission.details | {"sent": submission.content}
    history = History(session, assignment, submission.submission_id, details)
    answers = _Step(sitting, assignment, item, submission, past, history).take()
    session.flush()
    return Receipt(
        submission.submission_id,
        revision=past.revision + (submission.kind != "flag" and history.parts > 0),
        answers=answers,
        surplus=assignment.surplus,
        replayed=False,
        moves_slot=not was_claimed or assignment.slot != slot,
        one_more=was_claimed and assignment.state == "graded" and item.role == "main" and not assignment.surplus,
    )


@dataclass(frozen=True, slots=True)
class _Step:
    """One submission on its way into the tables."""

    sitting: Sitting
    assignment: Assignment
    item: Item
    submission: Submission
    past: Past
    history: History

    @property
    def session(self) -> Session:
        return self.sitting.session

    @property
    def study(self) -> Study:
        return self.sitting.study

    def take(self) -> dict[str, Given]:
        """The answers that stand now."""
        if self.submission.kind == "flag":
            self._flag()
            return self.past.answers
        skips = self.submission.kind == "skip"
        answers = {} if skips else self._checked_answers()
        self._check_revision()
        if self.study.state not in ("open", "paused") and (self.past.grades or skips):
            raise Conflict(gettext("This study is closed. Your earlier answers stand."))
        known = {question.id: grade for question, grade in self.past.grades}
        if skips:
            self._skip(known)
        else:
            self._store({question.id: stored for question, stored in answers.items()}, known)
        return given_of(answers.items())

    def _flag(self) -> None:
        if self.study.state == "closed":
            raise Conflict(gettext("This study is closed; nothing can be flagged any more."))
        self.assignment.flag_note = self.submission.note
        self.history.add("flag", note=self.submission.note)

    def _checked_answers(self) -> dict[Question, Stored]:
        """The answers as they are stored; InvalidInput names what is missing or not on the scale."""
        questions = {each.name: each for each in self.sitting.questions(self.item.instrument_id)}
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
        return {questions[name]: _checked(questions[name], answer) for name, answer in given.items()}

    def _check_revision(self) -> None:
        seen, grades = self.submission.revision, self.past.grades
        if seen is None or seen == self.past.revision:
            return
        stands = gettext("That answer stands.")
        if len(grades) == 1 and (value := grades[0][1].value) is not None:
            question = grades[0][0]
            words = answer_in_words(question, value) if question.kind == "choice" else in_locale(f"{value:g}")
            stands = gettext("Your answer %(value)s stands.", value=words)
        elsewhere = gettext("You answered this item in another window or on another device meanwhile.")
        raise Conflict(
            f"{elsewhere} {stands}",
            remedy=gettext("Open the item again if you want to change it."),
        )

    def _store(self, answers: Mapping[int, Stored], known: Mapping[int, Grade]) -> None:
        """One grade and one event for each answer; what was answered before and isn't any more is withdrawn."""
        shown = self.sitting.questionnaire
        version = questionnaire_id(self.session, self.study, shown, self.submission.version)
        if len(answers) == 1 and self._finishes_a_claim():
            self.history.first_grade(*next(iter(answers.items())), version)
            return
        if not known:
            if self.assignment.state == "skipped":
                take_back_skip(self.session, self.study, self.item.id)
                self.assignment.skip_reason = None
            self.assignment.state, self.assignment.finished_at = "graded", utc_now()
            self._settle_slot()
        for question, answer in answers.items():
            if question in known:
                self.history.change(known[question], answer, version)
            else:
                self.history.grade(question, answer, version)
        for question, grade in known.items():
            if question not in answers:
                self.history.withdraw(grade)

    def _finishes_a_claim(self) -> bool:
        """Whether this is the first answer to what the annotator holds, and keeps its slot."""
        held = self.assignment.state == "claimed" and self.assignment.slot is not None and not self.past.grades
        return held and self.study.state != "closed" and self.sitting.annotator.excluded_at is None

    def _settle_slot(self) -> None:
        """A claim keeps its slot. Late work takes a free one; without one it is surplus, never thrown away."""
        if self.study.state == "closed" or self.sitting.annotator.excluded_at is not None:
            release(self.session, self.assignment)
            self.assignment.surplus = True
        elif self.assignment.slot is None:
            limit = target_of(self.study, self.sitting.instrument(self.item.instrument_id))
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


def _is_surely_first(assignment: Assignment, item: Item, submission: Submission) -> bool:
    """Nothing was answered under this claim yet. (An id that came with another item is found when it is stored.)"""
    return submission.kind != "flag" and assignment.state == "claimed" and item.role != "practice"


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
