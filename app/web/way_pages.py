"""What the pages of the annotator's way are given, and which page belongs to which place on it."""

from typing import Any

from fastapi import Request
from sqlalchemy.orm import Session
from starlette.responses import RedirectResponse, Response

from app.services import shown_items
from app.services.questionnaires.forms import CurrentForm
from app.services.questionnaires.instruments import instruments_of, questions_of
from app.services.questionnaires.scales import Choice, ChoiceScale, Label, LabelsScale, NumberScale, scale_of
from app.services.study_options import options_of
from app.services.way.course import course_of
from app.services.way.endings import Farewell, farewell_of
from app.services.way.stages import ENDINGS
from app.services.way.standing import BETWEEN_ROUNDS, BREAK, where
from app.services.way.work import work_of
from app.storage.models import Annotator, Question, Study
from app.web.forms import FormState
from app.web.grading_pages import base_context
from app.web.markdown import render_markdown
from app.web.security import CONTENT_SECURITY_POLICY
from app.web.templating import render, templates
from app.words import gettext

PATHS = {
    "consent": "/way/consent",
    "profile": "/way/profile",
    "instructions": "/grade/instructions",
    "practice": "/grade",
    BETWEEN_ROUNDS: "/way/practice",
    "grading": "/grade",
    BREAK: "/way/break",
    "closing": "/way/closing",
}
THANKS = "/grade/thanks"
PLATFORMS = ("prolific", "mturk")  # sources that pay by a code
# Its own page says why there is nothing to do; a redirect to the items would only come back.
STAYS_AT_THANKS = ("/grade", THANKS)


def path_of(session: Session, annotator: Annotator) -> str:
    """Where the annotator's next page is."""
    study = session.get_one(Study, annotator.study_id)
    place = where(session, study, annotator)
    if place == "done" and annotator.stage != place:  # what was left was dropped: asking for items settles it
        return "/grade"
    return PATHS.get(place, THANKS)


def head_of_items(session: Session, annotator_id: int) -> Response:
    """What a HEAD of the items' page gets: whoever stands elsewhere is sent on, as by a GET."""
    path = path_of(session, session.get_one(Annotator, annotator_id))
    if path in ("/grade", PATHS["instructions"]):  # asking for items is what leads on from the instructions
        return Response(media_type="text/html")
    return RedirectResponse(THANKS, status_code=303)


def thanks_page(request: Request, session: Session, annotator_id: int) -> Response:
    """Nothing to grade now: why, and at the end of the way what comes of it."""
    annotator = session.get_one(Annotator, annotator_id)
    path = path_of(session, annotator)
    study = shown_items.study_of(session, annotator_id)
    # In a closed study the items' page is nobody's place, but leads those who worked to their end.
    if path not in STAYS_AT_THANKS or (path == "/grade" and study.state == "closed"):
        return RedirectResponse(path, status_code=303)
    farewell = farewell_of(study, annotator)
    context = base_context(session, annotator_id)
    limits = options_of(study).limits
    work = work_of(session, annotator_id, limits)
    response = render(
        request,
        "grading/thanks.html",
        farewell=farewell,
        graded=work.items,
        is_full=work.has_reached(limits),
        is_owed_nothing=annotator.source in PLATFORMS and annotator.stage not in ENDINGS and not work.items,
        **context,
    )
    return let_submit(response, farewell)


def over_in_words(study: Study, annotator: Annotator) -> str:
    """What keeps somebody who comes back from grading on for good; nothing where there may be more to do."""
    if annotator.stage == "declined":
        return gettext("You did not agree to take part, so nothing is asked of you.")
    if annotator.stage == "failed":
        return gettext("Your part has ended. What you did is stored.")
    if study.state == "closed":
        return gettext("The study is closed. What you did is stored.")
    return gettext("Your part is done, and your answers are stored.") if annotator.stage == "done" else ""


templates.env.globals.update(over_in_words=over_in_words)


def let_submit(response: Response, farewell: Farewell) -> Response:
    """Mechanical Turk is told by a form: this page alone may send one there."""
    if farewell.submit_to:
        policy = CONTENT_SECURITY_POLICY.replace("form-action 'self'", "form-action 'self' https://*.mturk.com")
        response.headers["Content-Security-Policy"] = policy
    return response


def form_page(
    request: Request,
    study: Study,
    kind: str,
    form: CurrentForm,
    *,
    state: FormState | None = None,
    status_code: int = 200,
    **context: Any,
) -> Response:
    """Consent, questions about the person, or closing questions."""
    return render(
        request,
        "way/form.html",
        status_code=status_code,
        study=study,
        kind=kind,
        form=form.form,
        version_id=form.version_id,
        state=state or FormState(),
        **context,
    )


def own_instructions(session: Session, annotator_id: int) -> dict[str, Any]:
    """The instructions for one annotator, with where they stand."""
    annotator = session.get_one(Annotator, annotator_id)
    study = session.get_one(Study, annotator.study_id)
    return {"stage": annotator.stage, **instructions_context(session, study)}


def instructions_context(session: Session, study: Study) -> dict[str, Any]:
    """All that an annotator reads before grading: the study's words, each instrument with its questions."""
    course = course_of(session, study)
    return {
        "has_consent": course.consent,
        "has_practice": course.practice,
        "instructions": render_markdown(study.instructions),
        "instruments": [
            {
                "kind": each.kind,
                "instructions": render_markdown(each.instructions),
                "questions": [asked(question) for question in questions_of(session, study.id, each.id)],
            }
            for each in instruments_of(session, study.id)
        ],
    }


def asked(question: Question) -> dict[str, Any]:
    """A question as instructions and previews show it."""
    scale = scale_of(question)
    shown: dict[str, Any] = {
        "text": question.text,
        "help": question.help,
        "required": question.required,
        "choices": [],
        "range": None,
    }
    if isinstance(scale, ChoiceScale):
        shown["choices"] = [_choice(each, f"{each.value:g}", each.label) for each in scale.choices]
    elif isinstance(scale, LabelsScale):
        shown["choices"] = [_choice(each, "", each.label or each.name) for each in scale.choices]
    elif isinstance(scale, NumberScale):
        ends = ((scale.low, scale.low_label), (scale.high, scale.high_label))
        shown["range"] = [{"number": f"{number:g}", "label": label} for number, label in ends]
    return shown


def _choice(choice: Choice | Label, value: str, label: str) -> dict[str, str]:
    return {"key": choice.key, "value": value, "label": label, "description": choice.description}
