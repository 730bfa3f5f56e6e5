"""From a study's arrays to the document that pages show and exports hold."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any

import numpy as np

from app import __version__
from app.errors import InvalidInput
from app.services.analysis.inputs import GradeRows, StudyData, human_input
from app.services.analysis.parameters import AnalysisParameters
from app.statistics.agreement import measure_agreement
from app.statistics.consensus import Consensus, ConsensusMethod, NoConsensus, find_consensus
from app.statistics.consensus_rankings import ConsensusRanking, rank_by_consensus
from app.statistics.errors import StatisticsError
from app.statistics.meta_evaluation import meta_evaluate
from app.statistics.meta_evaluation_result import MetaEvaluation

SKILL_FREE = (ConsensusMethod.MAJORITY, ConsensusMethod.MEAN)  # any grades give a consensus by these
# Packages whose version can change a number.
PACKAGES = ("crowd-kit", "numpy", "rapidfuzz", "sacrebleu", "scipy", "tree-sitter", "tree-sitter-python")


def find_consensuses(grades: GradeRows) -> dict[ConsensusMethod, Consensus]:
    """The study's grades aggregated by every method."""
    return {method: find_consensus(grades.tasks, grades.workers, grades.labels, method) for method in ConsensusMethod}


def evaluate(data: StudyData, consensus: Consensus, parameters: AnalysisParameters) -> MetaEvaluation:
    """Metrics against people; InvalidInput says what is missing where they can't be compared."""
    if consensus.reason is not None:
        raise InvalidInput(f"The grades give no consensus: {consensus.reason}", remedy=_way_out(consensus))
    try:
        return meta_evaluate(
            data.grid.systems,
            human_input(data.grid, data.grades, consensus.values),
            [metric.input for metric in data.metrics],
            output_ids=data.grid.text_ids,
            draws=parameters.draws,
            seed=data.seed,
            bins=parameters.bins,
            percents=parameters.percents,
            ties=parameters.ties,
            synthetic=parameters.synthetic,
            include=parameters.systems,
        )
    except StatisticsError as error:
        raise InvalidInput(str(error)) from error


def _way_out(consensus: Consensus) -> str:
    """What helps where a method finds no consensus: more grades, or one that needs no skills of annotators."""
    if consensus.reason is NoConsensus.NO_GRADES or consensus.method in SKILL_FREE:
        return "Collect more grades first."
    return (
        "Collect more grades, or take a consensus that works with these: the majority or the mean of each item's "
        "grades ('Consensus of the grades' on the page; --consensus majority or --consensus mean)."
    )


def build_document(data: StudyData, parameters: AnalysisParameters) -> tuple[dict[str, Any], dict[str, Any]]:
    """The analysis as plain data: the document, and the table of all pairs for figures."""
    consensuses = find_consensuses(data.grades)
    chosen = consensuses[parameters.consensus]
    evaluation = evaluate(data, chosen, parameters)
    agreement = measure_agreement(data.grades.tasks, data.grades.labels, seed=data.seed)
    rankings = rank_by_consensus(data.grid.systems, data.grid.tasks, consensuses, parameters.consensus)
    document = {
        "study": data.about,
        "signature": _signature(data, parameters),
        **evaluation.to_json(),
        "metric_labels": {metric.input.name: metric.label for metric in data.metrics},
        "annotators": agreement.to_json(),
        "consensus": _consensus_json(consensuses, rankings, data.grades),
    }
    return document, _pair_table(evaluation)


def _signature(data: StudyData, parameters: AnalysisParameters) -> dict[str, Any]:
    """All that decides the numbers: whoever has the same inputs and this gets the same bytes."""
    chosen = parameters.model_dump(mode="json") | {"seed": data.seed, "question": data.grades.question}
    return {
        "codejury": __version__,
        "parameters": chosen,
        "metrics": {metric.input.name: metric.signature for metric in data.metrics},
        "inputs_sha256": hash_inputs(data),
        "packages": {name: version(name) for name in PACKAGES},
    }


def canonical_json(value: Any) -> str:
    """One spelling of a value, so that equal analyses are equal bytes. NaN is an error, not a word."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def hash_inputs(data: StudyData) -> str:
    """SHA-256 of all that goes in: outputs' identities, grades, statistics."""
    grid, grades = data.grid, data.grades
    digest = hashlib.sha256()
    parts: list[Any] = [grid.systems, grid.problems, grid.tasks, grid.text_ids.tolist()]
    parts += [grades.tasks, grades.workers, grades.labels, grades.lowest, grades.highest]
    digest.update(canonical_json(parts).encode("utf-8", "surrogatepass"))
    for metric in data.metrics:
        digest.update(canonical_json([metric.input.name, metric.signature]).encode())
        digest.update(np.ascontiguousarray(metric.input.statistics, dtype="<f8").tobytes())
    return digest.hexdigest()


def _consensus_json(
    consensuses: Mapping[ConsensusMethod, Consensus], rankings: Sequence[ConsensusRanking], grades: GradeRows
) -> dict[str, Any]:
    chosen = consensuses[rankings[0].method]
    return {
        "method": chosen.method.value,
        "items": len(chosen.values),
        "grades": len(grades.labels),
        "tied": len(chosen.tied),
        "skills": chosen.skills,
        "rankings": [
            {
                "method": each.method.value,
                "means": each.means,
                "ranks": each.ranks,
                "moved": list(each.moved),
                "problems": each.problems,
                "tied": len(consensuses[each.method].tied),
                "reason": each.reason.value if each.reason else None,
            }
            for each in rankings
        ],
    }


def _pair_table(evaluation: MetaEvaluation) -> dict[str, Any]:
    """All pairs as columns, for the figure of metric against people."""
    pairs = evaluation.pairs
    return {
        "metrics": list(pairs.metrics),
        "first": pairs.first.tolist(),
        "second": pairs.second.tolist(),
        "differences": {name: pairs.differences[row].round(4).tolist() for row, name in enumerate(pairs.metrics)},
        "verdicts": {name: pairs.verdicts[row].tolist() for row, name in enumerate(pairs.metrics)},
    }
