"""Do one run: claim its row, call its handler, store the result and "done" in one commit."""

import traceback
from datetime import datetime, timedelta

import structlog
from sqlalchemy import ColumnElement, and_, case, or_, update
from sqlalchemy.exc import DBAPIError, OperationalError
from sqlalchemy.orm import Session

from app.clock import utc_now
from app.config import Settings
from app.errors import AppError
from app.services.runs.context import LEASE, RunCancelled, RunContext, RunLost
from app.services.runs.processes import process_name
from app.services.runs.pulse import pulse
from app.services.runs.registry import Store, handler_of
from app.storage.engine import Database
from app.storage.models import Run
from app.words import N_, gettext

MAX_ATTEMPTS = 3
RETRY_AFTER = timedelta(seconds=5)
CANCELLED = N_("Cancelled. What was stored before stays.")

log = structlog.get_logger()


def execute(database: Database, settings: Settings, run_id: int) -> bool:
    """Do the run unless someone else does or it has ended; True when this call took it."""
    claimed = _claim(database, settings, run_id)
    if claimed is None:
        return False
    context, kind = claimed
    try:
        with pulse(context):
            _finish(context, handler_of(kind)(context))
    except RunLost:
        log.warning("run_lost", run=context.public_id)
    except RunCancelled:
        _end_now(context, "cancelled", message=CANCELLED)
    except AppError as error:
        _end_now(context, "failed", message=error.in_words())
    except Exception as error:  # a run's failure is data: the page shows it
        _fail_unexpectedly(context, error)
    return True


def _claim(database: Database, settings: Settings, run_id: int) -> tuple[RunContext, str] | None:
    """Own the run: one UPDATE decides, however many workers got a message. Only a sweeper takes a lost one back."""
    now = utc_now()
    statement = (
        update(Run)
        .where(Run.id == run_id, is_due(now))
        .values(
            state="running",
            fence=Run.fence + 1,
            attempt=Run.attempt + 1,
            worker=process_name(),
            lease_until=now + LEASE,
            started_at=now,
            message="",
        )
        .returning(Run)
    )
    with database.write() as session:
        run = session.scalar(statement)
        if run is None:
            return None
        ids = (run.id, run.public_id, run.study_id, run.user_id)
        return RunContext(database, settings, *ids, run.payload, run.fence), run.kind


def is_due(now: datetime) -> ColumnElement[bool]:
    """Runs that wait and may start."""
    return and_(Run.state == "queued", or_(Run.not_before.is_(None), Run.not_before <= now))


def _finish(context: RunContext, store: Store) -> None:
    with context.database.write() as session:
        result = store(session)
        context.hold(session)
        # How much there was to do is often an estimate; when it is done, all of it is.
        all_done = case((Run.total > 0, Run.total), else_=Run.done)
        _end(session, context, "done", result=result, message=result.get("message", ""), done=all_done)


def _fail_unexpectedly(context: RunContext, error: Exception) -> None:
    log.error("run_failed", run=context.public_id, exc_info=error)
    trace = traceback.format_exc()
    if is_passing(error) and _put_back(context):
        return
    message = gettext(
        "An unexpected failure (%(name)s). What was stored before stays; the details are below.",
        name=type(error).__name__,
    )
    _end_now(context, "failed", message=message, trace=trace)


def is_passing(error: Exception) -> bool:
    """Whether the database was away or busy, which passes by itself."""
    return isinstance(error, OperationalError) or (isinstance(error, DBAPIError) and error.connection_invalidated)


def _put_back(context: RunContext) -> bool:
    """Queue the run for a further attempt, if it has one left."""
    statement = (
        update(Run)
        .where(_is_mine(context), Run.attempt < MAX_ATTEMPTS)
        .values(
            state="queued",
            published_at=None,
            lease_until=None,
            not_before=utc_now() + RETRY_AFTER,
            message=gettext("The database was away; this run goes on in a moment."),
        )
        .returning(Run.id)
    )
    with context.database.write() as session:
        return session.scalar(statement) is not None


def _is_mine(context: RunContext) -> ColumnElement[bool]:
    return and_(Run.id == context.run_id, Run.fence == context.fence, Run.state == "running")


def _end_now(context: RunContext, state: str, **values: object) -> None:
    with context.database.write() as session:
        _end(session, context, state, **values)


def _end(session: Session, context: RunContext, state: str, **values: object) -> None:
    session.execute(
        update(Run).where(_is_mine(context)).values(state=state, finished_at=utc_now(), lease_until=None, **values)
    )
