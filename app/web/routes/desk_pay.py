"""The desk's table for paying people."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from app.services.desk.pay import COLUMNS, pay_lines, pay_rows
from app.services.exports.formats import csv_lines
from app.services.studies import find_study
from app.web.access import ADMIN
from app.web.database import ReadSession
from app.web.desk_pages import desk_page
from app.web.downloads import attachment
from app.web.paging import PageNumber, paged

router = APIRouter(prefix="/studies/{slug}/desk")


@router.get("/pay", dependencies=[ADMIN])
def pay(request: Request, slug: str, session: ReadSession, page: PageNumber = 1) -> Response:
    """Who did how much, and how it ended."""
    study = find_study(session, slug)
    return desk_page(request, "desk/pay.html", study, "pay", lines=paged(pay_lines(session, study), page))


@router.get("/pay.csv", dependencies=[ADMIN])
def pay_file(slug: str, session: ReadSession) -> Response:
    """The same as a file; cells that a spreadsheet would take for a formula are made text."""
    lines = pay_lines(session, find_study(session, slug))
    return attachment(b"".join(csv_lines(COLUMNS, pay_rows(lines))), f"{slug}-pay.csv", "text/csv; charset=utf-8")
