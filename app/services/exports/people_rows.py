"""A study's people as rows: who graded, what they read and answered before, and every step of their grading."""

from collections.abc import Collection, Iterator

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.services.exports.formats import Row, iso, sorted_keys
from app.services.questionnaires.versions import latest_version
from app.storage.models import (
    Annotator,
    Assignment,
    FormResponse,
    FormVersion,
    GradeEvent,
    Instrument,
    Item,
    Problem,
    Question,
    Study,
)

ROWS_AT_ONCE = 2_000
_ITEM = (Instrument.name, Problem.key, Item.identity)  # what names an item in a bundle
# Columns and not whole objects, which take several times as long to make.
_SHOWN = (
    *(Assignment.position, Assignment.slot, Assignment.state, Assignment.surplus, Assignment.swapped),
    *(Assignment.skip_reason, Assignment.flag_note),
    *(Assignment.claimed_at, Assignment.lease_until, Assignment.finished_at),
)
_STEP = (
    *(GradeEvent.kind, GradeEvent.value, GradeEvent.previous, GradeEvent.text, GradeEvent.previous_text),
    *(GradeEvent.surplus, GradeEvent.submission_id, GradeEvent.part, GradeEvent.details, GradeEvent.created_at),
)


def annotator_rows(session: Session, study: Study, *, identified: bool = False) -> Iterator[Row]:
    """Everybody by pseudonym; ``identified``: with the names that a platform or the team gave them."""
    people = select(Annotator).where(Annotator.study_id == study.id).order_by(Annotator.id)
    for each in session.scalars(people.execution_options(yield_per=ROWS_AT_ONCE)):
        row = {
            "pseudonym": each.pseudonym,
            "kind": each.kind,
            "source": each.source,
            "order_seed": each.order_seed,
            "stage": each.stage,
            "stage_since": iso(each.stage_since),
            "practice_tries": each.practice_tries,
            "created_at": iso(each.created_at),
            "stopped_at": iso(each.stopped_at),
            "excluded_at": iso(each.excluded_at),
            "excluded_reason": each.excluded_reason,
        }
        if identified:
            row |= {"name": each.name, "external_id": each.external_id, "crowd": sorted_keys(each.crowd)}
        yield row


def form_rows(session: Session, study: Study) -> Iterator[Row]:
    """Every version of every form."""
    forms = select(FormVersion).where(FormVersion.study_id == study.id).order_by(FormVersion.id)
    for each in session.scalars(forms):
        yield _form_row(each, each.number)


def template_form_rows(session: Session, study: Study) -> Iterator[Row]:
    """The newest version of each form but the questionnaire, whose first version is made when the study opens."""
    for kind in ("consent", "profile", "closing"):
        if newest := latest_version(session, study, kind):
            yield _form_row(newest, 1)


def _form_row(form: FormVersion, number: int) -> Row:
    return {
        "kind": form.kind,
        "number": number,
        "content": sorted_keys(form.content),
        "sha256": form.sha256,
        "created_at": iso(form.created_at),
    }


def response_rows(session: Session, study: Study, kinds: Collection[str]) -> Iterator[Row]:
    """What people answered to forms of these kinds."""
    rows = session.execute(
        select(FormResponse.answers, FormResponse.created_at, Annotator.pseudonym)
        .add_columns(FormVersion.kind, FormVersion.number)
        .join(Annotator, Annotator.id == FormResponse.annotator_id)
        .join(FormVersion, FormVersion.id == FormResponse.form_version_id)
        .where(Annotator.study_id == study.id, FormVersion.kind.in_(kinds))
        .order_by(FormResponse.id)
    )
    for answers, created_at, pseudonym, kind, number in rows:
        yield {
            "worker": pseudonym,
            "kind": kind,
            "number": number,
            "answers": sorted_keys(answers),
            "created_at": iso(created_at),
        }


def assignment_rows(session: Session, study: Study) -> Iterator[Row]:
    """Who was shown what, when, in which place, and what came of it."""
    rows = session.execute(
        select(*_SHOWN, *_ITEM, Annotator.pseudonym)
        .join(Item, Item.id == Assignment.item_id)
        .join(Instrument, Instrument.id == Item.instrument_id)
        .join(Problem, Problem.id == Item.problem_id)
        .join(Annotator, Annotator.id == Assignment.annotator_id)
        .where(Item.study_id == study.id)
        .order_by(Assignment.annotator_id, Assignment.position)
        .execution_options(yield_per=ROWS_AT_ONCE)
    )
    for *shown, instrument, problem, item, pseudonym in rows:
        position, slot, state, surplus, swapped, skip_reason, flag_note, claimed_at, lease_until, finished_at = shown
        yield {
            "worker": pseudonym,
            "instrument": instrument,
            "problem": problem,
            "item": item,
            "position": position,
            "slot": slot,
            "state": state,
            "surplus": surplus,
            "swapped": swapped,
            "skip_reason": skip_reason,
            "flag_note": flag_note,
            "claimed_at": iso(claimed_at),
            "lease_until": iso(lease_until),
            "finished_at": iso(finished_at),
        }


def event_rows(session: Session, study: Study) -> Iterator[Row]:
    """The history of grading, step by step, as it was written."""
    rows = session.execute(
        select(*_STEP, *_ITEM, Annotator.pseudonym, Question.name, FormVersion.number)
        .join(Item, Item.id == GradeEvent.item_id)
        .join(Instrument, Instrument.id == Item.instrument_id)
        .join(Problem, Problem.id == Item.problem_id)
        .join(Annotator, Annotator.id == GradeEvent.annotator_id)
        .outerjoin(Question, Question.id == GradeEvent.question_id)
        .outerjoin(FormVersion, FormVersion.id == GradeEvent.questionnaire_id)
        .where(Item.study_id == study.id)
        .order_by(GradeEvent.id)
        .execution_options(yield_per=ROWS_AT_ONCE)
    )
    for *step, instrument, problem, item, pseudonym, question, questionnaire in rows:
        kind, value, previous, text, previous_text, surplus, submission, part, details, created_at = step
        yield {
            "worker": pseudonym,
            "instrument": instrument,
            "problem": problem,
            "item": item,
            "question": question,
            "kind": kind,
            "value": value,
            "previous": previous,
            "text": text,
            "previous_text": previous_text,
            "questionnaire": questionnaire,
            "surplus": surplus,
            "submission": submission,
            "part": part,
            "details": sorted_keys(details),
            "created_at": iso(created_at),
        }
