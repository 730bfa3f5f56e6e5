"""Runs: the list, one run with its progress, cancel and retry.

Another page shows a run's progress by ``{% include "runs/_status.html" %}`` with ``view`` from
``views.describe(session, run, principal)``. The fragment asks ``/runs/{id}/status`` every second while the run is
active. When it has ended, the fragment shows the end and the event ``runfinished`` (detail: id, state) rises from it,
so that a figure can replace itself in place:

    <section id="figure" hx-get="/studies/x/systems" hx-trigger="runfinished from:body" hx-select="#figure"
             hx-swap="outerHTML"> … {% include "runs/_status.html" %} … </section>
"""

import json
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from starlette.responses import Response

from app.services import runs
from app.services.runs import views
from app.storage.models import Run
from app.web.access import RESEARCHER, CurrentPrincipal
from app.web.database import ReadSession, WriteSession
from app.web.htmx import is_fragment_request, redirect
from app.web.parameters import QueriedRow
from app.web.templating import render

router = APIRouter(prefix="/runs")


@router.get("", dependencies=[RESEARCHER])
def list_runs(
    request: Request,
    session: ReadSession,
    *,
    state: str = "",
    kind: str = "",
    study: str = "",
    before: QueriedRow = None,
) -> Response:
    """All runs, newest first."""
    wanted = views.RunFilter(state, kind, study, before)
    found, older = views.list_runs(session, wanted)
    chosen = {name: value for name in ("state", "kind", "study") if (value := getattr(wanted, name))}
    return render(
        request,
        "runs/list.html",
        views=found,
        wanted=wanted,
        query=urlencode(chosen),
        older=urlencode({**chosen, "before": older}) if older else None,
        kinds=views.kinds(session),
        kind_in_words=views.kind_in_words,
        studies=views.studies_with_runs(session),
        idle_queues=views.idle_queues(session),
    )


@router.get("/{public_id}", dependencies=[RESEARCHER])
def show_run(request: Request, session: ReadSession, principal: CurrentPrincipal, public_id: str) -> Response:
    """One run."""
    return render(request, "runs/run.html", view=views.describe(session, runs.find(session, public_id), principal))


@router.get("/{public_id}/status", dependencies=[RESEARCHER])
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


@router.post("/{public_id}/cancel", dependencies=[RESEARCHER])
def cancel_run(request: Request, session: WriteSession, principal: CurrentPrincipal, public_id: str) -> Response:
    """Stop it."""
    run = runs.find(session, public_id)
    views.require_may_change(run, principal)
    runs.cancel(session, run)
    return _after_change(request, session, principal, run)


@router.post("/{public_id}/retry", dependencies=[RESEARCHER])
def retry_run(request: Request, session: WriteSession, principal: CurrentPrincipal, public_id: str) -> Response:
    """Try it again, from its last stored step."""
    run = runs.find(session, public_id)
    views.require_may_change(run, principal)
    runs.retry(session, run)
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
