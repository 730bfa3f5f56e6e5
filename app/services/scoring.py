"""Score a study's outputs with metrics, in chunks that are kept: a run that stopped goes on where it was."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Any, TypeVar

import numpy as np
from sqlalchemy import delete, func, insert, select
from sqlalchemy.orm import Session

from app import metrics
from app.errors import AppError
from app.ids import content_hash
from app.metrics import Metric, MetricError, Segment, SegmentScores
from app.services.runs import RunContext, Store, enqueue, handler
from app.storage.models import MetricScore, Output, Problem, Reference, Run, Scoring, Study
from app.storage.transaction_turns import TurnAt, take_turn
from app.words import gettext, human_number

# The six metrics of 'Out of the BLEU', in the order of its tables.
DEFAULT_METRICS = ("bleu", "rouge_l", "chrf", "meteor", "ruby", "codebleu")
# Those that need a language model on the worker: computed where somebody chooses them.
ENCODER_METRICS = ("codebertscore_f1", "codebertscore_f3", "embedding_cosine")
OWN_METRICS = (*DEFAULT_METRICS, *ENCODER_METRICS)
# So long a chunk takes, that progress moves and a cancelled run stops; how many outputs that is, differs by metric
# and by code a thousandfold.
SECONDS_A_CHUNK = 1.0
FIRST_CHUNK, LARGEST_CHUNK = 20, 500

Scored = TypeVar("Scored")


@dataclass(frozen=True, slots=True)
class Candidate:
    """One output that a metric can score, with the hash of all that its score depends on."""

    output_id: int
    segment: Segment
    input_hash: str


def metric_for(study: Study, name: str) -> Metric:
    """The metric in this study's configuration."""
    options = {"variant": study.codebleu_variant} if name == "codebleu" else {}
    return metrics.create(name, **options)


def request_scoring(
    session: Session, study: Study, *, names: Sequence[str] = DEFAULT_METRICS, user_id: int | None = None
) -> Run:
    """Ask for the study's outputs to be scored; what is scored already is not scored again."""
    for name in names:
        metric_for(study, name)  # an unknown name fails now, not later in the background
    return enqueue(session, "scoring", {"metrics": list(names)}, study_id=study.id, user_id=user_id)


@handler("scoring")
def score_study(context: RunContext) -> Store:
    """Score every output that has a reference and no current score."""
    names = context.payload["metrics"]
    total = score_outstanding(context, names)
    message = gettext(
        "%(number)s scores by %(metrics)s metrics are stored.", number=human_number(total), metrics=len(names)
    )
    return lambda _session: {"scores": total, "message": message}


def score_outstanding(context: RunContext, names: Sequence[str]) -> int:
    """Bring the study's scores by these metrics up to date, chunk by chunk; how many scores there are then."""
    try:
        return _score_outstanding(context, names)
    except MetricError as error:  # a model that this worker lacks
        raise AppError(str(error)) from error


def _score_outstanding(context: RunContext, names: Sequence[str]) -> int:
    with context.database.read() as session:
        study = session.get_one(Study, context.study_id)
        chosen = [metric_for(study, name) for name in names]
        candidates = load_candidates(session, study)
        outstanding = {metric.name: _outstanding(session, study, metric, candidates) for metric in chosen}
    total = len(candidates) * len(chosen)
    done = total - sum(map(len, outstanding.values()))
    for metric in chosen:
        words = gettext("Scoring with %(metric)s", metric=metric.label)
        for chunk in timed_chunks(outstanding[metric.name]):
            context.give_way()
            context.progress(done, total, unit=gettext("scores"), message=words)
            scores = metric.score_segments([candidate.segment for candidate in chunk])
            with context.write() as session:
                _store_chunk(session, context, metric, chunk, scores)
            done += len(chunk)
    return total


def load_candidates(session: Session, study: Study) -> list[Candidate]:
    """Outputs with at least one reference, in the order of problems, so that a metric can reuse a problem's work."""
    references: dict[int, list[str]] = defaultdict(list)
    for problem_id, text in session.execute(
        select(Reference.problem_id, Reference.text)
        .join(Problem, Problem.id == Reference.problem_id)
        .where(Problem.study_id == study.id)
        .order_by(Reference.problem_id, Reference.position)
    ):
        references[problem_id].append(text)
    rows = session.execute(
        select(Output.id, Output.problem_id, Output.text)
        .join(Problem, Problem.id == Output.problem_id)
        .where(Problem.study_id == study.id)
        .order_by(Problem.position, Output.id)
    )
    return [
        Candidate(output_id, Segment(text, tuple(known)), content_hash(text, *known))
        for output_id, problem_id, text in rows
        if (known := references.get(problem_id))
    ]


def current_scoring(session: Session, study: Study, metric: Metric) -> Scoring | None:
    """The study's scores by exactly this configuration of the metric."""
    return session.scalar(
        select(Scoring).where(
            Scoring.study_id == study.id, Scoring.name == metric.name, Scoring.signature == metric.signature
        )
    )


def imported_metrics(session: Session, study: Study) -> dict[str, str]:
    """Metrics whose scores were computed elsewhere, by name, each with its label."""
    of_study = (Scoring.study_id == study.id, Scoring.imported.is_(True))
    named = select(Scoring.name, func.max(Scoring.label)).where(*of_study).group_by(Scoring.name)
    return dict(session.execute(named.order_by(Scoring.name)).all())


def _outstanding(session: Session, study: Study, metric: Metric, candidates: list[Candidate]) -> list[Candidate]:
    scoring = current_scoring(session, study, metric)
    if scoring is None:
        return candidates
    known = select(MetricScore.output_id, MetricScore.input_hash).where(MetricScore.scoring_id == scoring.id)
    stored = dict(session.execute(known).all())
    return [each for each in candidates if stored.get(each.output_id) != each.input_hash]


def timed_chunks(candidates: Sequence[Scored]) -> Iterator[Sequence[Scored]]:
    """Pieces of the size that the one before should have had to take SECONDS_A_CHUNK."""
    start, size = 0, FIRST_CHUNK
    while start < len(candidates):
        began = monotonic()
        yield candidates[start : start + size]
        start += size
        fitting = int(size * SECONDS_A_CHUNK / max(monotonic() - began, 0.001))
        size = max(1, min(fitting, 3 * size, LARGEST_CHUNK))


def _store_chunk(
    session: Session, context: RunContext, metric: Metric, chunk: Sequence[Candidate], scores: SegmentScores
) -> None:
    study = session.get_one(Study, context.study_id)
    take_turn(session, TurnAt.SCORES, study.id)  # another run may be scoring the same outputs
    scoring = current_scoring(session, study, metric)
    if scoring is None:
        scoring = Scoring(study_id=study.id, name=metric.name, label=metric.label, signature=metric.signature)
        session.add(scoring)
    scoring.run_id = context.run_id
    session.flush()
    replaced = [candidate.output_id for candidate in chunk]
    session.execute(
        delete(MetricScore).where(MetricScore.scoring_id == scoring.id, MetricScore.output_id.in_(replaced))
    )
    session.execute(insert(MetricScore), _rows(scoring.id, chunk, scores))


def _rows(scoring_id: int, chunk: Sequence[Candidate], scores: SegmentScores) -> list[dict[str, Any]]:
    packed = np.ascontiguousarray(scores.statistics, dtype="<f8")
    return [
        {
            "scoring_id": scoring_id,
            "output_id": candidate.output_id,
            "score": float(score),
            "statistics": vector.tobytes(),
            "input_hash": candidate.input_hash,
        }
        for candidate, score, vector in zip(chunk, scores.scores, packed, strict=True)
    ]
