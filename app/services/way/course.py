"""Which stages a study has now, and whether somebody's consent still stands."""

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.services.questionnaires.forms import CurrentForm, current_form
from app.services.questionnaires.instruments import instruments_of
from app.services.way.stages import ENDINGS, Course
from app.storage.models import Annotator, FormResponse, FormVersion, Item, Study


def course_of(session: Session, study: Study) -> Course:
    """The stages that people come through."""
    return Course(
        consent=current_form(session, study, "consent") is not None,
        profile=current_form(session, study, "profile") is not None,
        practice=has_practice(session, study),
        closing=current_form(session, study, "closing") is not None,
    )


def has_practice(session: Session, study: Study) -> bool:
    """Whether there is anything to practise with."""
    instruments = [instrument.id for instrument in instruments_of(session, study.id)]
    # By instrument, since the index begins with it: a study may have very many other items.
    practice = select(Item.id).where(Item.instrument_id.in_(instruments), Item.role == "practice", Item.gradable)
    return session.scalar(practice.limit(1)) is not None


def consent_due(session: Session, study: Study, annotator: Annotator) -> bool:
    """Whether the annotator must agree before going on: never asked, or the form changed since."""
    return annotator.stage not in ENDINGS and lacks_consent(session, study, annotator)


def lacks_consent(session: Session, study: Study, annotator: Annotator) -> bool:
    """Whether a person hasn't agreed to the form as it stands, wherever they are on the way."""
    return lacks_consent_to(session, annotator, current_form(session, study, "consent"))


def lacks_consent_to(session: Session, annotator: Annotator, form: CurrentForm | None) -> bool:
    """The same where the form is known already."""
    return annotator.kind == "person" and form is not None and not has_answered(session, annotator, form)


def has_answered(session: Session, annotator: Annotator, form: CurrentForm) -> bool:
    """Whether there is an answer to this very version."""
    answers = select(FormResponse.id).where(
        FormResponse.annotator_id == annotator.id, FormResponse.form_version_id == form.version_id
    )
    return session.scalar(answers.limit(1)) is not None


def has_answered_before(session: Session, annotator: Annotator, kind: str) -> bool:
    """Whether there is an answer to any version of that form."""
    answers = (
        select(FormResponse.id)
        .join(FormVersion, FormVersion.id == FormResponse.form_version_id)
        .where(FormResponse.annotator_id == annotator.id, FormVersion.kind == kind)
    )
    return session.scalar(answers.limit(1)) is not None
