"""Practice: items with known answers before the grading, in rounds; a failed round may be tried again."""

from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.errors import Conflict
from app.ids import new_opaque_id
from app.services.claims import Quest, add_check, claim_again, claimed, last_of, lock_annotator, release, renew
from app.services.grade_history import History
from app.services.questionnaires.instruments import questions_of
from app.services.questionnaires.scales import as_given
from app.services.study_options import options_of
from app.services.way.expected import all_right, practice_place
from app.services.way.walk import move
from app.storage.models import Annotator, Assignment, Grade, Instrument, Item, Question, Study
from app.words import gettext


@dataclass(frozen=True, slots=True)
class Round:
    """A round of practice as far as it got."""

    right: int
    answered: int
    total: int
    needed: int

    @property
    def is_over(self) -> bool:
        """Whether everything is answered."""
        return self.answered == self.total

    @property
    def is_passed(self) -> bool:
        """Whether enough is right."""
        return self.right >= self.needed


def next_practice(session: Session, study: Study, annotator: Annotator) -> list[Assignment]:
    """The one practice item to answer now; none between two rounds, or while the study takes no new work."""
    mine = claimed(session, annotator)
    renew(mine, study)
    if mine or study.state != "open":
        return mine
    known = _assignments(session, annotator)
    for item, instrument in practice_items(session, study):
        quest = Quest(session, study, instrument, annotator)
        assignment = known.get(item.id)
        if assignment is None:
            return [add_check(quest, item.id, last_of(quest))]
        if assignment.state == "lapsed" and claim_again(quest, assignment):
            return [assignment]
    return []


def round_of(session: Session, study: Study, annotator: Annotator) -> Round:
    """How the present round stands. A skipped item isn't right."""
    items = [item for item, _ in practice_items(session, study)]
    known = _assignments(session, annotator)
    answered = [item for item in items if item.id in known and known[item.id].state in ("graded", "skipped")]
    right = sum(is_answered_right(session, annotator.id, item) for item in answered)
    mark = options_of(study).practice.pass_mark
    # Rounded before it is raised to the next whole number: 0.7 of ten is seven, not a hair above.
    needed = -int(-round(mark * len(items), 6) // 1)
    return Round(right, len(answered), len(items), needed)


def is_answered_right(session: Session, annotator_id: int, item: Item) -> bool:
    """Whether the annotator's current answers to the item are the right ones."""
    rows = session.execute(
        select(Question, Grade)
        .join(Grade, Grade.question_id == Question.id)
        .where(Grade.annotator_id == annotator_id, Grade.item_id == item.id)
    )
    given = {question.name: as_given(question, grade.value, grade.text) for question, grade in rows}
    answers = {name: answer for name, answer in given.items() if answer is not None}
    return all_right(
        questions_of(session, item.study_id, item.instrument_id), item.expected or {"answers": {}}, answers
    )


def judge(session: Session, study: Study, annotator: Annotator) -> None:
    """After an answer: a full round is passed, or failed; the last failed one ends the practice."""
    result = round_of(session, study, annotator)
    if not result.is_over:
        return
    if result.is_passed:
        move(session, study, annotator, "passed")
        return
    annotator.practice_tries += 1
    practice = options_of(study).practice
    if annotator.practice_tries >= practice.tries:
        move(session, study, annotator, "failed practice" if practice.on_failing == "stop" else "passed")


def tries_left(study: Study, annotator: Annotator) -> int:
    """How many more rounds the annotator has."""
    return max(0, options_of(study).practice.tries - annotator.practice_tries)


def start_again(session: Session, annotator_id: int) -> None:
    """Begin the next round: answers of the last one are taken back, and stay in the history."""
    annotator = lock_annotator(session, annotator_id)
    study = session.get_one(Study, annotator.study_id)
    result = round_of(session, study, annotator)
    if annotator.stage != "practice" or not result.is_over:
        return
    if not tries_left(study, annotator):
        raise Conflict(gettext("There are no tries left."))
    for item_id, assignment in _assignments(session, annotator).items():
        _take_back(session, item_id, assignment)


def _take_back(session: Session, item_id: int, assignment: Assignment) -> None:
    history = History(session, assignment, new_opaque_id(), {"by": "next round of practice"})
    mine = select(Grade).where(Grade.annotator_id == assignment.annotator_id, Grade.item_id == item_id)
    for grade in session.scalars(mine).all():
        history.withdraw(grade)
    assignment.state, assignment.finished_at = "lapsed", None
    release(session, assignment)


def practice_items(session: Session, study: Study) -> list[tuple[Item, Instrument]]:
    """Practice items in the order in which everybody gets them."""
    rows = session.execute(
        select(Item, Instrument)
        .join(Instrument, Instrument.id == Item.instrument_id)
        .where(Instrument.study_id == study.id, Item.role == "practice", Item.gradable)
        .order_by(Instrument.position, Instrument.id, Item.id)
    )
    found = [(item, instrument) for item, instrument in rows]
    return sorted(found, key=lambda each: (each[1].position, each[1].id, *practice_place(each[0])))


def _assignments(session: Session, annotator: Annotator) -> dict[int, Assignment]:
    rows = session.scalars(
        select(Assignment)
        .join(Item, Item.id == Assignment.item_id)
        .where(Assignment.annotator_id == annotator.id, Item.role == "practice")
        .order_by(Assignment.position)
    )
    return {assignment.item_id: assignment for assignment in rows}
