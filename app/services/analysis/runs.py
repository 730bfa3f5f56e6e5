"""The run that analyses a study."""

from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.ids import content_hash
from app.services.analysis.computation import build_document, canonical_json
from app.services.analysis.inputs import computed_names, load_study_data
from app.services.analysis.parameters import AnalysisParameters
from app.services.runs import RunContext, Store, handler
from app.services.scoring import score_outstanding
from app.storage.models import Analysis, Study
from app.storage.transaction_turns import TurnAt, take_turn
from app.words import gettext, human_number


@handler("analysis")
def analyse_study(context: RunContext) -> Store:
    """Score what is not scored, then compare metrics with people. The same inputs make no second row."""
    parameters = AnalysisParameters.model_validate(context.payload)
    total = score_outstanding(context, computed_names(parameters.metrics))
    context.progress(total, total, unit=gettext("scores"), message=gettext("Comparing metrics with people"))
    with context.database.read() as session:
        data = load_study_data(session, session.get_one(Study, context.study_id), parameters)
    document, pairs = build_document(data, parameters)

    def store(session: Session) -> dict[str, Any]:
        analysis = _store(session, context, document, pairs, data.revision)
        message = gettext("%(number)s pairs of systems were compared.", number=human_number(document["pairs"]))
        return {"analysis_id": analysis.id, "message": message}

    return store


def _store(
    session: Session,
    context: RunContext,
    document: dict[str, Any],
    pairs: dict[str, Any],
    revision: dict[str, Any],
) -> Analysis:
    take_turn(session, TurnAt.SCORES, context.study_id or 0)  # another run may have asked for the same
    fingerprint = content_hash(canonical_json(document["study"]), canonical_json(document["signature"]))
    analysis = session.scalar(
        select(Analysis).where(Analysis.study_id == context.study_id, Analysis.fingerprint == fingerprint)
    )
    if analysis is None:
        analysis = Analysis(study_id=context.study_id, fingerprint=fingerprint)
        session.add(analysis)
    analysis.run_id = context.run_id
    analysis.parameters = document["signature"]["parameters"]
    analysis.signature = document["signature"]
    analysis.result = canonical_json(document)
    analysis.pairs = canonical_json(pairs)
    analysis.revision = revision
    session.flush()
    return analysis
