"""The decision log, of a study and of the whole installation."""

from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Query, Request
from sqlalchemy.orm import Session
from starlette.responses import Response

from app.services.desk import decision_log
from app.services.desk.decision_log import LogFilter
from app.services.exports.formats import csv_lines
from app.services.studies import find_study
from app.storage.models import Study
from app.web.access import ADMIN
from app.web.database import ReadSession
from app.web.desk_pages import desk_page
from app.web.downloads import attachment
from app.web.parameters import QueriedRow
from app.web.templating import render

router = APIRouter()

Text = Annotated[str, Query(max_length=320)]


def _filter(person: Text = "", kind: Text = "", before: QueriedRow = None) -> LogFilter:
    return LogFilter(person, kind, before)


Wanted = Annotated[LogFilter, Depends(_filter)]


@router.get("/studies/{slug}/desk/log", dependencies=[ADMIN])
def study_log(request: Request, slug: str, session: ReadSession, wanted: Wanted) -> Response:
    """Every decision about the study."""
    study = find_study(session, slug)
    return desk_page(request, "desk/log.html", study, "log", **_context(session, study, wanted))


@router.get("/studies/{slug}/desk/log.csv", dependencies=[ADMIN])
def study_log_file(slug: str, session: ReadSession, wanted: Wanted) -> Response:
    """The same as a file."""
    return _file(session, find_study(session, slug), wanted, f"{slug}-log.csv")


@router.get("/log", dependencies=[ADMIN])
def log(request: Request, session: ReadSession, wanted: Wanted) -> Response:
    """Every decision in the installation."""
    return render(request, "desk/log_everywhere.html", **_context(session, None, wanted))


@router.get("/log.csv", dependencies=[ADMIN])
def log_file(session: ReadSession, wanted: Wanted) -> Response:
    """The same as a file."""
    return _file(session, None, wanted, "codejury-log.csv")


def _context(session: Session, study: Study | None, wanted: LogFilter) -> dict[str, Any]:
    entries, older = decision_log.log_page(session, study, wanted)
    chosen = {name: value for name in ("person", "kind") if (value := getattr(wanted, name))}
    return {
        "entries": entries,
        "wanted": wanted,
        "older": urlencode({**chosen, "before": older}) if older else None,
        "query": urlencode(chosen),
        "kinds": decision_log.kinds_of(session, study),
        "log_people": decision_log.people_of(session, study),
        "address": f"/studies/{study.slug}/desk/log" if study else "/log",
    }


def _file(session: Session, study: Study | None, wanted: LogFilter, name: str) -> Response:
    content = b"".join(csv_lines(decision_log.COLUMNS, decision_log.log_rows(session, study, wanted)))
    return attachment(content, name, "text/csv; charset=utf-8")
