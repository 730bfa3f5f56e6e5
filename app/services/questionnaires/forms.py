"""The forms around the grading: consent, questions about the annotator, closing questions.

Each lives in its versions (``FormVersion``), the newest of which is asked; responses point to the one that they
answered. A version with empty content asks nothing: that is how a study drops a form.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy.orm import Session

from app.errors import InvalidInput, Problem
from app.services import audit
from app.services.questionnaires.form_content import Answer, ConsentForm, Form, parse_form
from app.services.questionnaires.versions import latest_version, publish
from app.storage.models import FormVersion, Study
from app.words import gettext

FORM_KINDS = ("consent", "profile", "closing")
NOTHING: Mapping[str, Any] = {}  # the content of a form that is asked no more
AGREED, DECLINED = "agree", "decline"  # what the consent's two buttons send as "answer"


@dataclass(frozen=True, slots=True)
class CurrentForm:
    """A form as it is asked now, and the version that a response answers."""

    version_id: int
    number: int
    form: Form


def form_of(version: FormVersion) -> Form | None:
    """The form that a version holds; None where it asks nothing."""
    return parse_form(version.kind, version.content) if version.content else None


def current_form(session: Session, study: Study, kind: str) -> CurrentForm | None:
    """What the study asks now; None where it has no such form, or has it no more."""
    version = latest_version(session, study, kind)
    form = form_of(version) if version else None
    return CurrentForm(version.id, version.number, form) if version and form else None


def publish_form(
    session: Session, actor: str, study: Study, kind: str, content: Mapping[str, Any]
) -> FormVersion | None:
    """Ask this from now on; ``NOTHING`` drops the form. None where there was nothing to drop.

    The caller holds the study against other writers.
    """
    before = latest_version(session, study, kind)
    if not content and before is None:
        return None
    stored = parse_form(kind, content).model_dump(mode="json") if content else {}
    version = publish(session, study, kind, stored)
    if before is None or version.id != before.id:
        changes = {"version": {"before": before.number if before else None, "after": version.number}}
        audit.record(session, actor, f"{kind} {'changed' if stored else 'dropped'}", study.id, changes=changes)
    return version


def check_answers(form: Form, posted: Mapping[str, str]) -> dict[str, Answer]:
    """What a person sent, as it is stored; InvalidInput has a problem for each field (``field``: its input's name).

    Of a consent the answer is {"agreed": True or False}. What isn't the form's own is passed over.
    """
    if isinstance(form, ConsentForm):
        return _consent(form, posted.get("answer", ""))
    answers: dict[str, Answer] = {}
    problems = []
    for field in form.fields:
        try:
            answer = field.read(posted.get(field.input_name, ""))
        except ValueError as error:
            problems.append(Problem(str(error), field=field.input_name))
        else:
            answers |= {} if answer is None else {field.name: answer}
    if problems:
        raise InvalidInput(gettext("Some answers are missing, or can’t be used as they are."), problems)
    return answers


def _consent(form: ConsentForm, answer: str) -> dict[str, Answer]:
    if answer not in (AGREED, DECLINED):
        raise InvalidInput(gettext("Choose one of the two answers."))
    return {"agreed": answer == AGREED}
