"""All studies, and a new one.

Routes are found file by file in the order of the names: this file's /studies/new comes before the pages of one study,
whose addresses begin with /studies/{slug}.
"""

from typing import Annotated

from fastapi import APIRouter, Request
from pydantic import Field
from starlette.responses import Response

from app.errors import Conflict, InvalidInput
from app.services import study_settings
from app.services.code_languages import DEFAULT, language_title
from app.services.questionnaires.ready_made import BLANK, HELPFULNESS, READY_MADE, in_words
from app.services.study_progress import progress_of
from app.web.access import ADMIN, RESEARCHER, CurrentPrincipal
from app.web.database import ReadSession, WriteSession
from app.web.forms import CodeLanguage, FormInvalid, FormModel, FormState, Posted, Prose, read_form
from app.web.htmx import redirect
from app.web.templating import render
from app.words import gettext

router = APIRouter()

_OFFERED = READY_MADE | BLANK


class NewStudyForm(FormModel):
    """What a study begins with; all of it can be changed later."""

    title: Annotated[str, Field(min_length=1, max_length=200)]
    description: Annotated[Prose, Field(max_length=5_000)] = ""
    language: CodeLanguage = DEFAULT
    grades_per_item: Annotated[int, Field(ge=1, le=100)] = 3
    merge_identical: bool = True
    include_references: bool = True


# How the page's boxes for instruments are named.
ASKS = "ask-"


@router.get("/studies", dependencies=[RESEARCHER])
def list_studies(request: Request, session: ReadSession) -> Response:
    """Every study with its state and how far it is."""
    studies = study_settings.list_studies(session)
    return render(request, "studies/list.html", studies=studies, progress=progress_of(session, studies))


@router.get("/studies/new", dependencies=[ADMIN])
def new_study_page(request: Request) -> Response:
    """The form of a new study."""
    return _new_page(
        request,
        FormState({"language": language_title(DEFAULT), "grades_per_item": 3, f"{ASKS}{HELPFULNESS.name}": "yes"}),
    )


@router.post("/studies/new", dependencies=[ADMIN])
def make_study(request: Request, principal: CurrentPrincipal, posted: Posted, session: WriteSession) -> Response:
    """A study without material, in draft, with the instruments that were chosen."""
    chosen = [in_words(each) for name, each in _OFFERED.items() if f"{ASKS}{name}" in posted]
    try:
        form = read_form(NewStudyForm, {name: text for name, text in posted.items() if not name.startswith(ASKS)})
        if not chosen:
            words = gettext("A study asks something: choose at least one.")
            raise FormInvalid(FormState(dict(posted), {"instruments": words}))
        with session.begin_nested():
            study = study_settings.create(session, principal.actor, **form.model_dump(), instruments=chosen)
    except FormInvalid as invalid:
        invalid.state.values |= {name: text for name, text in posted.items() if name.startswith(ASKS)}
        return _new_page(request, invalid.state, status_code=422)
    except (InvalidInput, Conflict) as failure:
        state = FormState.of(failure, posted)
        state.errors = {"title": state.errors.get("", failure.message)}
        return _new_page(request, state, status_code=422)
    own = any(each.name in BLANK for each in chosen)
    return redirect(request, f"/studies/{study.slug}/{'questionnaire' if own else 'desk'}")


def _new_page(request: Request, form: FormState, *, status_code: int = 200) -> Response:
    return render(
        request,
        "studies/new.html",
        status_code=status_code,
        form=form,
        ready_made=READY_MADE.values(),
        blank=BLANK.values(),
    )
