"""The inputs of a meta-evaluation, checked against each other and cut to the problems that all cover."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.statistics.corpus_scores import MetricInput
from app.statistics.errors import StatisticsError

Booleans = NDArray[np.bool_]
Indices = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class StudyInputs:
    """Included systems and complete problems only; all arrays agree in shape.

    missing: for each input by name, for how many of the study's problems an included system has no value in
    it.
    """

    systems: tuple[str, ...]
    human: MetricInput
    metrics: tuple[MetricInput, ...]
    output_ids: NDArray[np.integer] | None
    problems: int
    left_out: int
    missing: dict[str, int]

    @property
    def scored(self) -> tuple[MetricInput, ...]:
        """People first, then the metrics."""
        return (self.human, *self.metrics)


def select_inputs(
    systems: Sequence[str],
    human: MetricInput,
    metrics: Sequence[MetricInput],
    output_ids: NDArray[np.integer] | None,
    include: Sequence[str] | None,
) -> StudyInputs:
    """Check the inputs and keep the included systems and the complete problems.

    Raises StatisticsError naming the input at fault, or saying what is missing where nothing is left.
    """
    _check(systems, human, metrics, output_ids)
    rows = _included(systems, include)
    everything = (human, *metrics)
    incomplete: dict[str, Booleans] = {metric.name: _incomplete(metric, rows) for metric in everything}
    if output_ids is not None:
        incomplete["output"] = np.asarray((output_ids[rows] < 0).any(axis=0))
    complete = ~np.any(list(incomplete.values()), axis=0)
    missing = {name: int(np.count_nonzero(where)) for name, where in incomplete.items()}
    problems = int(np.count_nonzero(complete))
    if problems == 0:
        raise StatisticsError(_nothing_left(missing, len(complete)))
    chosen = [_cut(metric, rows, complete) for metric in everything]
    return StudyInputs(
        systems=tuple(systems[row] for row in rows),
        human=chosen[0],
        metrics=tuple(chosen[1:]),
        output_ids=None if output_ids is None else output_ids[np.ix_(rows, np.flatnonzero(complete))],
        problems=problems,
        left_out=len(complete) - problems,
        missing=missing,
    )


def _check(
    systems: Sequence[str],
    human: MetricInput,
    metrics: Sequence[MetricInput],
    output_ids: NDArray[np.integer] | None,
) -> None:
    names = [human.name, *(metric.name for metric in metrics)]
    for what, values in (("systems", systems), ("metrics", names)):
        repeated = sorted({value for value in values if list(values).count(value) > 1})
        if repeated:
            raise StatisticsError(f"Two {what} have the same name: {', '.join(repeated)}.")
    shape = (len(systems), human.statistics.shape[1])
    for metric in (human, *metrics):
        if metric.statistics.shape[:2] != shape:
            raise StatisticsError(
                f"{metric.name} has statistics for {metric.statistics.shape[:2]} (systems, problems); "
                f"expected {shape}."
            )
    if human.statistics.shape[2] != 1:
        raise StatisticsError("The human statistics must be one consensus per output: shape (systems, n, 1).")
    if output_ids is not None and output_ids.shape != shape:
        raise StatisticsError(f"output_ids has the shape {output_ids.shape}; expected {shape}.")


def _included(systems: Sequence[str], include: Sequence[str] | None) -> Indices:
    unknown = sorted(set(include or ()) - set(systems))
    if unknown:
        raise StatisticsError(f"No such system: {', '.join(unknown)}. Known: {', '.join(systems)}.")
    rows = [row for row, name in enumerate(systems) if include is None or name in set(include)]
    if len(rows) < 2:
        raise StatisticsError(f"Comparing needs at least two systems; {len(rows)} given.")
    return np.array(rows)


def _incomplete(metric: MetricInput, rows: Indices) -> Booleans:
    """For which problems an included system has no value; row by row, so as not to copy the statistics."""
    incomplete = np.zeros(metric.statistics.shape[1], dtype=np.bool_)
    for row in rows:
        incomplete |= ~np.isfinite(metric.statistics[row]).all(axis=1)
    return incomplete


def _cut(metric: MetricInput, rows: Indices, complete: Booleans) -> MetricInput:
    if len(rows) == len(metric.statistics) and complete.all():
        return metric
    statistics = metric.statistics[np.ix_(rows, np.flatnonzero(complete))]
    return MetricInput(metric.name, statistics, metric.corpus_score, metric.higher_is_better)


def _nothing_left(missing: dict[str, int], problems: int) -> str:
    if problems == 0:
        return "The study has no problems."
    counts = ", ".join(f"{name} for {count}" for name, count in missing.items() if count)
    return (
        f"None of the {problems} problems has a consensus, an output and every metric's value for all "
        f"included systems. Missing: {counts}. Collect more grades, or include fewer systems or metrics."
    )
