"""Execution as a metric of a study: the share of samples that pass, beside BLEU and whatever else is scored.

An output that is one of several samples of a model has the share of all those that were judged for its problem, which
is pass@1 of the problem; another output its own verdict. Where the sandbox failed or nothing was run there is no
score: that says nothing about a program.
"""

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from app.errors import Conflict
from app.execution.protocol import Verdict
from app.metrics.protocol import format_signature
from app.services.execution.targets import NOT_COUNTED
from app.services.imports.store_material import insert_all
from app.storage.models import Completion, Execution, MetricScore, Output, Problem, Scoring, Study
from app.storage.transaction_turns import TurnAt, take_turn
from app.words import gettext

NAME, LABEL, VERSION = "execution", "Execution", "1"
Pair = tuple[int, int]  # generation, benchmark problem


def store_execution_scores(session: Session, study: Study, run_id: int) -> int:
    """Bring the study's scores up to date with what is stored of its programs; how many there are then."""
    take_turn(session, TurnAt.SCORES, study.id)
    own = _own(session, study)
    shares = _shares(session, study)
    judged = {output: shares.get(output, float(each.verdict == Verdict.PASSED)) for output, each in own.items()}
    judged |= shares
    scoring = _scoring(session, study)
    if not judged and scoring is None:
        return 0
    scoring = scoring or Scoring(study_id=study.id, name=NAME, label=LABEL, imported=True)
    scoring.signature, scoring.run_id = signature_of([*own.values()]), run_id
    session.add(scoring)
    session.flush()
    _replace(session, scoring, judged, own)
    return len(judged)


def _own(session: Session, study: Study) -> dict[int, Execution]:
    """Each output's own verdict."""
    rows = session.scalars(
        select(Execution)
        .join(Output, Output.id == Execution.output_id)
        .join(Problem, Problem.id == Output.problem_id)
        .where(Problem.study_id == study.id, Execution.verdict.not_in(NOT_COUNTED))
        .order_by(Execution.output_id)
    )
    return {each.output_id: each for each in rows if each.output_id is not None}


def _shares(session: Session, study: Study) -> dict[int, float]:
    """Of outputs that are samples: the share of the generation's samples of that problem that pass."""
    of_pair: dict[Pair, list[int]] = defaultdict(list)
    rows = session.execute(
        select(Completion.generation_id, Completion.problem_id, Output.id)
        .join(Output, Output.completion_id == Completion.id)
        .join(Problem, Problem.id == Output.problem_id)
        .where(Problem.study_id == study.id)
    )
    for generation, problem, output in rows:
        of_pair[generation, problem].append(output)
    verdicts = _verdicts(session, {generation for generation, _ in of_pair})
    return {
        output: verdicts[pair].count(Verdict.PASSED) / len(verdicts[pair])
        for pair, found in of_pair.items()
        if pair in verdicts
        for output in found
    }


def _verdicts(session: Session, generations: set[int]) -> dict[Pair, list[str]]:
    found: dict[Pair, list[str]] = defaultdict(list)
    rows = session.execute(
        select(Completion.generation_id, Completion.problem_id, Execution.verdict)
        .join(Execution, Execution.completion_id == Completion.id)
        .where(Completion.generation_id.in_(generations), Execution.verdict.not_in(NOT_COUNTED))
    )
    for generation, problem, verdict in rows:
        found[generation, problem].append(verdict)
    return dict(found)


def signature_of(judged: Sequence[Execution]) -> str:
    """What made the scores: walls, strengths, limits and runtimes, each named once."""
    named = {
        "tier": {each.tier or "" for each in judged},
        "strength": {each.strength or "" for each in judged},
        "runtime": {each.runtime for each in judged},
        "limits": {_short(each) for each in judged},
    }
    options = {name: "+".join(sorted(values)) for name, values in named.items()}
    return format_signature(NAME, VERSION, **options)[:500]


def _short(each: Execution) -> str:
    return ",".join(f"{name}={value:g}" for name, value in sorted(each.limits.items()))


def _scoring(session: Session, study: Study) -> Scoring | None:
    """Ours; Conflict where people imported scores by that name."""
    found = session.scalar(select(Scoring).where(Scoring.study_id == study.id, Scoring.name == NAME))
    if found is not None and not found.signature.startswith(f"metric:{NAME}|limits:"):
        raise Conflict(
            gettext("This study has imported scores of a metric called execution."),
            remedy=gettext("Programs can be run in a copy of the study without these scores."),
        )
    return found


def _replace(session: Session, scoring: Scoring, judged: dict[int, float], own: dict[int, Execution]) -> None:
    session.execute(delete(MetricScore).where(MetricScore.scoring_id == scoring.id))
    rows = (
        {
            "scoring_id": scoring.id,
            "output_id": output,
            "score": score,
            "statistics": np.asarray([score], dtype="<f8").tobytes(),
            "input_hash": own[output].input_hash if output in own else "",
        }
        for output, score in sorted(judged.items())
    )
    insert_all(session, MetricScore, rows)
