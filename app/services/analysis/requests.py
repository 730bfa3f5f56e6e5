"""Ask for an analysis."""

from sqlalchemy.orm import Session

from app.services.analysis.choices import check_choices
from app.services.analysis.parameters import AnalysisParameters
from app.services.runs import enqueue
from app.storage.models import Run, Study

INTERACTIVE = 10  # somebody waits for this run: it goes before imports and exports


def request_analysis(
    session: Session, study: Study, parameters: AnalysisParameters | None = None, *, user_id: int | None = None
) -> Run:
    """Ask for an analysis of the study as it is now. What is not scored yet is scored first."""
    parameters = parameters or AnalysisParameters()
    check_choices(session, study, parameters)
    payload = parameters.model_dump(mode="json")
    return enqueue(session, "analysis", payload, study_id=study.id, user_id=user_id, priority=INTERACTIVE)
