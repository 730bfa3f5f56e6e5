"""What was measured, as pages and files read it."""

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.once import computed_once
from app.services.agreement.revision import grades_revision
from app.storage.models import Measurement, Study


@dataclass(frozen=True)
class StoredMeasurement:
    """One measurement with its document; ``stale`` when the study's grades have moved on since."""

    kind: str
    question: str
    created_at: datetime
    signature: dict[str, Any]
    text: str  # the document as exported, byte for byte
    stale: bool

    @computed_once
    def document(self) -> dict[str, Any]:
        """The document as plain data."""
        parsed: dict[str, Any] = json.loads(self.text)
        return parsed


def find_measurement(session: Session, study: Study, kind: str, question: str = "") -> StoredMeasurement | None:
    """The newest of that kind, of a question or of the whole study; None when there is none yet."""
    mine = select(Measurement).where(Measurement.study_id == study.id, Measurement.kind == kind)
    row = session.scalar(mine.where(Measurement.question == question))
    if row is None:
        return None
    stale = row.revision != grades_revision(session, study)
    return StoredMeasurement(row.kind, row.question, row.created_at, row.signature, row.result, stale)


def all_documents(session: Session, study: Study) -> str | None:
    """All that was measured of the study as one JSON list, byte for byte; None when there is nothing yet."""
    texts = session.scalars(
        select(Measurement.result)
        .where(Measurement.study_id == study.id)
        .order_by(Measurement.kind, Measurement.question)
    ).all()
    return f"[{','.join(texts)}]" if texts else None
