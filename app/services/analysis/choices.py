"""Whether what was chosen for an analysis is there. Who asks learns it at once, and the known names with it."""

from collections.abc import Iterator, Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.errors import InvalidInput, Problem
from app.services.analysis.parameters import AnalysisParameters
from app.services.questionnaires.instruments import compared_questions, questions_of
from app.services.questionnaires.scales import bounds_of
from app.services.scoring import OWN_METRICS, imported_metrics
from app.storage.models import Question, Study, System
from app.words import gettext


def check_choices(session: Session, study: Study, parameters: AnalysisParameters) -> None:
    """InvalidInput names each choice that this study doesn't have."""
    if problems := list(_problems(session, study, parameters)):
        raise InvalidInput(gettext("This analysis can’t be made."), problems)


def _problems(session: Session, study: Study, parameters: AnalysisParameters) -> Iterator[Problem]:
    systems = session.scalars(select(System.name).where(System.study_id == study.id).order_by(System.position)).all()
    if unknown := _unknown(parameters.systems, systems):
        words = gettext("No such system in this study: %(names)s.", names=unknown)
        yield Problem(words, remedy=_known(systems), field="systems")
    metrics = (*OWN_METRICS, *imported_metrics(session, study))
    if unknown := _unknown(parameters.metrics, metrics):
        words = gettext("No such metric in this study: %(names)s.", names=unknown)
        yield Problem(words, remedy=_known(metrics), field="metrics")
    if parameters.question:
        yield from _of_question(session, study, parameters.question)


def _of_question(session: Session, study: Study, name: str) -> Iterator[Problem]:
    try:
        chosen_question(session, study, name)
    except InvalidInput as error:
        known = [each.name for each in compared_questions(session, study.id)]
        yield Problem(error.message, remedy=_known(known) if known else error.remedy, field="question")


def _unknown(chosen: Sequence[str] | None, known: Sequence[str]) -> str:
    return ", ".join(sorted(set(chosen or ()) - set(known)))


def _known(names: Sequence[str]) -> str:
    return gettext("Known: %(names)s.", names=", ".join(names))


def chosen_question(session: Session, study: Study, name: str | None) -> Question:
    """The question whose answers count: the named one, else the first by which systems can be compared."""
    named = [each for each in questions_of(session, study.id) if each.name == name]
    question = next(iter(named if name else compared_questions(session, study.id)), None)
    if question is None:
        raise _nothing_chosen(session, study, name)
    if bounds_of(question) is None:
        raise InvalidInput(
            gettext("Answers to %(name)s aren't numbers.", name=repr(question.name)),
            remedy=gettext("Choose another question."),
        )
    return question


def _nothing_chosen(session: Session, study: Study, name: str | None) -> InvalidInput:
    """Why no question can be chosen: a study of prompts asks some, and has no systems to compare by them."""
    if name:
        return InvalidInput(gettext("The study asks no question called %(name)s.", name=repr(name)))
    if not questions_of(session, study.id):
        return InvalidInput(gettext("The study asks no question."))
    return InvalidInput(
        gettext("No question of this study is about outputs and answered by numbers, so no systems can be compared."),
        remedy=gettext(
            "What its grades say stands on its page “Agreement”; on the command line, codejury agreement %(study)s.",
            study=study.slug,
        ),
    )
