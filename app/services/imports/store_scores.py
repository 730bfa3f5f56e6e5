"""Imported scores become a metric of their own that stands beside those computed here."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.ids import content_hash
from app.metrics.protocol import format_signature
from app.services.imports.material import Batch
from app.services.imports.problems import ProblemList
from app.services.imports.store_material import MaterialPlan, insert_all, stored_references
from app.storage.models import MetricScore, Output, Problem, Scoring, Study, System
from app.words import N_, gettext

KEEP = N_("Give the metric another name, or keep the stored score.")
Target = tuple[int, str]  # output id, hash of the output and its references


@dataclass
class ScorePlan:
    """What an import adds: by metric, the output's target and its score."""

    scores: dict[str, list[tuple[Target, float]]] = field(default_factory=dict)
    known: int = 0
    outputs: int = 0  # that the study has: a metric should score them all

    @property
    def count(self) -> int:
        """How many scores are new."""
        return sum(map(len, self.scores.values()))


def plan_scores(
    session: Session, study: Study, batch: Batch, problems: ProblemList, coming: MaterialPlan | None = None
) -> ScorePlan:
    """Compare the batch's scores with the study, and with the outputs that are about to join it."""
    expected = coming.outputs if coming else ()
    targets = {pair: (-number, "") for number, pair in enumerate(expected, start=1)} | _targets(session, study)
    keys = {key for key, _ in targets}
    stored = _stored_scores(session, study)
    plan = ScorePlan(outputs=len(targets))
    for row in batch.scores:
        target = targets.get((row.problem, row.system))
        if target is None:
            message = gettext(
                "The study has no output of %(system)s for problem %(problem)s.",
                system=repr(row.system),
                problem=repr(row.problem),
            )
            column = row.column or batch.column("system" if row.problem in keys else "problem")
            problems.add(
                message, row=row.row, column=column, remedy=gettext("Import the outputs first."), file=row.file
            )
            continue
        known = stored.get((row.metric, target[0]))
        if known is None:
            plan.scores.setdefault(row.metric, []).append((target, row.score))
        elif known == row.score:
            plan.known += 1
        else:
            message, column = (
                gettext(
                    "Another score is stored (%(known)s, here %(score)s).",
                    known=format(known, "g"),
                    score=format(row.score, "g"),
                ),
                batch.column("score"),
            )
            problems.add(message, row=row.row, column=row.column or column, remedy=gettext(KEEP), file=row.file)
    return plan


def input_hash(output: str, references: tuple[str, ...]) -> str:
    """What a score was computed from."""
    return content_hash(output, *references)


def _targets(session: Session, study: Study) -> dict[tuple[str, str], Target]:
    references = stored_references(session, study)
    rows = session.execute(
        select(Problem.key, System.name, Output.id, Output.text)
        .join(Output, Output.problem_id == Problem.id)
        .join(System, System.id == Output.system_id)
        .where(Problem.study_id == study.id)
    )
    return {(key, system): (output, input_hash(text, references.get(key, ()))) for key, system, output, text in rows}


def _stored_scores(session: Session, study: Study) -> dict[tuple[str, int], float]:
    rows = session.execute(
        select(Scoring.name, MetricScore.output_id, MetricScore.score)
        .join(MetricScore, MetricScore.scoring_id == Scoring.id)
        .where(Scoring.study_id == study.id, Scoring.imported)
    )
    return {(name, output): score for name, output, score in rows}


def store_scores(session: Session, study: Study, batch: Batch, plan: ScorePlan, *, run_id: int, sha256: str) -> None:
    """Add what the plan says."""
    for name, scores in plan.scores.items():
        scoring_id = _imported_scoring(session, study, name)
        if scoring_id is None:
            signature = batch.signatures.get(name) or format_signature(name, "imported", file=sha256[:16])
            scoring = Scoring(study_id=study.id, name=name, label=batch.labels[name], signature=signature)
            scoring.imported, scoring.run_id = True, run_id
            session.add(scoring)
            session.flush()
            scoring_id = scoring.id
        insert_all(session, MetricScore, [_row(scoring_id, *each) for each in scores])


def _imported_scoring(session: Session, study: Study, name: str) -> int | None:
    return session.scalar(
        select(Scoring.id).where(Scoring.study_id == study.id, Scoring.name == name, Scoring.imported)
    )


def _row(scoring_id: int, target: Target, score: float) -> dict[str, Any]:
    return {
        "scoring_id": scoring_id,
        "output_id": target[0],
        "score": score,
        "statistics": np.asarray([score], dtype="<f8").tobytes(),
        "input_hash": target[1],
    }
