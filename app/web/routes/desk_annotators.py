"""The desk's annotators: who they are, how well they grade, and who is left out."""

from collections.abc import Callable
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from pydantic import Field
from sqlalchemy.orm import Session
from starlette.responses import Response

from app.errors import InvalidInput, NotFound
from app.services import annotators, invitation_links
from app.services.desk import exclusion, runs
from app.services.desk.people import find_annotator, people_of, person_of
from app.services.desk.quality import MEASURES, QUALITY_COLUMNS, quality_row
from app.services.exports.formats import csv_lines
from app.services.studies import find_study
from app.storage.models import Study
from app.web.access import ADMIN, CurrentPrincipal
from app.web.database import ReadSession, WriteSession
from app.web.desk_pages import desk_page, run_view
from app.web.downloads import attachment
from app.web.forms import FormInvalid, FormModel, FormState, Posted, read_form
from app.web.htmx import redirect
from app.web.paging import PageNumber, paged
from app.web.parameters import RowId
from app.words import gettext

router = APIRouter(prefix="/studies/{slug}/desk")

QuestionName = Annotated[str, Query(max_length=80)]


class NameForm(FormModel):
    """A name, or whatever the admin wants to remember of an annotator; empty removes it."""

    name: Annotated[str, Field(max_length=200)] = ""


class ReasonForm(FormModel):
    """Why somebody is excluded or restored."""

    reason: Annotated[str, Field(min_length=1, max_length=1_000)]


class QuestionForm(FormModel):
    """By which question the annotators are measured."""

    question: Annotated[str, Field(min_length=1, max_length=80)]


@router.get("/annotators", dependencies=[ADMIN])
def list_annotators(
    *,
    request: Request,
    slug: str,
    session: ReadSession,
    principal: CurrentPrincipal,
    question: QuestionName = "",
    page: PageNumber = 1,
) -> Response:
    """Who takes part, and how well each grades."""
    return _list(request, session, find_study(session, slug), principal, question=question, page=page)


@router.post("/annotators/measure", dependencies=[ADMIN])
def measure(
    request: Request, slug: str, session: WriteSession, principal: CurrentPrincipal, posted: Posted
) -> Response:
    """Ask for the table of quality."""
    try:
        form = read_form(QuestionForm, posted)
    except FormInvalid:
        raise InvalidInput(gettext("Choose a question.")) from None
    runs.request_quality(session, find_study(session, slug), form.question, principal.user_id)
    return redirect(request, f"/studies/{slug}/desk/annotators?question={form.question}#quality")


@router.get("/quality.csv", dependencies=[ADMIN])
def quality_file(slug: str, session: ReadSession, question: QuestionName = "") -> Response:
    """The table of quality as a file."""
    study = find_study(session, slug)
    name = _question(session, study, question)
    found = runs.found_by(session, study, runs.QUALITY, question=name) if name else None
    if found is None:
        raise NotFound(
            gettext("The annotators have not been measured yet."), remedy=gettext("Measure them on the desk first.")
        )
    content = b"".join(csv_lines(QUALITY_COLUMNS, map(quality_row, found.document["people"])))
    return attachment(content, f"{slug}-annotators-{name}.csv", "text/csv; charset=utf-8")


@router.get("/annotators/{annotator_id}", dependencies=[ADMIN])
def one_annotator(
    request: Request, slug: str, annotator_id: RowId, session: ReadSession, principal: CurrentPrincipal
) -> Response:
    """One annotator, and what leaving them out would change."""
    return _one(request, session, find_study(session, slug), annotator_id, principal)


@router.post("/annotators/{annotator_id}/effect", dependencies=[ADMIN])
def measure_effect(
    request: Request, slug: str, annotator_id: RowId, session: WriteSession, principal: CurrentPrincipal
) -> Response:
    """Ask what excluding or restoring the annotator would change."""
    runs.request_effect(session, find_study(session, slug), annotator_id, principal.user_id)
    return redirect(request, f"/studies/{slug}/desk/annotators/{annotator_id}")


@router.post("/annotators/{annotator_id}/exclude", dependencies=[ADMIN])
def exclude(
    request: Request,
    slug: str,
    annotator_id: RowId,
    principal: CurrentPrincipal,
    *,
    posted: Posted,
    session: WriteSession,
) -> Response:
    """Leave the annotator's grades out of all results."""
    study = find_study(session, slug)
    return _decide(request, session, study, annotator_id, principal, posted=posted, decide=exclusion.exclude)


@router.post("/annotators/{annotator_id}/restore", dependencies=[ADMIN])
def restore(
    request: Request,
    slug: str,
    annotator_id: RowId,
    principal: CurrentPrincipal,
    *,
    posted: Posted,
    session: WriteSession,
) -> Response:
    """Let the annotator's grades count again."""
    study = find_study(session, slug)
    return _decide(request, session, study, annotator_id, principal, posted=posted, decide=exclusion.restore)


@router.post("/annotators/{annotator_id}/link", dependencies=[ADMIN])
def personal_link(
    request: Request, slug: str, annotator_id: RowId, principal: CurrentPrincipal, session: WriteSession
) -> Response:
    """Make a new personal link for an annotator who lost theirs."""
    study = find_study(session, slug)
    token = invitation_links.renew_personal_link(session, principal.actor, study, annotator_id)
    link = f"{request.app.state.settings.public_url}/me/{token}"
    return _list(request, session, study, principal, personal_link=link, link_for=annotator_id)


@router.post("/annotators/{annotator_id}/name", dependencies=[ADMIN])
def name_annotator(
    request: Request,
    slug: str,
    annotator_id: RowId,
    principal: CurrentPrincipal,
    *,
    posted: Posted,
    session: WriteSession,
) -> Response:
    """Keep a name or a note for an annotator."""
    try:
        form = read_form(NameForm, posted)
    except FormInvalid:
        raise InvalidInput(gettext("A name has 200 characters at most.")) from None
    annotators.rename(session, principal.actor, find_study(session, slug), annotator_id, form.name)
    return redirect(request, f"/studies/{slug}/desk/annotators")


def _question(session: Session, study: Study, wanted: str) -> str | None:
    """The question asked for; by default the first one that is answered by numbers."""
    names = [each.name for each in runs.measured_questions(session, study)]
    if wanted and wanted not in names:
        raise NotFound(gettext("The study asks no such question that is answered by a number."))
    return wanted or next(iter(names), None)


def _list(
    request: Request,
    session: Session,
    study: Study,
    principal: CurrentPrincipal,
    *,
    question: str = "",
    page: int = 1,
    **more: Any,
) -> Response:
    chosen = _question(session, study, question)
    quality = runs.found_by(session, study, runs.QUALITY, question=chosen)
    return desk_page(
        request,
        "desk/annotators.html",
        study,
        "annotators",
        people=paged(people_of(session, study), page),
        questions=runs.measured_questions(session, study),
        question=chosen,
        quality=quality,
        measured=paged(quality.document["people"] if quality else [], page),
        measures=MEASURES,
        view=run_view(session, runs.latest_run(session, study, runs.QUALITY, question=chosen), principal),
        **({"personal_link": None, "link_for": None} | more),
    )


def _decide(
    request: Request,
    session: Session,
    study: Study,
    annotator_id: int,
    principal: CurrentPrincipal,
    *,
    posted: dict[str, str],
    decide: Callable[[Session, str, Study, int, str], None],
) -> Response:
    """Exclude or restore, with the reason that was given; without one the page says so."""
    try:
        form = read_form(ReasonForm, posted)
    except FormInvalid as invalid:
        return _one(request, session, study, annotator_id, principal, form=invalid.state, status_code=422)
    decide(session, principal.actor, study, annotator_id, form.reason)
    return redirect(request, f"/studies/{study.slug}/desk/annotators/{annotator_id}")


def _one(
    request: Request,
    session: Session,
    study: Study,
    annotator_id: int,
    principal: CurrentPrincipal,
    *,
    form: FormState | None = None,
    status_code: int = 200,
) -> Response:
    annotator = find_annotator(session, study, annotator_id)
    wanted = {"annotator": annotator_id, "restoring": annotator.excluded_at is not None}
    question = _question(session, study, "")
    quality = runs.found_by(session, study, runs.QUALITY, question=question)
    people = quality.document["people"] if quality else []
    return desk_page(
        request,
        "desk/annotator.html",
        study,
        "annotators",
        status_code=status_code,
        person=person_of(session, study, annotator_id),
        question=question,
        measured=next((each for each in people if each["annotator"] == annotator_id), None),
        measures=MEASURES,
        effect=runs.found_by(session, study, runs.EFFECT, **wanted),
        earlier=runs.found_by(session, study, runs.EFFECT, **wanted | {"restoring": not wanted["restoring"]}),
        view=run_view(session, runs.latest_run(session, study, runs.EFFECT, **wanted), principal),
        form=form or FormState(),
    )
