"""Runs: the list of all, a study's own, one run with its progress, cancel and retry.

Another page shows a run's progress by ``{% include "runs/_status.html" %}`` with ``view`` from
``views.describe(session, run, principal)``. The fragment asks ``/runs/{id}/status`` every second while the run is
active. When it has ended, the fragment shows the end and the event ``runfinished`` (detail: id, state) rises from it,
so that a figure can replace itself in place:

    <section id="figure" hx-get="/studies/x/systems" hx-trigger="runfinished from:body" hx-select="#figure"
             hx-swap="outerHTML"> … {% include "runs/_status.html" %} … </section>
"""

import json
from dataclasses import replace
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Query, Request
from sqlalchemy.orm import Session
from starlette.responses import Response

from app.services import audit, runs
from app.services.runs import views
from app.services.studies import find_study
from app.storage.models import Run, Study
from app.web.access import RESEARCHER, CurrentPrincipal
from app.web.database import ReadSession, WriteSession
from app.web.htmx import is_fragment_request, redirect
from app.web.parameters import QueriedRow
from app.web.templating import render

router = APIRouter()
Text = Annotated[str, Query(max_length=200)]
FILTERS = ("state", "kind", "study", "person", "hours")


def _filter(
    *,
    state: Text = "",
    kind: Text = "",
    study: Text = "",
    person: Text = "",
    hours: Annotated[int, Query(ge=0, le=100_000)] = 0,
    before: QueriedRow = None,
) -> views.RunFilter:
    return views.RunFilter(state, kind, study, person, hours, before)


Wanted = Annotated[views.RunFilter, Depends(_filter)]


@router.get("/runs", dependencies=[RESEARCHER])
def list_runs(request: Request, session: ReadSession, wanted: Wanted) -> Response:
    """All runs, newest first."""
    studies = views.studies_with_runs(session)
    return render(request, "runs/list.html", studies=studies, **_context(session, wanted, None))


@router.get("/studies/{slug}/runs", dependencies=[RESEARCHER])
def list_study_runs(request: Request, session: ReadSession, slug: str, wanted: Wanted) -> Response:
    """The study's own."""
    study = find_study(session, slug)
    wanted = replace(wanted, study=study.slug)
    return render(request, "runs/study.html", study=study, tab="runs", **_context(session, wanted, study))


def _context(session: Session, wanted: views.RunFilter, study: Study | None) -> dict[str, Any]:
    found, older = views.list_runs(session, wanted)
    names = [name for name in FILTERS if study is None or name != "study"]
    chosen = {name: value for name in names if (value := getattr(wanted, name))}
    return {
        "views": found,
        "wanted": wanted,
        "address": f"/studies/{study.slug}/runs" if study else "/runs",
        "query": urlencode(chosen),
        "older": urlencode({**chosen, "before": older}) if older else None,
        "kinds": views.kinds(session),
        "kind_in_words": views.kind_in_words,
        "people": views.people(session),
        "hindered_queues": views.hindered_queues(session, study),
    }


@router.get("/runs/{public_id}", dependencies=[RESEARCHER])
def show_run(request: Request, session: ReadSession, principal: CurrentPrincipal, public_id: str) -> Response:
    """One run."""
    return render(request, "runs/run.html", view=views.describe(session, runs.find(session, public_id), principal))


@router.get("/runs/{public_id}/status", dependencies=[RESEARCHER])
def show_status(
    request: Request, session: ReadSession, principal: CurrentPrincipal, public_id: str, seen: str = ""
) -> Response:
    """What has changed since the page saw the run in state ``seen``: the numbers, or the whole fragment."""
    view = views.describe(session, runs.find(session, public_id), principal)
    if not is_fragment_request(request):
        return redirect(request, f"/runs/{public_id}")
    if view.run.state == seen:
        return render(request, "runs/_progress.html", view=view)
    return _whole(request, view)


@router.post("/runs/{public_id}/cancel", dependencies=[RESEARCHER])
def cancel_run(request: Request, session: WriteSession, principal: CurrentPrincipal, public_id: str) -> Response:
    """Stop it."""
    run = runs.find(session, public_id)
    views.require_may_change(run, principal)
    runs.cancel(session, run)
    audit.record(session, principal.actor, "run cancelled", run.study_id, run=run.public_id, kind=run.kind)
    return _after_change(request, session, principal, run)


@router.post("/runs/{public_id}/retry", dependencies=[RESEARCHER])
def retry_run(request: Request, session: WriteSession, principal: CurrentPrincipal, public_id: str) -> Response:
    """Try it again, from its last stored step."""
    run = runs.find(session, public_id)
    views.require_may_change(run, principal)
    runs.retry(session, run)
    audit.record(session, principal.actor, "run tried again", run.study_id, run=run.public_id, kind=run.kind)
    return _after_change(request, session, principal, run)


def _after_change(request: Request, session: WriteSession, principal: CurrentPrincipal, run: Run) -> Response:
    if is_fragment_request(request):
        return _whole(request, views.describe(session, run, principal))
    return redirect(request, f"/runs/{run.public_id}")


def _whole(request: Request, view: views.RunView) -> Response:
    """The whole fragment in place of the one on the page, said aloud, and an event when the run has ended."""
    answer = render(request, "runs/_status_changed.html", view=view)
    answer.headers["HX-Retarget"] = f"#run-{view.run.public_id}"
    answer.headers["HX-Reswap"] = "outerHTML"
    if not view.is_active:
        detail = {"id": view.run.public_id, "state": view.run.state}
        answer.headers["HX-Trigger"] = json.dumps({"runfinished": detail})
    return answer
