"""Ask for the study's agreement to be measured."""

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.services.agreement.parameters import AgreementParameters
from app.services.analysis.requests import INTERACTIVE
from app.services.runs import enqueue
from app.storage.models import Run, Study

RUN_KIND = "agreement"


def request_agreement(
    session: Session, study: Study, parameters: AgreementParameters | None = None, *, user_id: int | None = None
) -> Run:
    """Measure everything that the study's grades allow; who asks again before it began gets the run that waits."""
    payload = (parameters or AgreementParameters()).model_dump(mode="json")
    waiting = select(Run).where(Run.study_id == study.id, Run.kind == RUN_KIND, Run.state == "queued")
    for run in session.scalars(waiting.order_by(Run.id)):
        if run.payload == payload:
            return run
    return enqueue(session, RUN_KIND, payload, study_id=study.id, user_id=user_id, priority=INTERACTIVE)
