"""Do one run: claim its row, call its handler, store the result and "done" in one commit."""

import traceback
from datetime import datetime
from typing import Any

import structlog
from sqlalchemy import and_, or_, update
from sqlalchemy.orm import Session

from app.clock import utc_now
from app.config import Settings
from app.errors import AppError
from app.services.runs.context import LEASE, RunCancelled, RunContext, RunLost
from app.services.runs.registry import handler_of
from app.storage.engine import Database
from app.storage.models import Run

log = structlog.get_logger()


def execute(database: Database, settings: Settings, run_id: int, *, worker: str) -> bool:
    """Do the run unless someone else does or it has ended; True when this call did it."""
    context = _claim(database, settings, run_id, worker)
    if context is None:
        return False
    try:
        store = handler_of(_kind(database, run_id))(context)
        with context.write() as session:
            result = store(session)
            _end(session, context, "done", result=result, message=result.get("message", ""))
    except RunLost:
        log.warning("run_lost", run=context.public_id)
    except RunCancelled:
        _end_now(context, "cancelled", message="Cancelled. What was stored before stays.")
    except AppError as error:
        _end_now(context, "failed", message=error.in_words())
    except Exception as error:  # a run's failure is data: the page shows it
        log.error("run_failed", run=context.public_id, exc_info=error)
        message = f"An unexpected failure ({type(error).__name__}). The details are below."
        _end_now(context, "failed", message=message, trace=traceback.format_exc())
    return True


def _claim(database: Database, settings: Settings, run_id: int, worker: str) -> RunContext | None:
    now = utc_now()
    with database.write() as session:
        statement = (
            update(Run)
            .where(Run.id == run_id, _claimable(now))
            .values(
                state="running",
                fence=Run.fence + 1,
                attempt=Run.attempt + 1,
                worker=worker,
                lease_until=now + LEASE,
                started_at=now,
                message="",
            )
            .returning(Run)
        )
        run = session.scalar(statement)
        if run is None:
            return None
        return RunContext(
            database, settings, run.id, run.public_id, run.study_id, run.user_id, run.payload, run.fence
        )


def _claimable(now: datetime) -> Any:
    return or_(
        and_(Run.state == "queued", or_(Run.not_before.is_(None), Run.not_before <= now)),
        and_(Run.state == "running", Run.lease_until < now),
    )


def _kind(database: Database, run_id: int) -> str:
    with database.read() as session:
        return session.get_one(Run, run_id).kind


def _end_now(context: RunContext, state: str, **values: object) -> None:
    with context.database.write() as session:
        _end(session, context, state, **values)


def _end(session: Session, context: RunContext, state: str, **values: object) -> None:
    session.execute(
        update(Run)
        .where(Run.id == context.run_id, Run.fence == context.fence, Run.state == "running")
        .values(state=state, finished_at=utc_now(), lease_until=None, **values)
    )
