"""Finished exports of a study, and the file behind one."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.errors import NotFound
from app.storage.models import Artifact, Run, Study
from app.words import gettext

KIND = "export"
PRIVATE_KIND = "private-export"  # it tells more of people than their pseudonyms: for admins
SHOWN = 20


@dataclass(frozen=True, slots=True)
class Bundle:
    """One export that can be downloaded."""

    public_id: str
    file_name: str
    media_type: str
    size: int
    sha256: str
    created_at: datetime
    is_private: bool


def finished_bundles(session: Session, study: Study, *, is_admin: bool = False) -> list[Bundle]:
    """The study's exports, the newest first; those with more than pseudonyms for admins only."""
    rows = session.scalars(
        select(Artifact)
        .where(Artifact.study_id == study.id, Artifact.kind.in_(_kinds(is_admin)))
        .order_by(Artifact.id.desc())
        .limit(SHOWN)
    )
    return [_bundle(each) for each in rows]


def find_bundle(session: Session, public_id: str, *, is_admin: bool = False) -> Bundle:
    """The export with that id; other kinds of file are not to be had this way."""
    found = session.scalar(
        select(Artifact).where(Artifact.public_id == public_id, Artifact.kind.in_(_kinds(is_admin)))
    )
    if found is None:
        raise NotFound(
            gettext("There is no such export."), remedy=gettext("Old ones are deleted after a while: make a new one.")
        )
    return _bundle(found)


def pending_export(session: Session, study: Study) -> Run | None:
    """The newest export run unless it is done."""
    newest = session.scalars(
        select(Run).where(Run.study_id == study.id, Run.kind == "export").order_by(Run.id.desc()).limit(1)
    ).first()
    return None if newest is None or newest.state == "done" else newest


def _kinds(is_admin: bool) -> tuple[str, ...]:
    return (KIND, PRIVATE_KIND) if is_admin else (KIND,)


def _bundle(each: Artifact) -> Bundle:
    private = each.kind == PRIVATE_KIND
    return Bundle(each.public_id, each.file_name, each.media_type, each.size, each.sha256, each.created_at, private)
