"""Exports are kept for a while: they can be made again at any time, and copies of people's work must not pile up."""

from datetime import timedelta

from sqlalchemy import delete, or_
from sqlalchemy.orm import Session

from app.clock import utc_now
from app.services.exports.bundles import KIND, PRIVATE_KIND
from app.services.runs.periodic import periodic
from app.storage.models import Artifact

KEPT_FOR = timedelta(days=90)
PRIVATE_KEPT_FOR = timedelta(days=7)  # it tells who people are


@periodic(every=timedelta(hours=6))
def expire_exports(session: Session) -> None:
    """Delete the rows of old exports; their files, which no row tells of any more, go with the next cleaning."""
    now = utc_now()
    expired = or_(
        (Artifact.kind == KIND) & (Artifact.created_at < now - KEPT_FOR),
        (Artifact.kind == PRIVATE_KIND) & (Artifact.created_at < now - PRIVATE_KEPT_FOR),
    )
    session.execute(delete(Artifact).where(expired).execution_options(synchronize_session=False))
