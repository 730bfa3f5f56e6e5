"""Do one run: claim its row, call its handler, store the result and "done" in one commit."""

import time
import traceback
from datetime import datetime

import structlog
from sqlalchemy import case, select, update
from sqlalchemy.exc import DBAPIError, OperationalError, SQLAlchemyError
from sqlalchemy.orm import Session

from app import tracing
from app.clock import utc_now
from app.config import Settings
from app.errors import AppError
from app.services.runs.context import LEASE, RunCancelled, RunContext, RunGivesWay, RunLost
from app.services.runs.ending import (
    CANCELLED,
    DATABASE_AWAY,
    MET_ANOTHER,
    end,
    end_now,
    give_way,
    is_due,
    put_back,
    storable,
)
from app.services.runs.processes import process_name
from app.services.runs.pulse import pulse
from app.services.runs.registry import Store, handler_of
from app.storage.engine import Database
from app.storage.models import Run, Study
from app.storage.planner import renew_statistics
from app.storage.troubles import met_another
from app.words import gettext

log = structlog.get_logger()


def execute(database: Database, settings: Settings, run_id: int) -> bool:
    """Do the run unless someone else does or it has ended; True when this call took it."""
    claimed = _claim(database, settings, run_id)
    return claimed is not None and _do(*claimed)


def execute_for_message(database: Database, settings: Settings, run_id: int, *, expendable: bool) -> bool:
    """What a worker does when a message names that run: a more urgent one, if there is one, else this one.

    ``expendable``: this process does nothing else, and may be ended if the run can't be stopped otherwise.
    """
    claimed = _claim(database, settings, run_id, urgent_first=True)
    if claimed is None:
        return False
    context, kind = claimed
    context.gives_way, context.expendable = True, expendable
    return _do(context, kind)


def _do(context: RunContext, kind: str) -> bool:
    about = {"run": context.public_id, "study": context.study} if context.study else {"run": context.public_id}
    began = time.monotonic()
    with (
        structlog.contextvars.bound_contextvars(**about),
        tracing.run_span(context.public_id, kind, context.study),
    ):
        outcome = _attempt(context, kind)
        log.info("run_ended", kind=kind, outcome=outcome, seconds=round(time.monotonic() - began, 2))
        _renew_statistics(context.database)
    return True


def _renew_statistics(database: Database) -> None:
    """A courtesy to whoever asks next: what the run came to is stored, and stays so where this fails."""
    try:
        renew_statistics(database.engine)
    except SQLAlchemyError as error:
        log.warning("statistics_not_renewed", error=type(error).__name__)


def _attempt(context: RunContext, kind: str) -> str:
    """One attempt, and how it ended."""
    try:
        with pulse(context):
            _finish(context, handler_of(kind)(context))
    except RunLost:
        log.warning("run_lost")
        return "lost"
    except RunGivesWay:
        give_way(context)
        return "gave_way"
    except RunCancelled:
        end_now(context, "cancelled", message=CANCELLED)
        return "cancelled"
    except AppError as error:
        end_now(context, "failed", message=error.in_words())
        return "failed"
    except Exception as error:  # a run's failure is data: the page shows it
        return _fail_unexpectedly(context, error)
    return "done"


def _claim(
    database: Database, settings: Settings, run_id: int, *, urgent_first: bool = False
) -> tuple[RunContext, str] | None:
    """Own a run: one UPDATE decides, however many workers got a message. Only a sweeper takes a lost one back."""
    now = utc_now()
    with database.write() as session:
        chosen = _most_urgent(session, run_id, now) if urgent_first else run_id
        statement = (
            update(Run)
            .where(Run.id == chosen, is_due(now))
            .values(
                state="running",
                fence=Run.fence + 1,
                attempt=Run.attempt + 1,
                worker=process_name(),
                lease_until=now + LEASE,
                started_at=now,
                measured_at=None,
                message="",
            )
            .returning(Run)
        )
        run = session.scalar(statement)
        if run is None:
            return None
        ids = (run.id, run.public_id, run.study_id, run.user_id)
        context = RunContext(database, settings, *ids, run.payload, run.fence, run.queue, run.priority)
        context.study = session.scalar(select(Study.slug).where(Study.id == run.study_id)) if run.study_id else None
        return context, run.kind


def _most_urgent(session: Session, run_id: int, now: datetime) -> int:
    """The run to do where a message names this one: messages keep the order in which they were sent, and since then
    somebody may have begun to wait for another run of the same queue."""
    named = session.execute(select(Run.queue, Run.priority).where(Run.id == run_id, is_due(now))).one_or_none()
    if named is None:
        return run_id
    urgent = session.scalar(
        select(Run.id)
        .where(Run.queue == named.queue, Run.priority > named.priority, is_due(now))
        .order_by(Run.priority.desc(), Run.id)
        .limit(1)
        .with_for_update(skip_locked=True)
    )
    if urgent is None:
        return run_id
    session.execute(update(Run).where(Run.id == run_id).values(published_at=None))  # its message is used up
    return urgent


def _finish(context: RunContext, store: Store) -> None:
    with context.database.write() as session:
        result = store(session)
        context.hold(session)
        # How much there was to do is often an estimate; when it is done, all of it is.
        all_done = case((Run.total > 0, Run.total), else_=Run.done)
        end(session, context, "done", result=result, message=result.get("message", ""), done=all_done)


def _fail_unexpectedly(context: RunContext, error: Exception) -> str:
    log.error("run_failed", exc_info=error)
    trace = traceback.format_exc()
    if (passing := passing_reason(error)) and put_back(context, message=passing):
        return "put_back"
    message = gettext(
        "An unexpected failure (%(name)s). What was stored before stays; the details are below.",
        name=type(error).__name__,
    )
    end_now(context, "failed", message=message, trace=storable(trace))
    return "failed"


def passing_reason(error: Exception) -> str | None:
    """Why another attempt may well succeed; None where nothing speaks for it."""
    if met_another(error):
        return MET_ANOTHER  # what was looked for is there now
    away = isinstance(error, OperationalError) or (isinstance(error, DBAPIError) and error.connection_invalidated)
    return DATABASE_AWAY if away else None
