"""Ask for an analysis."""

from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.errors import InvalidInput
from app.services.analysis.parameters import AnalysisParameters
from app.services.runs import enqueue
from app.storage.models import Run, Study, System
from app.words import gettext

INTERACTIVE = 10  # somebody waits for this run: it goes before imports and exports


def request_analysis(
    session: Session, study: Study, parameters: AnalysisParameters | None = None, *, user_id: int | None = None
) -> Run:
    """Ask for an analysis of the study as it is now. What is not scored yet is scored first."""
    parameters = parameters or AnalysisParameters()
    _check_systems(session, study, parameters.systems)
    payload = parameters.model_dump(mode="json")
    return enqueue(session, "analysis", payload, study_id=study.id, user_id=user_id, priority=INTERACTIVE)


def _check_systems(session: Session, study: Study, chosen: Sequence[str] | None) -> None:
    known = session.scalars(select(System.name).where(System.study_id == study.id)).all()
    unknown = sorted(set(chosen or ()) - set(known))
    if unknown:
        raise InvalidInput(
            gettext("No such system in this study: %(names)s.", names=", ".join(unknown)),
            remedy=gettext("Known: %(names)s.", names=", ".join(known)),
        )
