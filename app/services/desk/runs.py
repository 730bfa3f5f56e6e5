"""What takes too long for a page: measuring annotators, measuring what an exclusion changes, copying a study."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, select
from sqlalchemy.orm import Session

from app.clock import utc_now
from app.errors import InvalidInput
from app.services.analysis.revision import study_revision
from app.services.desk.copying import copy_problems, count_problems
from app.services.desk.effect import measure_effect
from app.services.desk.people import find_annotator
from app.services.desk.quality import measure_annotators
from app.services.questionnaires.instruments import questions_of
from app.services.questionnaires.scales import bounds_of
from app.services.runs import RunContext, Store, enqueue, handler
from app.services.studies import find_study
from app.storage.models import Question, Run, Study
from app.storage.transaction_turns import TurnAt, take_turn
from app.words import gettext, human_number

QUALITY, EFFECT, COPY = "annotator_quality", "exclusion_effect", "study_copy"
INTERACTIVE = 10  # somebody waits for these


@dataclass(frozen=True, slots=True)
class Found:
    """What a finished run measured. ``stale``: the study has moved on since."""

    at: datetime
    document: dict[str, Any]
    stale: bool


def measured_questions(session: Session, study: Study) -> list[Question]:
    """Questions whose answers are numbers."""
    return [each for each in questions_of(session, study.id) if bounds_of(each) is not None]


def request_quality(session: Session, study: Study, question: str, user_id: int | None) -> Run:
    """Ask for the annotators' quality by one question."""
    if question not in [each.name for each in measured_questions(session, study)]:
        raise InvalidInput(f"The study asks no question {question!r} that is answered by a number.")
    return _enqueue(session, QUALITY, study, user_id, question=question)


def request_effect(session: Session, study: Study, annotator_id: int, user_id: int | None) -> Run:
    """Ask what excluding (or restoring) the annotator would change."""
    annotator = find_annotator(session, study, annotator_id)
    details = {"annotator": annotator_id, "restoring": annotator.excluded_at is not None}
    return _enqueue(session, EFFECT, study, user_id, **details)


def request_copy(session: Session, source: Study, target: Study, user_id: int | None) -> Run:
    """Ask for the source's material to be copied into the target."""
    return _enqueue(session, COPY, target, user_id, source=source.slug)


def _enqueue(session: Session, kind: str, study: Study, user_id: int | None, **payload: Any) -> Run:
    return enqueue(session, kind, payload, study_id=study.id, user_id=user_id, priority=INTERACTIVE)


def latest_run(session: Session, study: Study, kind: str, **payload: Any) -> Run | None:
    """The newest run of that kind and payload, whatever its state."""
    return _newest(session, [Run.study_id == study.id, Run.kind == kind], payload)


def found_by(session: Session, study: Study, kind: str, **payload: Any) -> Found | None:
    """The newest result of that kind and payload."""
    run = _newest(session, [Run.study_id == study.id, Run.kind == kind, Run.state == "done"], payload)
    if run is None or not run.result or not run.finished_at:
        return None
    document = run.result["document"]
    return Found(run.finished_at, document, stale=document["revision"] != study_revision(session, study))


def _newest(session: Session, which: Sequence[ColumnElement[bool]], payload: dict[str, Any]) -> Run | None:
    """The newest of these runs with that payload; of the others not the result is read, which may be long."""
    for number, given in session.execute(select(Run.id, Run.payload).where(*which).order_by(Run.id.desc())):
        if all(given.get(name) == value for name, value in payload.items()):
            return session.get(Run, number)
    return None


@handler(QUALITY)
def measure_quality(context: RunContext) -> Store:
    """The table of annotators."""
    with context.database.read() as session:
        study = session.get_one(Study, context.study_id)
        name = context.payload["question"]
        question = next(each for each in measured_questions(session, study) if each.name == name)
        context.progress(0, 1, message=gettext("Measuring the annotators"))
        measured = measure_annotators(session, study, question, context.check)
        document = {
            "question": name,
            "people": [each.to_json() for each in measured],
            "revision": study_revision(session, study),
        }
        link = {
            "href": f"/studies/{study.slug}/desk/annotators?question={name}",
            "label": gettext("See the annotators"),
        }
    message = gettext("%(number)s annotators were measured.", number=human_number(len(measured)))
    return lambda session: {"document": document, "message": message, "links": [link]}


@handler(EFFECT)
def measure_exclusion(context: RunContext) -> Store:
    """Agreement and means, before and after."""
    with context.database.read() as session:
        study = session.get_one(Study, context.study_id)
        annotator = find_annotator(session, study, context.payload["annotator"])
        context.progress(0, 1, message=gettext("Measuring agreement and means with and without the annotator"))
        before, after = measure_effect(session, study, annotator, None)
        document = {
            "before": before.to_json(),
            "after": after.to_json(),
            "restoring": annotator.excluded_at is not None,
            "revision": study_revision(session, study),
        }
        link = {"href": f"/studies/{study.slug}/desk/annotators/{annotator.id}", "label": gettext("See what changes")}
    return lambda session: {"document": document, "message": "", "links": [link]}


@handler(COPY)
def copy_material(context: RunContext) -> Store:
    """Problems with all that hangs on them, some at a time; a second attempt goes on where the first one ended."""
    with context.database.read() as session:
        target = session.get_one(Study, context.study_id)
        source = find_study(session, context.payload["source"])
        total = count_problems(session, source)
        done = count_problems(session, target)
    while done < total:
        with context.write() as session:
            take_turn(session, TurnAt.MATERIAL, target.id)
            copied = copy_problems(
                session, session.get_one(Study, source.id), session.get_one(Study, target.id), after=done
            )
        if not copied:
            break
        done += copied
        words = gettext("Copying “%(title)s”", title=source.title)
        context.progress(done, total, unit=gettext("problems"), message=words)
    link = {"href": f"/studies/{target.slug}/desk", "label": gettext("Open the study")}
    message = gettext("%(number)s problems were copied.", number=human_number(done))
    return lambda session: {"message": message, "links": [link], "copied_at": utc_now().isoformat()}
