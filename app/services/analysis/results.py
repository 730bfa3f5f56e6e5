"""Stored analyses, as pages read them."""

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.errors import NotFound
from app.once import computed_once
from app.services.analysis.revision import study_revision
from app.storage.models import Analysis, Study
from app.words import gettext


@dataclass(frozen=True)
class StoredAnalysis:
    """One analysis with its document; ``stale`` when the study has moved on since."""

    id: int
    created_at: datetime
    parameters: dict[str, Any]
    signature: dict[str, Any]
    text: str  # the document as exported, byte for byte
    pairs_text: str
    stale: bool

    @computed_once
    def document(self) -> dict[str, Any]:
        """The document as plain data."""
        parsed: dict[str, Any] = json.loads(self.text)
        return parsed

    @computed_once
    def pairs(self) -> dict[str, Any]:
        """Every pair of systems, as columns."""
        parsed: dict[str, Any] = json.loads(self.pairs_text)
        return parsed


def latest_analysis(session: Session, study: Study) -> StoredAnalysis | None:
    """The newest analysis of the study; None when there is none yet."""
    statement = (
        select(Analysis).where(Analysis.study_id == study.id).order_by(Analysis.run_id.desc(), Analysis.id.desc())
    )
    analysis = session.scalars(statement.limit(1)).first()
    return None if analysis is None else _stored(session, study, analysis)


def find_analysis(session: Session, study: Study, analysis_id: int) -> StoredAnalysis:
    """That analysis of that study."""
    analysis = session.get(Analysis, analysis_id)
    if analysis is None or analysis.study_id != study.id:
        raise NotFound(gettext("There is no such analysis in this study."))
    return _stored(session, study, analysis)


def _stored(session: Session, study: Study, analysis: Analysis) -> StoredAnalysis:
    return StoredAnalysis(
        analysis.id,
        analysis.created_at,
        analysis.parameters,
        analysis.signature,
        analysis.result,
        analysis.pairs,
        stale=analysis.revision != study_revision(session, study),
    )
