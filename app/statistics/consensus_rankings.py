"""What another way of forming the consensus would change in the ranking of the systems."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.statistics.consensus import Consensus, ConsensusMethod, NoConsensus
from app.statistics.errors import StatisticsError
from app.statistics.ranks import mid_ranks

Floats = NDArray[np.float64]

DECIMALS = 10


@dataclass(frozen=True, slots=True)
class ConsensusRanking:
    """Systems ranked by their mean consensus under one method.

    means: by system, in the unit of the grades, over ``problems`` problems. ranks: by system, 1 the best,
    equal means sharing the mean of their ranks. moved: systems whose rank differs from the default method's.
    All empty where ``reason`` says why the method has no consensus.
    """

    method: ConsensusMethod
    means: dict[str, float]
    ranks: dict[str, float]
    moved: tuple[str, ...]
    problems: int
    reason: NoConsensus | None = None


def rank_by_consensus(
    systems: Sequence[str],
    tasks: Sequence[Sequence[str | None]],
    consensuses: Mapping[ConsensusMethod, Consensus],
    default: ConsensusMethod = ConsensusMethod.M_MSR,
) -> list[ConsensusRanking]:
    """Rank the systems under each consensus, the default method first.

    tasks: for each system, the task of its output for each problem, None where there is none (identical
    outputs share a task). Problems in which any system lacks a consensus are left out. Raises StatisticsError
    if the default is not among the consensuses or the systems have different numbers of problems.
    """
    if default not in consensuses:
        raise StatisticsError(f"There is no consensus by the default method, {default}.")
    if len(tasks) != len(systems) or len({len(row) for row in tasks}) > 1:
        raise StatisticsError("tasks must hold one row per system, each with one entry per problem.")
    first = _rank(systems, tasks, consensuses[default], None)
    others = [found for method, found in consensuses.items() if method != default]
    return [first, *(_rank(systems, tasks, found, first.ranks) for found in others)]


def _rank(
    systems: Sequence[str],
    tasks: Sequence[Sequence[str | None]],
    consensus: Consensus,
    default_ranks: Mapping[str, float] | None,
) -> ConsensusRanking:
    values = np.array([[_value(consensus, task) for task in row] for row in tasks], dtype=np.float64)
    complete = values[:, ~np.isnan(values).any(axis=0)]
    problems = complete.shape[1]
    if problems == 0:
        return ConsensusRanking(consensus.method, {}, {}, (), 0, consensus.reason)
    means = np.round(complete.mean(axis=1), DECIMALS)
    ranks = dict(zip(systems, mid_ranks(means.tolist()), strict=True))
    moved = tuple(name for name in systems if default_ranks and ranks[name] != default_ranks[name])
    return ConsensusRanking(consensus.method, dict(zip(systems, means.tolist(), strict=True)), ranks, moved, problems)


def _value(consensus: Consensus, task: str | None) -> float:
    return np.nan if task is None else consensus.values.get(task, np.nan)
