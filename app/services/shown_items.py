"""What an annotator is shown of an item. Only these fields reach a browser: none tells who wrote the code."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session

from app.errors import NotFound
from app.services.asked import Asked
from app.services.own_assignments import own_assignment, past_of
from app.services.questionnaires.scales import Given
from app.services.running_text import is_running_text
from app.storage.models import Annotator, Artifact, Assignment, Instrument, Item, Problem, Question, Study
from app.storage.prepared import run_plain
from app.words import gettext


@dataclass(frozen=True, slots=True)
class ShownItem:
    """One item on the page, with what this annotator answered before.

    ``texts`` holds one text, or the two of a pair in the order in which this annotator sees them. ``opens``: the
    item before was asked other questions, or there was none, in a study with several instruments.
    """

    id: str
    position: int
    kind: str
    instrument: str
    instructions: str
    opens: bool
    questions: Sequence[Question]
    intent: str | None
    context: str | None
    texts: tuple[str, ...]
    is_prose: bool
    language: str
    has_image: bool
    image_alt: str | None
    state: str
    answers: dict[str, Given]
    revision: int
    version: int | None
    flag_note: str | None
    previous: str | None


def show(session: Session, assignment: Assignment, asked: Asked | None = None) -> ShownItem:
    """The item of an assignment. ``asked``: what its study asks, where that is loaded already."""
    item, problem = session.execute(_ITEMS, {"item_ids": [assignment.item_id]}).one()
    asked = asked or Asked(session, session.get_one(Study, item.study_id))
    return _shown(asked, assignment, item, problem, _previous(session, assignment))


def show_all(asked: Asked, assignments: Sequence[Assignment], claims: Sequence[Assignment]) -> list[ShownItem]:
    """The items of these of an annotator's open claims, which are given in order."""
    rows = asked.session.execute(_ITEMS, {"item_ids": [each.item_id for each in assignments]})
    subjects = {item.id: (item, problem) for item, problem in rows}
    kinds = {item.id: item.instrument_id for item, _ in subjects.values()}
    places = {each.position: each for each in claims}
    return [
        _shown(asked, each, *subjects[each.item_id], _previous_among(asked, each, places, kinds))
        for each in assignments
    ]


def _previous_among(
    asked: Asked, assignment: Assignment, places: Mapping[int, Assignment], kinds: Mapping[int, int]
) -> "_Previous | None":
    """The open claim just before it, where there is one of which the instrument is known; else it is looked up."""
    before = places.get(assignment.position - 1)
    only = asked.instruments[0].id if len(asked.instruments) == 1 else None
    instrument_id = kinds.get(before.item_id, only) if before else None
    if before is None or instrument_id is None:
        return _previous(asked.session, assignment)
    return _Previous(before.public_id, instrument_id)


def _shown(
    asked: Asked, assignment: Assignment, item: Item, problem: Problem, previous: "_Previous | None"
) -> ShownItem:
    session = asked.session
    instrument, past = asked.instrument(item.instrument_id), past_of(session, assignment, item)
    is_output = instrument.kind == "output"  # beside anything else, the intent would tell what was changed
    texts = texts_of(item, assignment)
    return ShownItem(
        id=assignment.public_id,
        position=assignment.position,
        kind=instrument.kind,
        instrument=instrument.name,
        instructions=instrument.instructions,
        opens=_opens(asked, instrument, previous),
        questions=asked.questions(instrument.id),
        intent=problem.intent if is_output else None,
        context=problem.context if is_output else None,
        texts=texts,
        is_prose=is_running_text(session, instrument, texts),
        language=asked.study.language,
        has_image=problem.image_id is not None,
        image_alt=problem.image_alt,
        state=assignment.state,
        answers=past.answers,
        revision=past.revision,
        version=asked.questionnaire.number if asked.questionnaire else None,
        flag_note=assignment.flag_note,
        previous=previous.public_id if previous else None,
    )


def texts_of(item: Item, assignment: Assignment) -> tuple[str, ...]:
    """What is shown of the item, from left to right: a pair's order is the assignment's."""
    if item.original is None:
        return (item.text,)
    return (item.text, item.original) if assignment.swapped else (item.original, item.text)


def image_of(session: Session, annotator_id: int, public_id: str) -> Artifact:
    """The picture of the problem behind one's own assignment."""
    assignment = own_assignment(session, annotator_id, public_id)
    artifact = session.scalar(
        select(Artifact)
        .join(Problem, Problem.image_id == Artifact.id)
        .join(Item, Item.problem_id == Problem.id)
        .where(Item.id == assignment.item_id)
    )
    if artifact is None:
        raise NotFound(gettext("This item has no picture."))
    return artifact


def study_of(session: Session, annotator_id: int) -> Study:
    """The study that the annotator takes part in."""
    return session.get_one(Study, session.get_one(Annotator, annotator_id).study_id)


class _Previous(NamedTuple):
    """What this annotator saw before an item."""

    public_id: str
    instrument_id: int


def _previous(session: Session, assignment: Assignment) -> _Previous | None:
    before = {"annotator_id": assignment.annotator_id, "position": assignment.position}
    row = run_plain(session, _PREVIOUS, before).first()
    return _Previous(*row) if row else None


def _opens(asked: Asked, instrument: Instrument, previous: _Previous | None) -> bool:
    if previous is not None:
        return previous.instrument_id != instrument.id
    return len(asked.instruments) > 1


# Each item asks for these, so they are put together once.
_ITEMS = (
    select(Item, Problem)
    .join(Problem, Problem.id == Item.problem_id)
    .where(Item.id.in_(bindparam("item_ids", expanding=True)))
)
_PREVIOUS = (
    select(Assignment.public_id, Item.instrument_id)
    .join(Item, Item.id == Assignment.item_id)
    .where(Assignment.annotator_id == bindparam("annotator_id"), Assignment.state != "lapsed")
    .where(Assignment.position < bindparam("position"))
    .order_by(Assignment.position.desc())
    .limit(1)
)
