"""Uploads that came to nothing: after a week their rows go, and then files that no row tells of."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

from sqlalchemy import delete, exists, select
from sqlalchemy.orm import Session

from app.clock import utc_now
from app.config import Settings, get_settings
from app.services.imports.uploads import KIND
from app.services.runs.periodic import periodic
from app.storage.models import Artifact, Run

KEPT_FOR = timedelta(days=7)


@periodic(every=timedelta(hours=6))
def clean_uploads(session: Session, *, settings: Settings | None = None) -> int:
    """Delete what is older than a week and nobody uses; how many files went.

    Files go before the rows: a file whose row goes now is deleted at the next turn, when that row is surely gone.
    """
    deleted = _delete_orphans(session, (settings or get_settings()).artifacts_dir)
    imported = exists().where(Run.payload["sha256"].as_string() == Artifact.sha256)
    old = Artifact.created_at < utc_now() - KEPT_FOR
    session.execute(
        delete(Artifact).where(Artifact.kind == KIND, old, ~imported).execution_options(synchronize_session=False)
    )
    return deleted


def _delete_orphans(session: Session, folder: Path) -> int:
    """The same bytes are one file, so a file stays while any row or run of the installation names its hash."""
    old = [path for path in _files(folder) if _is_old(path)]
    if not old:
        return 0
    used = set(session.scalars(select(Artifact.sha256)))
    used |= set(session.scalars(select(Run.payload["sha256"].as_string())))
    orphans = [path for path in old if path.name not in used and _is_old(path)]
    for path in orphans:
        path.unlink(missing_ok=True)
    return len(orphans)


def _files(folder: Path) -> Iterator[Path]:
    """Stored files, and what an interrupted upload left behind."""
    yield from folder.glob("[0-9a-f][0-9a-f]/*")
    yield from folder.glob(".incoming-*")


def _is_old(path: Path) -> bool:
    """Storing the same bytes again makes a file new, also while this looks."""
    try:
        return path.stat().st_mtime < (utc_now() - KEPT_FOR).timestamp()
    except FileNotFoundError:
        return False
