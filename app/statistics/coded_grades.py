"""Grades as sorted codes: which annotator gave which label to which task, whatever order they came in."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.statistics.errors import StatisticsError

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]
Names = NDArray[np.str_]


class CodedGrades(NamedTuple):
    """Grades sorted by task, then annotator, with names and labels as sorted code tables."""

    tasks: Names
    workers: Names
    labels: Floats
    task: Indices
    worker: Indices
    label: Indices

    def only(self, keep: NDArray[np.bool_]) -> "CodedGrades":
        """The kept grades, with code tables of what is left."""
        return _encode(self.tasks[self.task[keep]], self.workers[self.worker[keep]], self.labels[self.label[keep]])

    def shares_a_task(self) -> NDArray[np.bool_]:
        """For each worker, whether any of their tasks was graded by another one, too."""
        shared = np.bincount(self.task)[self.task] > 1
        return np.bincount(self.worker, weights=shared, minlength=len(self.workers)) > 0

    def support(self, weights: Floats) -> Floats:
        """Summed weights of the grades per (task, label); -inf for labels that nobody gave to the task."""
        shape = (len(self.tasks), len(self.labels))
        cell = self.task * shape[1] + self.label
        total = np.bincount(cell, weights=weights, minlength=shape[0] * shape[1])
        given = np.bincount(cell, minlength=shape[0] * shape[1]) > 0
        return np.where(given, total, -np.inf).reshape(shape)


def code_grades(tasks: Sequence[str], workers: Sequence[str], labels: Sequence[float]) -> CodedGrades:
    """Sort and code rows; StatisticsError for a second grade of a task or one that is not a number."""
    if not len(tasks) == len(workers) == len(labels):
        raise StatisticsError(f"{len(tasks)} tasks, {len(workers)} workers, {len(labels)} labels: one each.")
    values = np.array(labels, dtype=np.float64)
    if not np.isfinite(values).all():
        raise StatisticsError("A grade is not a finite number; leave skipped items out.")
    grades = _encode(np.array(tasks, dtype=np.str_), np.array(workers, dtype=np.str_), values)
    repeated = np.flatnonzero((np.diff(grades.task) == 0) & (np.diff(grades.worker) == 0))
    if len(repeated):
        task, worker = grades.tasks[grades.task[repeated[0]]], grades.workers[grades.worker[repeated[0]]]
        raise StatisticsError(f"{worker} has more than one grade for {task}; merge or choose one first.")
    return grades


def _encode(tasks: Names, workers: Names, labels: Floats) -> CodedGrades:
    order = np.lexsort((workers, tasks))
    task_names, task = np.unique(tasks[order], return_inverse=True)
    worker_names, worker = np.unique(workers[order], return_inverse=True)
    values, label = np.unique(labels[order], return_inverse=True)
    return CodedGrades(task_names, worker_names, values, task, worker, label)
