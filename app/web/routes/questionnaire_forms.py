"""Edit the forms around the grading: consent, questions about the annotator, closing questions."""

from typing import Annotated, Literal

from fastapi import APIRouter, Path, Request
from sqlalchemy.orm import Session
from starlette.responses import Response

from app.errors import InvalidInput
from app.services import study_settings
from app.services.questionnaires.editing_forms import blank_field, form_content, form_draft, shaped_form, shown_form
from app.services.questionnaires.form_content import FIELD_KINDS, parse_form
from app.services.questionnaires.forms import NOTHING, current_form, publish_form
from app.services.questionnaires.ready_made_forms import ready_made_form
from app.services.questionnaires.versions import latest_version
from app.services.studies import find_study
from app.storage.models import Study
from app.web.access import ADMIN, CurrentPrincipal
from app.web.database import ReadSession, WriteSession
from app.web.forms import FormState
from app.web.htmx import redirect
from app.web.nested_forms import Draft, NestedPosted, rearrange, steering
from app.web.questionnaire_pages import Editor
from app.web.templating import render
from app.words import gettext

router = APIRouter(prefix="/studies/{slug}/questionnaire/forms")

Kind = Annotated[Literal["consent", "profile", "closing"], Path()]


@router.get("/{kind}", dependencies=[ADMIN])
def form_page(request: Request, slug: str, kind: Kind, session: ReadSession) -> Response:
    """Edit the form; where the study has none, its editor is empty."""
    study = find_study(session, slug)
    current = current_form(session, study, kind)
    draft = form_draft(current.form) if current else {}
    return _page(request, session, study, kind, Editor(draft))


@router.post("/{kind}", dependencies=[ADMIN])
def edit_form(
    request: Request,
    slug: str,
    kind: Kind,
    principal: CurrentPrincipal,
    *,
    draft: NestedPosted,
    session: WriteSession,
) -> Response:
    """Save or drop the form; or show it again, rearranged or as people would see it."""
    draft = shaped_form(draft)
    deed, state = steering(draft, "do"), steering(draft, "state")
    if deed not in ("save", "drop"):
        editor = _reworked(draft, kind, deed)
        editor.state = state
        return _page(request, session, find_study(session, slug), kind, editor)
    study = study_settings.lock(session, slug)
    editor = Editor(draft)
    try:
        if state != _state(session, study, kind):
            raise InvalidInput(
                gettext("Somebody changed this form while you were editing it."),
                remedy=gettext("Look at it in another window. Saving again puts yours in its place."),
            )
        content = form_content(kind, draft) if deed == "save" else NOTHING
        publish_form(session, principal.actor, study, kind, content)
    except InvalidInput as failure:
        editor.refuse(failure)
        return _page(request, session, study, kind, editor, status_code=422)
    return redirect(request, f"/studies/{slug}/questionnaire?done={'form' if deed == 'save' else 'dropped'}#forms")


def _reworked(draft: Draft, kind: str, deed: str) -> Editor:
    if deed == "ready":
        return Editor(form_draft(parse_form(kind, ready_made_form(kind))), focus="ready")
    if deed == "add-field":
        wanted = draft.get("new_field")
        focus = rearrange(draft, "fields.add", blank_field(wanted if wanted in FIELD_KINDS else "text"))
        return Editor(draft, focus=focus)
    return Editor(draft, focus=rearrange(draft, deed) if "." in deed else "")


def _state(session: Session, study: Study, kind: str) -> str:
    """Which version the form's editor began with."""
    latest = latest_version(session, study, kind)
    return str(latest.number) if latest else "0"


def _page(
    request: Request, session: Session, study: Study, kind: str, editor: Editor, *, status_code: int = 200
) -> Response:
    editor.state = editor.state or _state(session, study, kind)
    shown, unready = shown_form(kind, editor.draft)
    return render(
        request,
        "questionnaires/form.html",
        status_code=status_code,
        study=study,
        tab="questionnaire",
        kind=kind,
        address=f"/studies/{study.slug}/questionnaire/forms/{kind}",
        editor=editor,
        is_asked=current_form(session, study, kind) is not None,
        shown=shown,
        unready=unready,
        blank=FormState(),
    )
