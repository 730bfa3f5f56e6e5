"""The desk's items: short of grades, far apart, retired, flagged; and one with all answers to it."""

from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request
from sqlalchemy.orm import Session
from starlette.responses import Response

from app.errors import NotFound
from app.services import flags
from app.services.counting import count_lent
from app.services.desk import items
from app.services.desk.live import shortages_of
from app.services.desk.spread import in_words, spread_of
from app.services.lately import Lately, lately
from app.services.questionnaires.instruments import questions_of
from app.services.running_text import is_running_text
from app.services.studies import find_study
from app.storage.models import Question
from app.web.access import ADMIN
from app.web.code_view import view_code, view_pair
from app.web.database import ReadSession
from app.web.desk_pages import desk_page
from app.web.parameters import RowId
from app.words import gettext

router = APIRouter(prefix="/studies/{slug}/desk/items")

FLAGS_SHOWN = 100  # on the page; the bundle has all


@router.get("", dependencies=[ADMIN])
def list_items(
    request: Request,
    slug: str,
    session: ReadSession,
    show: Literal["short", "apart", "retired", "flags"] = "short",
    question: Annotated[str, Query(max_length=80)] = "",
) -> Response:
    """One of the lists."""
    study = find_study(session, slug)
    questions = [each for each in questions_of(session, study.id) if each.kind in items.COMPARED]
    chosen = next((each for each in questions if question in ("", each.name)), None)
    if question and chosen is None:
        raise NotFound(gettext("The study asks no such question."))
    shortages = shortages_of(session, study) if show == "short" else []
    return desk_page(
        request,
        "desk/items.html",
        study,
        "items",
        show=show,
        questions=questions,
        question=chosen,
        lent=count_lent(session, [each.instrument.id for each in shortages]),
        shortages=[(each, items.short_items(session, study, each.instrument)) for each in shortages],
        apart=_apart(session, chosen) if show == "apart" and chosen else None,
        retired=items.retired_items(session, study) if show == "retired" else [],
        flags=flags.flags_of(session, study, limit=FLAGS_SHOWN) if show == "flags" else [],
        flag_count=flags.count_flags(session, study),
        most=items.MOST_LISTED,
    )


def _apart(session: Session, question: Question) -> Lately[list[items.SpreadItem]]:
    return lately(session, "apart", question, lambda: items.widest_disagreement(session, question))


@router.get("/{item_id}", dependencies=[ADMIN])
def one_item(request: Request, slug: str, item_id: RowId, session: ReadSession) -> Response:
    """One item with everybody's answers."""
    study = find_study(session, slug)
    spread = spread_of(session, study, item_id)
    original, text = spread.item.original, spread.item.text
    names = gettext("Original"), gettext("Changed")
    is_prose = is_running_text(session, spread.instrument, filter(None, (original, text)))
    language = "text" if is_prose else study.language
    return desk_page(
        request,
        "desk/item.html",
        study,
        "items",
        spread=spread,
        code=view_code(text, language) if original is None else None,
        pair_view=None if original is None else view_pair(original, text, language, names),
        is_prose=is_prose,
        in_words=in_words,
    )
