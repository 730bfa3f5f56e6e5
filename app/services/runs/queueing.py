"""Ask for runs, cancel them, try them again. Only rows change here; workers find them by themselves."""

from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from app import tracing
from app.clock import utc_now
from app.errors import Conflict, NotFound
from app.ids import new_opaque_id
from app.storage.models import Run
from app.words import N_, gettext

NOT_STARTED = N_("Cancelled before it started.")  # stored in English, as all that is told of runs


def enqueue(
    session: Session,
    kind: str,
    payload: dict[str, Any],
    *,
    study_id: int | None = None,
    user_id: int | None = None,
    queue: str = "cpu",
    priority: int = 0,
) -> Run:
    """Add a run. Its message is sent by a worker's sweeper after this transaction has committed."""
    run = Run(
        public_id=new_opaque_id(),
        kind=kind,
        payload=payload,
        study_id=study_id,
        user_id=user_id,
        queue=queue,
        priority=priority,
    )
    session.add(run)
    session.flush()  # the caller shows the run's id
    tracing.link_run(run.public_id)
    return run


def find(session: Session, public_id: str) -> Run:
    """The run with that id."""
    run = session.scalar(select(Run).where(Run.public_id == public_id))
    if run is None:
        raise NotFound(gettext("There is no such run."))
    return run


def cancel(session: Session, run: Run) -> None:
    """Stop a waiting run at once; ask a running one to stop at its next step."""
    session.refresh(run, with_for_update=True)  # a worker may be starting or ending it at this moment
    if run.state == "queued":
        run.state, run.finished_at, run.message = "cancelled", utc_now(), NOT_STARTED
    elif run.state == "running":
        run.cancel_requested_at = utc_now()
    else:
        raise Conflict(gettext("This run has ended; there is nothing to cancel."))
    session.flush()


def retry(session: Session, run: Run) -> None:
    """Put a failed or cancelled run back into the queue; it goes on from its last stored chunk."""
    session.refresh(run, with_for_update=True)
    if run.state not in ("failed", "cancelled"):
        raise Conflict(gettext("Only a run that failed or was cancelled can be tried again."))
    run.state, run.message, run.trace = "queued", "", None
    run.attempt = 0
    run.measured_at = None
    run.published_at = run.cancel_requested_at = run.finished_at = run.lease_until = None
    run.not_before = utc_now()  # since when it waits
    session.flush()
