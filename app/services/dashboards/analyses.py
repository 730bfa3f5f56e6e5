"""Which analysis a page shows, which others there are, and whether one is on its way."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.services.analysis import StoredAnalysis, find_analysis, latest_analysis
from app.storage.models import Analysis, Run, Study

SHOWN_ANALYSES = 50


@dataclass(frozen=True, slots=True)
class AnalysisEntry:
    """One line of the history."""

    id: int
    created_at: datetime
    parameters: dict[str, Any]


def choose_analysis(session: Session, study: Study, analysis_id: int | None) -> StoredAnalysis | None:
    """The one asked for, else the newest; None when there is none yet."""
    if analysis_id is not None:
        return find_analysis(session, study, analysis_id)
    return latest_analysis(session, study)


def analysis_history(session: Session, study: Study) -> list[AnalysisEntry]:
    """The study's analyses, the newest first, without their results."""
    rows = session.execute(
        select(Analysis.id, Analysis.created_at, Analysis.parameters)
        .where(Analysis.study_id == study.id)
        .order_by(Analysis.run_id.desc(), Analysis.id.desc())
        .limit(SHOWN_ANALYSES)
    )
    return [AnalysisEntry(*row) for row in rows]


def pending_run(
    session: Session, study: Study, *, is_newest_shown: bool = True, kind: str = "analysis"
) -> Run | None:
    """The newest run of that kind unless it is done: waiting, going on, or failed with something to say.

    Who looks at an older analysis isn't told that a newer one failed.
    """
    newest = session.scalars(
        select(Run).where(Run.study_id == study.id, Run.kind == kind).order_by(Run.id.desc()).limit(1)
    ).first()
    if newest is None or newest.state == "done":
        return None
    return newest if is_newest_shown or newest.state in ("queued", "running") else None
