"""Ask for an export."""

from sqlalchemy.orm import Session

from app.services.runs import enqueue
from app.storage.models import Run, Study


def request_export(session: Session, study: Study, *, user_id: int | None = None) -> Run:
    """Ask for the study's bundle; the finished run names the artifact to download."""
    return enqueue(session, "export", {}, study_id=study.id, user_id=user_id, priority=5)
