"""Answers by the annotator's script, and the items that it asks for."""

from typing import Any

from fastapi import APIRouter, BackgroundTasks, Depends, Request
from pydantic import BaseModel
from starlette.responses import JSONResponse

from app.errors import Busy
from app.services import grading
from app.services.own_assignments import own_assignment
from app.services.pace import progress
from app.services.questionnaires.scales import Given
from app.services.sitting import Sitting
from app.services.supply import Supply, supply
from app.services.way import answering
from app.storage.models import Item
from app.web.access import AsksItself, Role
from app.web.bare_routes import BareRoute, sent_json
from app.web.crowds import in_turn
from app.web.database import database_of
from app.web.grading_forms import Answer, Known, MessageKey, read_sent
from app.web.grading_pages import after_answer, item_html, message_json, progress_json

router = APIRouter(prefix="/grade", route_class=BareRoute)
annotators = AsksItself(Role.ANNOTATOR)
ANNOTATOR = Depends(annotators)


class Ahead(BaseModel):
    """What the script has on its page already."""

    have: Known
    message: MessageKey = None


@router.post("/next", dependencies=[ANNOTATOR])
async def next_items(request: Request) -> JSONResponse:
    """The open items that the page lacks."""
    return await in_turn(_next_items, request, await sent_json(request))


@router.post("/{item}/answer", dependencies=[ANNOTATOR])
async def answer_item(request: Request) -> JSONResponse:
    """Store an answer. ``stored`` in the reply is what lets the browser forget its copy.

    Where the script says what it has, the reply brings what it lacks, too: one request and one commit for a grade.
    """
    return await in_turn(_answer_item, request.path_params["item"], request, await sent_json(request))


def _next_items(request: Request, sent: Any) -> JSONResponse:
    background = BackgroundTasks()
    with database_of(request).write() as session:
        sitting = annotators.seat(request, background, session)
        ahead = read_sent(Ahead, sent)
        found, message = supply(sitting, ahead.have), message_json(sitting.study, ahead.message)
    return JSONResponse(_supplied(found) | message, background=background)


def _answer_item(item: str, request: Request, sent: Any) -> JSONResponse:
    background = BackgroundTasks()
    with database_of(request).write() as session:
        sitting = annotators.seat(request, background, session)
        answer = read_sent(Answer, sent)
        receipt, then = answering.submit(sitting, _submission(sitting, item, answer))
        # Whoever holds an item's row must not wait for another one: that could become a circle.
        follows = answer.have is not None and not then
        ahead = _at_once(sitting, answer.have or [], receipt) if follows and not receipt.moves_slot else None
        reply = {
            "stored": receipt.submission_id,
            "item": item,
            "revision": receipt.revision,
            "answers": receipt.answers,
            "go": after_answer(item, then),
            **message_json(sitting.study, answer.message),
        }
        if ahead is None:
            reply["progress"] = progress_json(progress(sitting))
    if follows and receipt.moves_slot:
        ahead = _supply(request, sitting.annotator.id, answer.have or [])
    if ahead is not None:
        reply |= _supplied(ahead)
    headers = {"Idempotent-Replayed": "true"} if receipt.replayed else None
    return JSONResponse(reply, headers=headers, background=background)


def _submission(sitting: Sitting, item: str, answer: Answer) -> grading.Submission:
    answers = answer.answers
    if answer.value is not None:
        answers = _first_answer(sitting, item, answer.value)
    return grading.Submission(
        item, answer.submission_id, answer.kind, answers, answer.note, answer.revision, answer.version, answer.details
    )


def _first_answer(sitting: Sitting, item: str, value: float) -> dict[str, Given]:
    """The value as the answer to the item's first question."""
    asked_of = sitting.session.get_one(Item, own_assignment(sitting.session, sitting.annotator.id, item).item_id)
    return {sitting.questions(asked_of.instrument_id)[0].name: value}


def _at_once(sitting: Sitting, have: list[str], receipt: grading.Receipt) -> Supply | None:
    """What the page lacks, in the answer's own transaction; None in a crush, which must not undo the answer."""
    try:
        return supply(sitting, have, one_more=receipt.one_more)
    except Busy:
        return None


def _supply(request: Request, me: int, have: list[str]) -> Supply:
    with database_of(request).write() as session:
        return supply(Sitting.held(session, me), have)


def _supplied(ahead: Supply) -> dict[str, Any]:
    return {
        "items": [{"id": shown.id, "html": item_html(shown)} for shown in ahead.items],
        "done": ahead.is_done,
        "closed": ahead.is_closed,
        "progress": ahead.progress and progress_json(ahead.progress),
    }
