"""How well each annotator grades: skill, agreement with the others, consistency, care. Each number with its items.

Where a number can't be had its ``reason`` says why; nothing here is ever NaN.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.statistics.coded_grades import CodedGrades, code_grades
from app.statistics.consensus import Consensus, ConsensusMethod, find_consensus
from app.words import N_

Floats = NDArray[np.float64]

DECIMALS = 6  # beyond these, sums depend on their order

NO_GRADES = N_("No grade counts yet.")
NO_OTHERS = N_("Nobody else has graded the same items.")
ONE_ANSWER = N_("One answer shows no habit.")
NO_CHECKS = N_("No check was shown.")
NO_PRACTICE = N_("No practice item was answered.")
NO_REPEATS = N_("No repeated item was answered.")
NO_TIMES = N_("No times were measured.")
NO_REFERENCES = N_("No hidden reference was graded.")


@dataclass(frozen=True, slots=True)
class Measure:
    """A number and from how many items it comes; ``value`` is None where ``reason`` says why there is none."""

    value: float | None
    items: int = 0
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Likeness:
    """How alike pairs of answers are. equal: share of equal ones, 0-1; difference: mean absolute, in grades."""

    equal: Measure
    difference: Measure


@dataclass(frozen=True, slots=True)
class Habits:
    """Signs of answering without reading.

    longest_run: most answers in a row that are all the same; modal_share: share of the most frequent answer, 0-1;
    entropy: of the answers, in bits; 0 means always the same, log2(k) that all k answers are equally frequent.
    """

    longest_run: Measure
    modal_share: Measure
    entropy: Measure


def skills(tasks: Sequence[str], workers: Sequence[str], labels: Sequence[float]) -> dict[str, Measure]:
    """Each worker's estimated probability of a correct grade by M-MSR, from one entry per grade.

    Ma & Olshevsky 2020, by app.statistics.consensus. Items are those that the worker graded.
    """
    consensus = find_consensus(tasks, workers, labels, ConsensusMethod.M_MSR)
    return {worker: _skill(consensus, worker, items) for worker, items in sorted(Counter(workers).items())}


def _skill(consensus: Consensus, worker: str, items: int) -> Measure:
    if worker in consensus.unconnected:
        return Measure(None, items, NO_OTHERS)
    if consensus.reason is not None:
        return Measure(None, items, consensus.reason.value)
    return Measure(consensus.skills[worker], items)


def likeness_to_others(tasks: Sequence[str], workers: Sequence[str], labels: Sequence[float]) -> dict[str, Likeness]:
    """Each worker against everybody else on the same tasks (leave-one-out), from one entry per grade.

    difference: between the grade and the mean of the others' grades. equal: whether the grade is the most frequent
    of the others'; where k are equally frequent and it is one of them, that counts 1/k. Tasks that nobody else
    graded are left out. Raises StatisticsError for a second grade of a task or one that is not a number.
    """
    grades = code_grades(tasks, workers, labels)
    if len(grades.task) == 0:
        return {}
    size = np.bincount(grades.task)
    shared = size[grades.task] > 1
    value = grades.labels[grades.label]
    total = np.bincount(grades.task, weights=value)
    others = np.maximum(size[grades.task] - 1, 1)
    difference = np.abs(value - (total[grades.task] - value) / others)
    equal = _equal_to_others(grades)
    return {name: _likeness(equal[mine], difference[mine]) for name, mine in _rows_of_workers(grades, shared)}


def _rows_of_workers(grades: CodedGrades, keep: NDArray[np.bool_]) -> list[tuple[str, NDArray[np.intp]]]:
    order = np.argsort(grades.worker, kind="stable")
    ends = np.cumsum(np.bincount(grades.worker, minlength=len(grades.workers)))[:-1]
    rows = np.split(order, ends)
    return [(str(name), mine[keep[mine]]) for name, mine in zip(grades.workers, rows, strict=True)]


def _equal_to_others(grades: CodedGrades) -> Floats:
    """For each grade, how much it counts as the most frequent one among the others': 0, 1, or 1/k of a tie."""
    shape = (len(grades.tasks), len(grades.labels))
    counts = np.bincount(grades.task * shape[1] + grades.label, minlength=shape[0] * shape[1]).reshape(shape)
    most = counts.max(axis=1)
    at_most = (counts == most[:, None]).sum(axis=1)
    below = np.where(counts == most[:, None], 0, counts)
    second = below.max(axis=1)
    at_second = (below == second[:, None]).sum(axis=1)
    # Without the grade itself its label has one fewer: it leads only if it led alone and still isn't behind.
    left = counts[grades.task, grades.label] - 1
    leads = (left == most[grades.task] - 1) & (at_most[grades.task] == 1) & (left >= second[grades.task]) & (left > 0)
    ties = np.where(left == second[grades.task], at_second[grades.task], 0)
    return np.where(leads, 1 / (1 + ties), 0.0)


def likeness_of_pairs(first: Sequence[float], second: Sequence[float]) -> Likeness:
    """Answers to the same item, given twice: how consistent an annotator is."""
    if not first:
        return _unlike(NO_REPEATS)
    one, two = np.array(first, dtype=np.float64), np.array(second, dtype=np.float64)
    return _likeness((one == two).astype(np.float64), np.abs(one - two))


def _likeness(equal: Floats, difference: Floats) -> Likeness:
    if len(equal) == 0:
        return _unlike(NO_OTHERS)
    return Likeness(_mean(equal), _mean(difference))


def _unlike(reason: str) -> Likeness:
    return Likeness(Measure(None, 0, reason), Measure(None, 0, reason))


def habits(answers: Sequence[float]) -> Habits:
    """Straight-lining in one annotator's answers, which stand in the order in which they were given."""
    if len(answers) < 2:
        nothing = Measure(None, len(answers), ONE_ANSWER if answers else NO_GRADES)
        return Habits(nothing, nothing, nothing)
    frequencies = np.array(list(Counter(answers).values()), dtype=np.float64) / len(answers)
    entropy = max(0.0, -float((frequencies * np.log2(frequencies)).sum()))
    return Habits(
        Measure(float(_longest_run(answers)), len(answers)),
        Measure(round(float(frequencies.max()), DECIMALS), len(answers)),
        Measure(round(entropy, DECIMALS), len(answers)),
    )


def _longest_run(answers: Sequence[float]) -> int:
    values = np.array(answers, dtype=np.float64)
    starts = np.flatnonzero(np.concatenate([[True], values[1:] != values[:-1]]))
    return int(np.diff(np.append(starts, len(values))).max())


def share_passed(passed: int, shown: int, nothing: str = NO_CHECKS) -> Measure:
    """Checks answered rightly of those answered, 0-1. ``nothing``: the reason where none was."""
    return Measure(round(passed / shown, DECIMALS), shown) if shown else Measure(None, 0, nothing)


def median_seconds(milliseconds: Sequence[float]) -> Measure:
    """Median active time of an item, in seconds."""
    known = np.array([each for each in milliseconds if math.isfinite(each) and each >= 0], dtype=np.float64)
    if len(known) == 0:
        return Measure(None, 0, NO_TIMES)
    return Measure(round(float(np.median(known)) / 1000, DECIMALS), len(known))


def mean_of_references(grades: Sequence[float]) -> Measure:
    """Mean grade of hidden references, which are right by construction."""
    return _mean(np.array(grades, dtype=np.float64)) if grades else Measure(None, 0, NO_REFERENCES)


def _mean(values: Floats) -> Measure:
    return Measure(round(float(values.mean()), DECIMALS), len(values))


def as_json(measures: Mapping[str, Measure]) -> dict[str, dict[str, float | int | str | None]]:
    """Measures as plain data."""
    return {
        name: {"value": each.value, "items": each.items, "reason": each.reason} for name, each in measures.items()
    }
