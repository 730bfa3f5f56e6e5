"""Tests against people in one study: each output's verdict beside what people gave it, as one document."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from typing import Any

from sqlalchemy.orm import Session

from app import __version__
from app.errors import InvalidInput
from app.ids import content_hash
from app.services.agreement.questions import AskedQuestion
from app.services.agreement.revision import grades_revision
from app.services.analysis.computation import canonical_json
from app.services.analysis.inputs import GradeRows, load_grades
from app.services.execution_results.ends_of_scale import EndsOfScale, ends_of_scale
from app.services.execution_results.outcomes import (
    ExecutedOutput,
    executed_outputs,
    study_stamp,
    verdict_counts,
    walls_of,
)
from app.services.kept import kept_while
from app.statistics.consensus import Consensus, ConsensusMethod, NoConsensus, find_consensus
from app.statistics.execution_agreement import execution_agreement
from app.storage.models import Study
from app.words import gettext

Document = dict[str, Any]

DRAWS = 10_000
PACKAGES = ("crowd-kit", "numpy", "scipy")
METHODS = tuple(ConsensusMethod)


@dataclass(frozen=True, eq=False)
class _Joined:
    """All that the document is made of."""

    outputs: Sequence[ExecutedOutput]
    grades: GradeRows
    consensus: Consensus
    given: Mapping[str, list[float]]  # item → its grades
    ends: EndsOfScale

    def value_of(self, output: ExecutedOutput) -> float | None:
        return self.consensus.values.get(output.task)


def study_execution(session: Session, study: Study, question: AskedQuestion | None, method: str) -> Document:
    """Verdicts and, where the study asks a question about outputs, what people gave the same outputs.

    method: how several grades of one output become one; where that finds none, the mean, and the document says so.
    """
    if method not in METHODS:
        raise InvalidInput(gettext("There is no such consensus."))
    stamp = (study_stamp(session, study), canonical_json(grades_revision(session, study)), study.seed)
    key = ("tests and people", study.id, question.name if question else None, method)
    return kept_while(session, key, stamp, lambda: _work_out(session, study, question, ConsensusMethod(method)))


def _work_out(session: Session, study: Study, question: AskedQuestion | None, method: ConsensusMethod) -> Document:
    outputs = executed_outputs(session, study)
    document: Document = {
        "study": {"slug": study.slug, "title": study.title, "notice": study.notice},
        "outputs": len(outputs),
        "verdicts": dict(sorted(verdict_counts(outputs).items())),
        "systems": _systems(outputs),
        "walls": [list(wall) for wall in walls_of(outputs)],
        "question": question.about if question else None,
        "agreement": None,
    }
    if question is None or question.bounds is None or not outputs:
        return document
    return document | _compare(study, question, _join(session, study, question, outputs, method), method)


def _systems(outputs: Sequence[ExecutedOutput]) -> list[Document]:
    """What the tests said of each system's outputs."""
    of_system: dict[str, list[ExecutedOutput]] = defaultdict(list)
    for each in outputs:
        of_system[each.system].append(each)
    return [
        {"name": name, "verdicts": dict(sorted(verdict_counts(mine).items()))} for name, mine in of_system.items()
    ]


def _join(
    session: Session,
    study: Study,
    question: AskedQuestion,
    outputs: Sequence[ExecutedOutput],
    method: ConsensusMethod,
) -> _Joined:
    grades = load_grades(session, study, question.name)
    rows = (grades.tasks, grades.workers, grades.labels)
    consensus = find_consensus(*rows, method)
    if consensus.reason not in (None, NoConsensus.NO_GRADES):
        mean = find_consensus(*rows, ConsensusMethod.MEAN)
        consensus = Consensus(mean.method, mean.values, {}, reason=consensus.reason)
    given: dict[str, list[float]] = defaultdict(list)
    for task, value in zip(grades.tasks, grades.labels, strict=True):
        given[task].append(value)
    return _Joined(outputs, grades, consensus, given, ends_of_scale(question.values, question.bounds or (0.0, 1.0)))


def _compare(study: Study, question: AskedQuestion, joined: _Joined, asked: ConsensusMethod) -> Document:
    outputs, ends = joined.outputs, joined.ends
    found = execution_agreement(
        [each.problem for each in outputs],
        [each.passed for each in outputs],
        [joined.value_of(each) for each in outputs],
        scale=ends.levels,
        low=ends.low,
        high=ends.high,
        draws=DRAWS,
        seed=study.seed,
    )
    return {
        "scale": asdict(ends),
        "grades": len(joined.grades.labels),
        "consensus": {
            "asked": asked.value,
            "method": joined.consensus.method.value,
            "reason": joined.consensus.reason.value if joined.consensus.reason else None,
        },
        "agreement": asdict(found),
        "passes_but_low": [_listed(joined, place) for place in found.passes_but_low],
        "fails_but_high": [_listed(joined, place) for place in found.fails_but_high],
        "signature": _signature(study, question, joined, asked),
    }


def _listed(joined: _Joined, place: int) -> Document:
    output = joined.outputs[place]
    return {
        "output": output.id,
        "item": output.item_id,
        "problem": output.problem,
        "system": output.system,
        "verdict": output.verdict,
        "reason": output.reason,
        "consensus": joined.value_of(output),
        "grades": sorted(joined.given[output.task]),
    }


def _signature(study: Study, question: AskedQuestion, joined: _Joined, asked: ConsensusMethod) -> Document:
    grades = joined.grades
    inputs = [
        [[each.problem, each.system, each.task, each.verdict] for each in joined.outputs],
        [grades.tasks, grades.workers, grades.labels],
        asdict(joined.ends),
    ]
    return {
        "codejury": __version__,
        "parameters": {
            "question": question.name,
            "consensus": asked.value,
            "draws": DRAWS,
            "seed": study.seed,
        },
        "inputs_sha256": content_hash(canonical_json(inputs)),
        "packages": {name: version(name) for name in PACKAGES},
    }
