"""A small analysed study for tests of charts: real statistics on made-up grades, and names that would be code."""

from functools import cache
from typing import Any

import numpy as np

from app.charts.results import Results
from app.statistics.agreement import measure_agreement
from app.statistics.consensus import ConsensusMethod, find_consensus
from app.statistics.consensus_rankings import rank_by_consensus
from app.statistics.corpus_scores import mean_of_segments
from app.statistics.meta_evaluation import meta_evaluate

SYSTEMS = ("plain", "<b>bold</b> & 50%", "=cmd|' /C calc'!A0")
PROBLEMS = 40
METHODS = (ConsensusMethod.MAJORITY, ConsensusMethod.MEAN)
LABELS = {"bleu": "BLEU", "chrf": "chrF", "mine": "My_metric <1>"}


@cache
def analysed(
    *, seed: int = 5, synthetic: bool = True, metrics: tuple[str, ...] = ("bleu", "chrf", "mine")
) -> Results:
    """Results as an analysis stores them."""
    random = np.random.default_rng(5)
    quality = np.array([[0.3], [0.5], [0.7]])
    votes = random.binomial(4, quality[:, :, np.newaxis], size=(len(SYSTEMS), PROBLEMS, 3)).astype(float)
    tasks = [[f"{problem}/{system}" for problem in range(PROBLEMS)] for system in range(len(SYSTEMS))]
    rows = [
        (tasks[system][problem], f"grader{grader}", votes[system, problem, grader])
        for system, problem, grader in np.ndindex(votes.shape)
    ]
    items, workers, labels = zip(*rows, strict=True)
    consensus = {method: find_consensus(items, workers, labels, method) for method in METHODS}
    human = np.array([[consensus[ConsensusMethod.MAJORITY].values[task] / 4 for task in row] for row in tasks])
    inputs = [
        mean_of_segments(name, np.clip(human + random.normal(0, 0.1 + 0.2 * place, human.shape), 0, 1))
        for place, name in enumerate(LABELS)
    ]
    evaluation = meta_evaluate(
        SYSTEMS,
        mean_of_segments("human", human),
        inputs,
        output_ids=np.arange(human.size).reshape(human.shape),
        draws=200,
        seed=1,
        synthetic=synthetic,
    )
    rankings = rank_by_consensus(SYSTEMS, tasks, consensus, ConsensusMethod.MAJORITY)
    document: dict[str, Any] = evaluation.to_json() | {
        "metric_labels": LABELS,
        "annotators": measure_agreement(items, labels, draws=200).to_json(),
        "consensus": {
            "rankings": [
                {
                    "method": str(each.method),
                    "means": each.means,
                    "ranks": each.ranks,
                    "moved": list(each.moved),
                    "problems": each.problems,
                    "reason": each.reason,
                }
                for each in rankings
            ]
        },
    }
    table = evaluation.pairs
    pairs = {
        "metrics": list(table.metrics),
        "first": table.first.tolist(),
        "second": table.second.tolist(),
        "differences": {name: table.differences[row].tolist() for row, name in enumerate(table.metrics)},
        "verdicts": {name: table.verdicts[row].tolist() for row, name in enumerate(table.metrics)},
    }
    return Results(document, pairs)
