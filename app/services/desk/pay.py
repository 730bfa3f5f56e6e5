"""Who did how much and how it ended: what is needed to pay people. External ids stand here and nowhere else."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.services.desk.people import people_of
from app.services.study_options import options_of
from app.storage.models import Annotator, GradeEvent, Study

COLUMNS = (
    *("pseudonym", "source", "external_id", "name", "items", "active_minutes", "ending", "code"),
    *("came_at", "last_answer_at", "excluded", "reason"),
)


@dataclass(frozen=True, slots=True)
class PayLine:
    """One annotator. ``minutes``: active ones, as the browser measured them; None where it measured nothing."""

    annotator: Annotator
    items: int
    minutes: float | None
    last_answer: datetime | None
    code: str

    @property
    def ending(self) -> str:
        """done, failed or declined; empty while the work goes on."""
        return self.annotator.stage if self.annotator.stage in ("done", "failed", "declined") else ""


def pay_lines(session: Session, study: Study) -> list[PayLine]:
    """The study's people in the order in which they came; imported and simulated annotators aren't paid."""
    minutes = _active_minutes(session, study)
    return [
        PayLine(
            each.annotator, each.items, minutes.get(each.annotator.id), each.last_answer, _code(study, each.annotator)
        )
        for each in people_of(session, study, Annotator.kind == "person")
    ]


def pay_rows(lines: list[PayLine]) -> Iterator[dict[str, Any]]:
    """The lines as rows of a file."""
    for line in lines:
        person = line.annotator
        yield {
            "pseudonym": person.pseudonym,
            "source": person.source,
            "external_id": person.external_id or "",
            "name": person.name or "",
            "items": line.items,
            "active_minutes": "" if line.minutes is None else round(line.minutes, 1),
            "ending": line.ending,
            "code": line.code,
            "came_at": _iso(person.created_at),
            "last_answer_at": _iso(line.last_answer),
            "excluded": person.excluded_at is not None,
            "reason": person.excluded_reason or "",
        }


def _iso(at: datetime | None) -> str:
    return at.strftime("%Y-%m-%dT%H:%M:%SZ") if at else ""


def _code(study: Study, annotator: Annotator) -> str:
    """The code that was shown to them, which stays when the study's codes change."""
    ending = (annotator.crowd or {}).get("ending")
    if isinstance(ending, dict) and ending.get("as") == annotator.stage:
        return str(ending.get("code", ""))
    endings = options_of(study).endings
    by_stage = {"done": endings.done, "failed": endings.failed, "declined": endings.declined}
    return by_stage[annotator.stage].code if annotator.stage in by_stage else ""


def _active_minutes(session: Session, study: Study) -> dict[int, float]:
    active = func.sum(GradeEvent.active_ms)
    rows = session.execute(
        select(GradeEvent.annotator_id, active)
        .where(GradeEvent.annotator_id.in_(select(Annotator.id).where(Annotator.study_id == study.id)))
        .group_by(GradeEvent.annotator_id)
    )
    return {annotator: milliseconds / 60_000 for annotator, milliseconds in rows if milliseconds is not None}
