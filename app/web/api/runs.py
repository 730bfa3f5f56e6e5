"""Runs: the list, how far one is, cancel and retry."""

from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from pydantic import Field
from sqlalchemy.orm import Session

from app.services import audit, runs
from app.services.listings import newest_runs
from app.services.runs import views
from app.services.studies import find_study
from app.storage.models import Run, Study
from app.web.access import CurrentPrincipal
from app.web.api.once import once
from app.web.api.paging import After, Limit, Page, page_of
from app.web.api.permissions import COMPUTE, READ
from app.web.api.shapes import Outgoing
from app.web.database import ReadSession, WriteSession

router = APIRouter(tags=["runs"])

State = Literal["queued", "running", "done", "failed", "cancelled"]


class RunShown(Outgoing):
    """One run. ``message`` is for people: what happens, or what went wrong; of a failed import, where."""

    run: str
    kind: str
    state: State
    study: str | None
    done: int
    total: int = Field(description="0: not known yet.")
    unit: str
    message: str
    result: dict[str, Any] | None
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    links: dict[str, str]


def shown_run(session: Session, run: Run) -> RunShown:
    """The run as it goes out."""
    study = session.get(Study, run.study_id) if run.study_id else None
    links = {"run": f"/api/v1/runs/{run.public_id}", "page": f"/runs/{run.public_id}"}
    if artifact := (run.result or {}).get("artifact"):
        links["file"] = f"/api/v1/exports/{artifact}"
    return RunShown(
        run=run.public_id,
        kind=run.kind,
        state=run.state,
        study=study.slug if study else None,
        done=run.done,
        total=run.total,
        unit=run.unit,
        message=run.message,
        result=run.result,
        created_at=run.created_at,
        started_at=run.started_at,
        finished_at=run.finished_at,
        links=links,
    )


@router.get("/runs", dependencies=[READ])
def list_runs(
    session: ReadSession,
    after: After,
    limit: Limit = 50,
    *,
    state: State | None = None,
    kind: Annotated[str, Query(max_length=40)] = "",
    study: Annotated[str, Query(max_length=80)] = "",
) -> Page[RunShown]:
    """Runs, the newest first."""
    of = find_study(session, study) if study else None
    found = newest_runs(session, after.row, limit, study=of, state=state or "", kind=kind)
    return page_of(found, lambda run: shown_run(session, run), after)


@router.get("/runs/{public_id}", dependencies=[READ])
def show_run(session: ReadSession, public_id: str) -> RunShown:
    """Where a run stands."""
    return shown_run(session, runs.find(session, public_id))


@router.post("/runs/{public_id}/cancel", dependencies=[COMPUTE])
@once
def cancel_run(session: WriteSession, principal: CurrentPrincipal, public_id: str) -> RunShown:
    """Stop it: a waiting one at once, a running one at its next step."""
    run = runs.find(session, public_id)
    views.require_may_change(run, principal)
    runs.cancel(session, run)
    audit.record(session, principal.actor, "run cancelled", run.study_id, run=run.public_id, kind=run.kind)
    return shown_run(session, run)


@router.post("/runs/{public_id}/retry", dependencies=[COMPUTE])
@once
def retry_run(session: WriteSession, principal: CurrentPrincipal, public_id: str) -> RunShown:
    """Try a failed or cancelled one again, from its last stored step."""
    run = runs.find(session, public_id)
    views.require_may_change(run, principal)
    runs.retry(session, run)
    audit.record(session, principal.actor, "run tried again", run.study_id, run=run.public_id, kind=run.kind)
    return shown_run(session, run)
