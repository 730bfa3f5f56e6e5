"""The runs that make a set: at most one waits or goes on."""

from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.errors import Conflict
from app.services.perturbing.recipes import Recipe
from app.services.runs import enqueue
from app.storage.models import Benchmark, Run
from app.words import gettext

KIND = "perturbing"


def start(session: Session, made: Benchmark, *, user_id: int | None = None) -> Run:
    """Add the rows that are missing."""
    payload: dict[str, Any] = {"set": made.id}
    if upload := Recipe.of(made).upload:
        payload["sha256"] = upload  # whose file is kept as long as a run names it
    return enqueue(session, KIND, payload, user_id=user_id)


def newest_run(session: Session, made: Benchmark) -> Run | None:
    """The newest run that makes the set."""
    of_it = Run.payload["set"].as_integer() == made.id
    return session.scalar(select(Run).where(Run.kind == KIND, of_it).order_by(Run.id.desc()).limit(1))


def pending_run(session: Session, made: Benchmark) -> Run | None:
    """The run that makes the set, where one waits or goes on."""
    run = newest_run(session, made)
    return run if run is not None and run.state in ("queued", "running") else None


def unfinished_run(session: Session, made: Benchmark, *, user_id: int | None = None) -> Run | None:
    """The run that makes the set, started again where it failed or was cancelled; None where the set is made."""
    run = newest_run(session, made)
    if run is not None and run.state in ("failed", "cancelled"):
        return start(session, made, user_id=user_id)
    return pending_run(session, made)


def waiting_run(session: Session, made: Benchmark, *, takes_up: bool) -> Run | None:
    """The run that makes the set and that nobody does yet; Conflict where it can't be taken up."""
    run = pending_run(session, made)
    if run is None:
        return None
    session.refresh(run, with_for_update=True)  # whoever starts it at this moment has read the smaller recipe
    if run.state == "queued" and takes_up:
        return run
    if run.state not in ("queued", "running"):
        return None
    raise Conflict(gettext("The set is being made already."), remedy=_until_when(run))


def _until_when(run: Run) -> str:
    if run.lease_until is None:
        return gettext("Wait until that is done.")
    return gettext(
        "Wait until that is done. If its process was ended by force, ask again after %(time)s UTC: then it goes on.",
        time=run.lease_until.strftime("%H:%M:%S"),
    )
