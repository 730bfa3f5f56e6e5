"""How an attempt at a run ends. Each of these is one conditional update: who lost the run changes nothing."""

from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, and_, or_, update
from sqlalchemy.orm import Session

from app.clock import utc_now
from app.services.runs.context import RunContext
from app.storage.models import Run
from app.words import N_

MAX_ATTEMPTS = 3
RETRY_AFTER = timedelta(seconds=5)
CANCELLED = N_("Cancelled. What was stored before stays.")
DATABASE_AWAY = N_("The database was away; this run goes on in a moment.")
MET_ANOTHER = N_("Something else stored the same at this moment; this run looks again and goes on.")
GAVE_WAY = N_("A run that somebody waits for goes first; this one goes on by itself.")


def storable(text: str) -> str:
    """The text without what a database refuses: a failure may tell of anything, and must be stored all the same."""
    return text.encode("utf-8", "backslashreplace").decode().replace("\0", "\\0")


def is_due(now: datetime) -> ColumnElement[bool]:
    """Runs that wait and may start."""
    return and_(Run.state == "queued", or_(Run.not_before.is_(None), Run.not_before <= now))


def end(session: Session, context: RunContext, state: str, *, message: str, **values: object) -> bool:
    """Bring the run to its final state; False when it belongs to somebody else."""
    statement = (
        update(Run)
        .where(_is_mine(context))
        .values(state=state, finished_at=utc_now(), lease_until=None, message=storable(message), **values)
        .returning(Run.id)
    )
    return session.scalar(statement) is not None


def end_now(context: RunContext, state: str, *, message: str, **values: object) -> bool:
    """The same in a transaction of its own."""
    with context.database.write() as session:
        return end(session, context, state, message=message, **values)


def put_back(context: RunContext, *, message: str) -> bool:
    """Queue the run for a further attempt, if it has one left."""
    return _queue_again(context, Run.attempt < MAX_ATTEMPTS, not_before=utc_now() + RETRY_AFTER, message=message)


def give_way(context: RunContext) -> None:
    """Queue the run behind more urgent ones; the attempt doesn't count."""
    _queue_again(context, Run.attempt > 0, attempt=Run.attempt - 1, message=GAVE_WAY)


def _queue_again(context: RunContext, condition: ColumnElement[bool], **values: object) -> bool:
    statement = (
        update(Run)
        .where(_is_mine(context), condition)
        .values(state="queued", published_at=None, lease_until=None, **values)
        .returning(Run.id)
    )
    with context.database.write() as session:
        return session.scalar(statement) is not None


def _is_mine(context: RunContext) -> ColumnElement[bool]:
    return and_(Run.id == context.run_id, Run.fence == context.fence, Run.state == "running")
