"""The versions of what a study asks: all of them, one as it was read, and the difference between two."""

from contextlib import suppress
from typing import Any

from fastapi import APIRouter, Request
from sqlalchemy.orm import Session
from starlette.responses import Response

from app.errors import InvalidInput
from app.services.questionnaires.form_content import Form
from app.services.questionnaires.forms import form_of
from app.services.questionnaires.scales import parse_scale
from app.services.questionnaires.version_texts import difference, lines_of, version_with_id, versions_of
from app.services.studies import find_study
from app.storage.models import FormVersion, Question, Study
from app.web.access import RESEARCHER
from app.web.database import ReadSession
from app.web.forms import FormState
from app.web.parameters import QueriedRow, RowId
from app.web.templating import render

router = APIRouter(prefix="/studies/{slug}/questionnaire/versions")


@router.get("", dependencies=[RESEARCHER])
def versions(request: Request, slug: str, session: ReadSession) -> Response:
    """Every version of the questionnaire and of the forms."""
    study = find_study(session, slug)
    return render(
        request,
        "questionnaires/versions.html",
        study=study,
        tab="questionnaire",
        versions=versions_of(session, study),
    )


@router.get("/{version_id}", dependencies=[RESEARCHER])
def version(
    request: Request, slug: str, version_id: RowId, session: ReadSession, since: QueriedRow = None
) -> Response:
    """One version as people read it, beside what changed since another; since the one before it unless asked."""
    study = find_study(session, slug)
    shown = version_with_id(session, study, version_id)
    others = [each for each in versions_of(session, study) if each.kind == shown.kind and each.id != shown.id]
    before = _before(session, study, shown, others, since)
    form, previews = _form(shown), _previews(shown)
    return render(
        request,
        "questionnaires/version.html",
        study=study,
        tab="questionnaire",
        shown=shown,
        others=others,
        before=before,
        lines=difference(before, shown) if before else [],
        previews=previews,
        form=form,
        stored=lines_of(shown) if shown.content and not (form or previews) else [],
        blank=FormState(),
    )


def _before(
    session: Session, study: Study, shown: FormVersion, others: list[FormVersion], since: int | None
) -> FormVersion | None:
    if since is not None:
        chosen = version_with_id(session, study, since)
        return chosen if chosen.kind == shown.kind else None
    return next((each for each in others if each.number == shown.number - 1), None)


def _form(version: FormVersion) -> Form | None:
    """The form of a version; None where it holds none, or one that can't be read."""
    with suppress(InvalidInput):
        return None if version.kind == "questionnaire" else form_of(version)
    return None


def _previews(version: FormVersion) -> list[dict[str, Any]]:
    """Its instruments; none where they can't be read, as the lines below tell."""
    with suppress(AttributeError, InvalidInput, KeyError, TypeError):
        return [_preview(each) for each in version.content.get("instruments", ())]
    return []


def _preview(instrument: dict[str, Any]) -> dict[str, Any]:
    """An instrument of a version, made ready for the preview."""
    questions = [Question(**each) for each in instrument["questions"]]
    for each in questions:
        parse_scale(each.kind, each.scale)
    return instrument | {"questions": questions, "answers": {}, "unready": 0}
