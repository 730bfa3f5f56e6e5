"""Uploads that came to nothing go after a week, files that no row tells of after a day.

What has no row is of an import whose rows went, or of a run that was killed, cancelled or overtaken between storing
its file and committing. No run takes a day: a file of one that goes on is never old enough.
"""

from datetime import timedelta

from sqlalchemy import delete, exists, select
from sqlalchemy.orm import Session

from app.clock import utc_now
from app.config import Settings, get_settings
from app.services.imports.uploads import KIND
from app.services.runs.periodic import periodic
from app.storage.files import Files, files_of
from app.storage.models import Artifact, Run

KEPT_FOR = timedelta(days=7)
ORPHANS_KEPT_FOR = timedelta(days=1)


@periodic(every=timedelta(hours=6))
def clean_uploads(session: Session, *, settings: Settings | None = None) -> int:
    """Delete what is old and nobody uses; how many files went.

    Files go before the rows: a file whose row goes now is deleted at the next turn, when that row is surely gone.
    """
    deleted = _delete_orphans(session, files_of(settings or get_settings()))
    imported = exists().where(Run.payload["sha256"].as_string() == Artifact.sha256)
    old = Artifact.created_at < utc_now() - KEPT_FOR
    session.execute(
        delete(Artifact).where(Artifact.kind == KIND, old, ~imported).execution_options(synchronize_session=False)
    )
    return deleted


def _delete_orphans(session: Session, files: Files) -> int:
    """The same bytes are one file, so a file stays while any row or run of the installation names its hash."""
    long_ago = utc_now() - ORPHANS_KEPT_FOR
    old = list(files.stored_before(long_ago))
    if not old:
        return 0
    used = set(session.scalars(select(Artifact.sha256)))
    used |= set(session.scalars(select(Run.payload["sha256"].as_string())))
    return sum(files.delete(name, stored_before=long_ago) for name in old if name not in used)
