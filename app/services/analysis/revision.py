"""Where a study stands, told by a few counters: cheap enough for every page to ask whether an analysis is stale."""

from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.services.audit import EXCLUDED, RESTORED
from app.storage.models import Annotator, AuditEvent, GradeEvent, Output, Reference, Scoring, Study, System
from app.storage.models.material import Problem

EXECUTION, SIGNED = "execution", "metric:execution|"  # as services.execution.scoring names and signs them


def study_revision(session: Session, study: Study) -> dict[str, Any]:
    """Counters that change with every grade, output, reference and score. Histories only grow, so ids suffice."""
    events = select(func.max(GradeEvent.id)).join(Annotator, Annotator.id == GradeEvent.annotator_id)
    outputs = select(func.max(Output.id), func.count()).join(System, System.id == Output.system_id)
    references = select(func.max(Reference.id)).join(Problem, Problem.id == Reference.problem_id)
    scorings = select(func.max(Scoring.id)).where(Scoring.study_id == study.id)
    exclusions = select(func.max(AuditEvent.id)).where(
        AuditEvent.study_id == study.id, AuditEvent.action.in_((EXCLUDED, RESTORED))
    )
    last_exclusion = session.scalar(exclusions)
    # Scores by execution are brought up to date in place.
    executed = select(Scoring.run_id).where(Scoring.study_id == study.id, Scoring.name == EXECUTION)
    last_execution = session.scalar(executed.where(Scoring.signature.startswith(SIGNED)))
    last_output, count = session.execute(outputs.where(System.study_id == study.id)).one()
    return {
        "last_grade_event": session.scalar(events.where(Annotator.study_id == study.id)),
        "last_output": last_output,
        "outputs": count,
        "last_reference": session.scalar(references.where(Problem.study_id == study.id)),
        "last_scoring": session.scalar(scorings),
        "codebleu_variant": study.codebleu_variant,
        # Absent where there never was one, so that analyses of before this was counted don't turn stale.
        **({} if last_exclusion is None else {"last_exclusion": last_exclusion}),
        **({} if last_execution is None else {"last_execution": last_execution}),
    }
