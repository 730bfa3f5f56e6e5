"""One grade per item from the grades of many annotators. The only file that imports crowd-kit.

Whatever order the grades come in, they are sorted before anything is computed, and every value is looked up
by its task, never by position. Where no consensus can be computed the result says why; it never holds NaN.
"""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.statistics.coded_grades import CodedGrades, code_grades
from app.statistics.m_msr import SignsOpenError, signed_skills

if TYPE_CHECKING:
    import pandas as pd


Floats = NDArray[np.float64]

TIE_TOLERANCE = 1e-9
MOST_ITERATIONS = 1000  # of M-MSR, which converges within 50 on real grades or never
SKILL_DECIMALS = 6  # M-MSR stops at changes of 1e-10; the rest depends on the machine


class ConsensusMethod(StrEnum):
    """How grades become one value per item; M-MSR is the default, as in the paper."""

    M_MSR = "m_msr"
    MAJORITY = "majority"
    MEAN = "mean"
    DAWID_SKENE = "dawid_skene"
    MACE = "mace"


class NoConsensus(StrEnum):
    """Why there is no consensus. The value is the sentence to show."""

    NO_GRADES = "There are no grades."
    ONE_ANNOTATOR = "Only one annotator has graded; the skills of annotators cannot be compared."
    ONE_LABEL = "All compared grades are the same; the skills of annotators cannot be told apart."
    NO_COMMON_ITEMS = "No two annotators have graded the same item; their skills cannot be compared."
    NO_SKILL = "The grades do not show which annotators agree more often than chance would."
    NOT_COMPUTABLE = "The method did not arrive at a result for these grades."


@dataclass(frozen=True, slots=True)
class Consensus:
    """One value per task, in the unit of the grades, and how good each annotator seems.

    values: by task, in order of the tasks; empty where ``reason`` says why there is no consensus. skills: by
    annotator, 0-1: the estimated probability of a correct grade (M-MSR, Dawid-Skene), of not guessing (MACE),
    or the share of grades equal to the consensus (majority); empty for the mean. unconnected: annotators who
    share no item with anyone, so that nothing can be said of their skill. tied: tasks where several labels
    were equally supported; there the lowest label was taken.
    """

    method: ConsensusMethod
    values: dict[str, float]
    skills: dict[str, float]
    unconnected: tuple[str, ...] = ()
    tied: tuple[str, ...] = ()
    reason: NoConsensus | None = None


class _Fit(NamedTuple):
    """Support of every label for every task, shape (tasks, labels), and the skill of every worker."""

    support: Floats
    skill: Floats


def find_consensus(
    tasks: Sequence[str],
    workers: Sequence[str],
    labels: Sequence[float],
    method: ConsensusMethod = ConsensusMethod.M_MSR,
) -> Consensus:
    """One value per task from rows (task, worker, label), by the given method.

    The three sequences have one entry per grade; labels are finite numbers in the unit of the scale. Every
    task with a grade gets a value, or none does and ``reason`` says why. Raises StatisticsError if an
    annotator has two grades for a task or a grade is not a number. Sources: Ma & Olshevsky 2020 (M-MSR);
    Dawid & Skene 1979; Hovy et al. 2013 (MACE); crowd-kit 1.4.
    """
    grades = code_grades(tasks, workers, labels)
    if len(grades.task) == 0:
        return Consensus(method, {}, {}, reason=NoConsensus.NO_GRADES)
    if method is ConsensusMethod.MEAN:
        return Consensus(method, _means(grades), {})
    if method is ConsensusMethod.MAJORITY:
        return _chosen(method, grades, _majority(grades))
    return _estimated(method, grades)


def _estimated(method: ConsensusMethod, grades: CodedGrades) -> Consensus:
    """A method that estimates annotators' skills from the items they share."""
    if len(grades.workers) == 1:
        return Consensus(method, {}, {}, reason=NoConsensus.ONE_ANNOTATOR)
    connected = grades.shares_a_task()
    names = tuple(str(name) for name in grades.workers[~connected])
    if not connected.any():
        return Consensus(method, {}, {}, names, reason=NoConsensus.NO_COMMON_ITEMS)
    # Whoever shares no item is the only one to grade each of theirs: the consensus there is that grade,
    # whatever the skill, and leaving them out keeps crowd-kit from inventing one.
    compared = grades.only(connected[grades.worker])
    if len(compared.labels) == 1:
        return Consensus(method, {}, {}, names, reason=NoConsensus.ONE_LABEL)
    fit = _fit(method, compared)
    if isinstance(fit, NoConsensus):
        return Consensus(method, {}, {}, names, reason=fit)
    found = _chosen(method, compared, fit)
    alone = grades.only(~connected[grades.worker])
    values = found.values | dict(zip(alone.tasks.tolist(), alone.labels[alone.label].tolist(), strict=True))
    return Consensus(method, dict(sorted(values.items())), found.skills, names, found.tied)


def _fit(method: ConsensusMethod, grades: CodedGrades) -> _Fit | NoConsensus:
    """Run the method in crowd-kit; a breakdown of its numerics becomes a reason."""
    fits = {
        ConsensusMethod.M_MSR: _m_msr,
        ConsensusMethod.DAWID_SKENE: _dawid_skene,
        ConsensusMethod.MACE: _mace,
    }
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        # crowd-kit 1.4 uses calls that pandas 3 deprecates, and divides by zero on degenerate input: the
        # result is checked instead.
        warnings.simplefilter("ignore")
        try:
            fit = fits[method](grades)
        except (
            ArithmeticError,
            TypeError,
            ValueError,
            RuntimeError,
        ):  # LAPACK's and ARPACK's errors are among these
            return NoConsensus.NOT_COMPUTABLE
    if isinstance(fit, _Fit) and (np.isnan(fit.support).any() or not np.isfinite(fit.skill).all()):
        return NoConsensus.NOT_COMPUTABLE
    return fit


def _table(grades: CodedGrades) -> "pd.DataFrame":
    import pandas as pd  # noqa: PLC0415 - slow, and needed by few processes

    return pd.DataFrame({"task": grades.task, "worker": grades.worker, "label": grades.label})


def _array(fitted: "pd.Series[Any] | pd.DataFrame | None") -> Floats:
    """Values in the order of the codes, which crowd-kit returns in order of appearance."""
    if fitted is None:
        raise ValueError("crowd-kit returned nothing")
    by_code = fitted.sort_index()
    return np.asarray(by_code if by_code.ndim == 1 else by_code.sort_index(axis=1), dtype=np.float64)


def _m_msr(grades: CodedGrades) -> _Fit | NoConsensus:
    from crowdkit.aggregation import MMSR  # noqa: PLC0415

    class SignedMMSR(MMSR):
        _sign_determination_valid = staticmethod(signed_skills)  # type: ignore[assignment]

    try:
        model = SignedMMSR(n_iter=MOST_ITERATIONS, random_state=0).fit(_table(grades))
    except SignsOpenError:
        return NoConsensus.NO_SKILL
    weights = _array(model.skills_)
    if (weights <= 0).all():
        return NoConsensus.NO_SKILL
    # crowd-kit divides a task's support by its sum, which turns the order round where that sum is negative;
    # the plain weighted vote among the labels given is the same elsewhere and right there.
    odds = np.exp(weights)
    return _Fit(grades.support(weights[grades.worker]), odds / (odds + len(grades.labels) - 1))


def _majority(grades: CodedGrades) -> _Fit:
    support = grades.support(np.ones(len(grades.task)))
    agrees = support.argmax(axis=1)[grades.task] == grades.label
    return _Fit(support, np.bincount(grades.worker, weights=agrees) / np.bincount(grades.worker))


def _dawid_skene(grades: CodedGrades) -> _Fit | NoConsensus:
    from crowdkit.aggregation import DawidSkene  # noqa: PLC0415

    model = DawidSkene().fit(_table(grades))
    support = _array(model.probas_)
    errors, priors = model.errors_, model.priors_
    if errors is None or priors is None:
        return NoConsensus.NOT_COMPUTABLE
    # errors: a row per (worker, observed label), a column per true label. The skill is the probability of a
    # right grade: the diagonal weighted by how frequent the labels are.
    worker = errors.index.get_level_values("worker").to_numpy()
    label = errors.index.get_level_values("label").to_numpy()
    shares = errors.sort_index(axis=1).to_numpy()[np.arange(len(label)), label]
    weighted = np.asarray(shares * _array(priors)[label], dtype=np.float64)
    skill = np.bincount(worker, weights=weighted, minlength=len(grades.workers))
    return _Fit(support, skill.astype(np.float64))


def _mace(grades: CodedGrades) -> _Fit:
    from crowdkit.aggregation import MACE  # noqa: PLC0415

    # crowd-kit seeds every restart alike, so that one restart gives what ten give.
    model = MACE(n_restarts=1, random_state=0).fit(_table(grades))
    support = _array(model.probas_)
    _, appearance = np.unique(grades.worker, return_index=True)
    return _Fit(support, model.spamming_[np.argsort(np.argsort(appearance)), 1])


def _chosen(method: ConsensusMethod, grades: CodedGrades, fit: _Fit) -> Consensus:
    """The best supported label of every task, the lowest one winning ties."""
    best = fit.support.max(axis=1, keepdims=True)
    candidates = fit.support >= best - TIE_TOLERANCE
    values = grades.labels[candidates.argmax(axis=1)]
    tied = grades.tasks[np.count_nonzero(candidates, axis=1) > 1]
    skills = np.round(fit.skill, SKILL_DECIMALS)
    return Consensus(
        method,
        values=dict(zip(grades.tasks.tolist(), values.tolist(), strict=True)),
        skills=dict(zip(grades.workers.tolist(), skills.tolist(), strict=True)),
        tied=tuple(tied.tolist()),
    )


def _means(grades: CodedGrades) -> dict[str, float]:
    total = np.bincount(grades.task, weights=grades.labels[grades.label])
    return dict(zip(grades.tasks.tolist(), (total / np.bincount(grades.task)).tolist(), strict=True))
