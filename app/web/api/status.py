"""How the installation is: what the page of admins tells in words."""

from fastapi import APIRouter, Request

from app import __version__
from app.services.status.report import make_report
from app.web.api.permissions import ADMINISTER
from app.web.api.shapes import Outgoing
from app.web.database import ReadSession

router = APIRouter(tags=["status"])


class QueueShown(Outgoing):
    """One queue; ``oldest_seconds``: how long the run that waits longest has waited."""

    queue: str
    waiting: int
    running: int
    oldest_seconds: float
    workers: int


class StatusShown(Outgoing):
    """``problems``: what is wrong, by name, the worst first; empty when everything works."""

    version: str
    mode: str
    database: str
    problems: list[str]
    checks: dict[str, str]
    queues: list[QueueShown]
    free_bytes: int
    webhooks_not_taken: int


@router.get("/status", dependencies=[ADMINISTER])
def show_status(request: Request, session: ReadSession) -> StatusShown:
    """How the installation is at this moment."""
    settings = request.app.state.settings
    report = make_report(session, settings, request.app.state.readiness)
    return StatusShown(
        version=__version__,
        mode=settings.mode,
        database=f"{report.database.kind} {report.database.version}",
        problems=report.problems,
        checks={name: check.state for name, check in report.checks.items()},
        queues=[
            QueueShown(
                queue=each.name,
                waiting=each.waiting,
                running=each.running,
                oldest_seconds=each.oldest.total_seconds(),
                workers=each.workers,
            )
            for each in report.queues
        ],
        free_bytes=report.disk.free,
        webhooks_not_taken=len(report.not_taken),
    )
