"""The annotators' way: its settings, practice items and checks."""

import json
from typing import Annotated, Any, Literal

from fastapi import APIRouter
from pydantic import ConfigDict, Field
from sqlalchemy.orm import Session

from app.services.studies import find_study
from app.services.study_options import StudyOptions, options_of
from app.services.way import check_changes, check_editing
from app.services.way.check_editing import CheckLine
from app.services.way.options import change_options
from app.storage.models import Item, Study
from app.web.access import CurrentPrincipal
from app.web.api.once import once
from app.web.api.paging import Page, shown_page
from app.web.api.permissions import CHANGE, READ, READ_DESK
from app.web.api.questionnaire import Move
from app.web.api.shapes import Incoming, Outgoing, body
from app.web.database import ReadSession, WriteSession
from app.web.parameters import RowId
from app.web.studies import LockedStudy

router = APIRouter(prefix="/studies/{slug}", tags=["way"])

Answers = dict[str, Any]
Feedback = Annotated[str, Field(max_length=5_000)]


class CheckShown(Outgoing):
    """A practice item or check in use, with what is right about it, by question. ``shown``: to how many people."""

    item: int
    role: Literal["practice", "loud", "silent"]
    instrument: str
    problem: str
    text: str
    original: str | None
    answers: Answers
    feedback: str
    shown: int


class NewChecks(Incoming):
    """Practice items and checks, as the page takes them line by line. All are stored, or none."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "checks": [
                        {"role": "practice", "intent": "Sort a", "text": "a.sort()", "answers": {"helpfulness": 4}}
                    ]
                }
            ]
        }
    )

    checks: Annotated[list[CheckLine], Field(min_length=1, max_length=1_000)]


class Expected(Incoming):
    """What is right, by question: an answer, a list of answers, or of a number {"least": …, "most": …}."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"answers": {"helpfulness": [3, 4]}}]})

    answers: Answers
    feedback: Feedback = ""


class NewUse(Expected):
    """What a stored item is used as, too."""

    role: Literal["practice", "loud", "silent"]


@router.get("/way", dependencies=[READ])
def show_options(session: ReadSession, slug: str) -> StudyOptions:
    """The settings of the way, defaults filled in."""
    return options_of(find_study(session, slug))


@router.put("/way", dependencies=[CHANGE])
@once
def keep_options(
    principal: CurrentPrincipal,
    wanted: Annotated[StudyOptions, body(StudyOptions)],
    session: WriteSession,
    study: LockedStudy,
) -> StudyOptions:
    """Keep these settings; what is not said is as it is by default."""
    change_options(session, principal.actor, study, wanted)
    return options_of(study)


@router.get("/checks", dependencies=[READ_DESK])
def list_checks(session: ReadSession, slug: str) -> Page[CheckShown]:
    """All practice items and checks that are in use, in their order."""
    return _checks(session, find_study(session, slug))


@router.post("/checks", dependencies=[CHANGE], status_code=201)
@once
def add_checks(
    principal: CurrentPrincipal,
    wanted: Annotated[NewChecks, body(NewChecks)],
    session: WriteSession,
    study: LockedStudy,
) -> Page[CheckShown]:
    """Add practice items and checks with texts of their own."""
    lines = "\n".join(json.dumps(each.model_dump(exclude_none=True)) for each in wanted.checks)
    check_editing.import_lines(session, principal.actor, study, lines)
    return _checks(session, study)


@router.post("/checks/of/{item_id}", dependencies=[CHANGE], status_code=201)
@once
def use_item(
    item_id: RowId,
    principal: CurrentPrincipal,
    wanted: Annotated[NewUse, body(NewUse)],
    session: WriteSession,
    *,
    study: LockedStudy,
) -> CheckShown:
    """Make a practice item or check of a stored item, which nobody is asked about meanwhile."""
    item = check_editing.stored_item(session, study, item_id)
    made = check_editing.use_item(session, principal.actor, study, item, **wanted.model_dump())
    return _check(session, study, made)


@router.put("/checks/{item_id}", dependencies=[CHANGE])
@once
def change_check(
    item_id: RowId,
    principal: CurrentPrincipal,
    wanted: Annotated[Expected, body(Expected)],
    session: WriteSession,
    *,
    study: LockedStudy,
) -> CheckShown:
    """Keep other right answers and another explanation."""
    item = check_changes.check_of(session, study, item_id)
    check_changes.change_expected(session, principal.actor, study, item, **wanted.model_dump())
    return _check(session, study, item)


@router.post("/checks/{item_id}/move", dependencies=[CHANGE])
@once
def move_practice(
    item_id: RowId,
    principal: CurrentPrincipal,
    wanted: Annotated[Move, body(Move)],
    session: WriteSession,
    *,
    study: LockedStudy,
) -> Page[CheckShown]:
    """Let a practice item come earlier or later."""
    item = check_changes.check_of(session, study, item_id)
    check_changes.move(session, principal.actor, study, item, wanted.way)
    return _checks(session, study)


@router.delete("/checks/{item_id}", dependencies=[CHANGE])
@once
def remove_check(slug: str, item_id: RowId, principal: CurrentPrincipal, session: WriteSession) -> Page[CheckShown]:
    """Show a practice item or check to nobody any more. Answers that it got stay."""
    study = find_study(session, slug)
    check_editing.remove(session, principal.actor, study, item_id)
    return _checks(session, study)


def _checks(session: Session, study: Study) -> Page[CheckShown]:
    return shown_page([_shown(each) for each in check_editing.check_rows(session, study)], None)


def _check(session: Session, study: Study, item: Item) -> CheckShown:
    return next(_shown(each) for each in check_editing.check_rows(session, study) if each.item.id == item.id)


def _shown(row: check_editing.CheckRow) -> CheckShown:
    expected = row.item.expected or {"answers": {}}
    return CheckShown(
        item=row.item.id,
        role=row.item.role,
        instrument=row.instrument.name,
        problem=row.problem.key,
        text=row.item.text,
        original=row.item.original,
        answers=expected["answers"],
        feedback=expected.get("feedback", ""),
        shown=row.shown,
    )
