"""The audit trail: who did what, written in the same transaction as the deed."""

from typing import Any

from sqlalchemy.orm import Session

from app.storage.models import AuditEvent

# Actions by which a study's inputs change; analyses go by them.
EXCLUDED, RESTORED = "annotator excluded", "annotator restored"


def record(session: Session, actor: str, action: str, study_id: int | None = None, **details: Any) -> None:
    """Add one event. ``actor`` is ``Principal.actor``, or "system"; details are JSON and hold no secrets."""
    session.add(AuditEvent(actor=actor, action=action, study_id=study_id, details=details))
    session.flush()
