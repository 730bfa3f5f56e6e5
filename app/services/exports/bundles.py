"""Finished bundles of a study, and the file behind one."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.errors import NotFound
from app.storage.models import Artifact, Run, Study

SHOWN = 20


@dataclass(frozen=True, slots=True)
class Bundle:
    """One export that can be downloaded."""

    public_id: str
    file_name: str
    size: int
    sha256: str
    created_at: datetime


def finished_bundles(session: Session, study: Study) -> list[Bundle]:
    """The study's bundles, the newest first."""
    rows = session.scalars(
        select(Artifact)
        .where(Artifact.study_id == study.id, Artifact.kind == "export")
        .order_by(Artifact.id.desc())
        .limit(SHOWN)
    )
    return [Bundle(each.public_id, each.file_name, each.size, each.sha256, each.created_at) for each in rows]


def find_bundle(session: Session, public_id: str) -> Bundle:
    """The bundle with that id; other kinds of file are not to be had this way."""
    found = session.scalar(select(Artifact).where(Artifact.public_id == public_id, Artifact.kind == "export"))
    if found is None:
        raise NotFound("There is no such bundle.")
    return Bundle(found.public_id, found.file_name, found.size, found.sha256, found.created_at)


def pending_export(session: Session, study: Study) -> Run | None:
    """The newest export run unless it is done."""
    newest = session.scalars(
        select(Run).where(Run.study_id == study.id, Run.kind == "export").order_by(Run.id.desc()).limit(1)
    ).first()
    return None if newest is None or newest.state == "done" else newest
