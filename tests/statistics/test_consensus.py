"""Consensus: hand-worked cases, crowd-kit itself, and named reasons where there is none."""

import subprocess
import sys
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.statistics.consensus import ConsensusMethod, NoConsensus, find_consensus
from app.statistics.consensus_rankings import rank_by_consensus
from app.statistics.errors import StatisticsError
from app.statistics.m_msr import signed_skills
from app.statistics.merging import merge_grades

ESTIMATING = (ConsensusMethod.M_MSR, ConsensusMethod.DAWID_SKENE, ConsensusMethod.MACE)

grade_tables = st.dictionaries(
    st.tuples(st.sampled_from([f"t{i}" for i in range(8)]), st.sampled_from([f"w{i}" for i in range(6)])),
    st.sampled_from([0.0, 1.0, 2.0, 3.0, 4.0]),
    max_size=40,
)


def rows(table: dict[tuple[str, str], float]) -> tuple[list[str], list[str], list[float]]:
    return [task for task, _ in table], [worker for _, worker in table], list(table.values())


def simulated(
    skills: dict[str, float], tasks: int = 300, seed: int = 0
) -> tuple[list[tuple[str, str, float]], dict[str, float]]:
    """Everyone grades every task: the truth with the probability of their skill, else any of five labels."""
    rng = np.random.default_rng(seed)
    truth = {f"t{i:03d}": float(rng.integers(5)) for i in range(tasks)}
    grades = [
        (task, worker, label if rng.random() < skill else float(rng.integers(5)))
        for task, label in truth.items()
        for worker, skill in skills.items()
    ]
    return grades, truth


def test_majority_and_mean_by_hand() -> None:
    """t1: 3 3 4 -> majority 3, mean 10/3. t2: 0 4 -> a tie, the lower label 0, mean 2. Of a's two grades both
    equal the majority (skill 1), of b's one in two (1/2), of c's none in one (0)."""
    table = {("t1", "a"): 3.0, ("t1", "b"): 3.0, ("t1", "c"): 4.0, ("t2", "b"): 4.0, ("t2", "a"): 0.0}
    majority = find_consensus(*rows(table), ConsensusMethod.MAJORITY)
    assert majority.values == {"t1": 3, "t2": 0}
    assert majority.tied == ("t2",)
    assert majority.skills == {"a": 1, "b": 0.5, "c": 0}
    mean = find_consensus(*rows(table), ConsensusMethod.MEAN)
    assert mean.values == {"t1": pytest.approx(10 / 3), "t2": 2}
    assert mean.skills == {}


@pytest.mark.parametrize("method", ESTIMATING)
def test_skilled_annotators_outvote_guessers(method: ConsensusMethod) -> None:
    grades, truth = simulated({"good1": 0.95, "good2": 0.9, "guess1": 0.1, "guess2": 0.1, "guess3": 0.1})
    found = find_consensus(*zip(*grades, strict=True), method)
    right = np.mean([found.values[task] == label for task, label in truth.items()])
    majority = find_consensus(*zip(*grades, strict=True), ConsensusMethod.MAJORITY)
    assert right > 0.9
    assert right > np.mean([majority.values[task] == label for task, label in truth.items()])
    assert min(found.skills["good1"], found.skills["good2"]) > 0.7
    assert max(found.skills[f"guess{i}"] for i in (1, 2, 3)) < 0.5


def test_m_msr_is_crowdkits() -> None:
    """The same labels and skills as crowd-kit's own class, whose weights are log((M-1)p / (1-p))."""
    import pandas as pd
    from crowdkit.aggregation import MMSR

    grades, _ = simulated({"a": 0.9, "b": 0.8, "c": 0.6, "d": 0.4, "e": 0.7})
    table = pd.DataFrame(grades, columns=["task", "worker", "label"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = MMSR()
        labels = model.fit_predict(table)
    found = find_consensus(*zip(*grades, strict=True))
    assert found.values == labels.to_dict()
    for worker, p in found.skills.items():
        assert np.log(4 * p / (1 - p)) == pytest.approx(model.skills_[worker], abs=1e-3)


def test_the_hostile_annotator_does_not_turn_the_vote_round() -> None:
    """A grade that only someone worse than chance gave stays; nothing else is known of the task."""
    grades, _ = simulated({"a": 0.9, "b": 0.9, "c": 0.9})
    hostile = [(task, "x", (label + 1) % 5) for task, worker, label in grades if worker == "a"]
    alone = [("z", "x", 2.0)]
    found = find_consensus(*zip(*grades, *hostile, *alone, strict=True))
    assert found.skills["x"] < 0.2
    assert found.values["z"] == 2


@pytest.mark.parametrize("method", ESTIMATING)
@pytest.mark.parametrize(
    ("table", "reason"),
    [
        ({}, NoConsensus.NO_GRADES),
        ({("t1", "a"): 1.0, ("t2", "a"): 2.0}, NoConsensus.ONE_ANNOTATOR),
        ({("t1", "a"): 3.0, ("t1", "b"): 3.0}, NoConsensus.ONE_LABEL),
        ({("t1", "a"): 3.0, ("t2", "b"): 1.0}, NoConsensus.NO_COMMON_ITEMS),
    ],
)
def test_degenerate_input_is_named(
    method: ConsensusMethod, table: dict[tuple[str, str], float], reason: NoConsensus
) -> None:
    found = find_consensus(*rows(table), method)
    assert found.reason is reason
    assert found.values == {}


def test_annotators_who_never_agree_have_no_skill() -> None:
    table = {(f"t{i}", worker): float((i + shift) % 3) for i in range(30) for shift, worker in enumerate("abc")}
    assert find_consensus(*rows(table)).reason is NoConsensus.NO_SKILL


def test_two_annotators_who_always_agree() -> None:
    """With two labels their agreement just balances the diagonal, which crowd-kit takes for nothing known."""
    table = {(f"t{i}", worker): float(i % 2) for i in range(20) for worker in "ab"}
    found = find_consensus(*rows(table))
    assert found.values == {f"t{i}": i % 2 for i in range(20)}
    assert found.skills["a"] == found.skills["b"] > 0.8


@pytest.mark.parametrize("annotators", [7, 60])
def test_signs_of_many_annotators(annotators: int) -> None:
    """Every third is hostile: picks any label but the right one. Sixty need the sparse solver."""
    rng = np.random.default_rng(1)
    skills = rng.uniform(0.5, 0.9, annotators)
    hostile = np.arange(annotators) % 3 == 2
    agreement = np.outer(skills, skills) * np.outer(1 - 2.0 * hostile, 1 - 2.0 * hostile)
    np.fill_diagonal(agreement, -0.25)
    found = signed_skills(agreement, skills[:, np.newaxis])[:, 0]
    assert np.array_equal(found < 0, hostile)
    assert np.array_equal(np.abs(found), skills)


def test_an_annotator_without_common_items_keeps_their_grades() -> None:
    grades, _ = simulated({"a": 0.9, "b": 0.8, "c": 0.7}, tasks=50)
    found = find_consensus(*zip(*grades, ("own", "d", 3.0), strict=True))
    without = find_consensus(*zip(*grades, strict=True))
    assert found.unconnected == ("d",)
    assert "d" not in found.skills
    assert found.values == without.values | {"own": 3.0}
    assert found.skills == without.skills


@given(grade_tables, st.sampled_from(list(ConsensusMethod)), st.randoms())
@settings(max_examples=25, deadline=None)
def test_never_nan_and_never_dependent_on_order(
    table: dict[tuple[str, str], float], method: ConsensusMethod, random: object
) -> None:
    found = find_consensus(*rows(table), method)
    shuffled = list(table.items())
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert find_consensus(*rows(dict(shuffled)), method) == found
    if found.reason is None:
        assert set(found.values) == {task for task, _ in table}
        assert np.isfinite([*found.values.values(), *found.skills.values()]).all()
        assert all(0 <= skill <= 1 for skill in found.skills.values())
    else:
        assert found.values == {}


def test_bad_grades_are_refused() -> None:
    with pytest.raises(StatisticsError, match="w1 has more than one grade for t1"):
        find_consensus(["t1", "t1"], ["w1", "w1"], [1, 2])
    with pytest.raises(StatisticsError, match="not a finite number"):
        find_consensus(["t1"], ["w1"], [float("nan")])
    with pytest.raises(StatisticsError, match="one each"):
        find_consensus(["t1"], ["w1"], [])


def test_crowdkit_is_imported_only_when_needed() -> None:
    code = "import sys, app.statistics.consensus; sys.exit('crowdkit' in sys.modules or 'pandas' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_rankings_by_hand() -> None:
    """Two systems, three problems, the third without a consensus for b. Majority: a (3+0)/2, b (1+1)/2; mean:
    a (1+0)/2, b (1+1)/2, which turns the order round."""
    majority = find_consensus(
        *rows({("a1", "w"): 3.0, ("a2", "w"): 0.0, ("a3", "w"): 4.0, ("b1", "w"): 1.0, ("b2", "w"): 1.0}),
        ConsensusMethod.MAJORITY,
    )
    mean = find_consensus(
        *rows({("a1", "w"): 1.0, ("a2", "w"): 0.0, ("a3", "w"): 4.0, ("b1", "w"): 1.0, ("b2", "w"): 1.0}),
        ConsensusMethod.MEAN,
    )
    m_msr = find_consensus(["a1", "b1"], ["w", "w"], [1, 2])
    found = rank_by_consensus(
        "ab",
        [["a1", "a2", "a3"], ["b1", "b2", None]],
        {consensus.method: consensus for consensus in (majority, mean, m_msr)},
        default=ConsensusMethod.MAJORITY,
    )
    assert [(r.method, r.problems) for r in found] == [
        (ConsensusMethod.MAJORITY, 2),
        (ConsensusMethod.MEAN, 2),
        (ConsensusMethod.M_MSR, 0),
    ]
    assert found[0].means == {"a": 1.5, "b": 1}
    assert found[0].ranks == {"a": 1, "b": 2}
    assert found[0].moved == ()
    assert found[1].ranks == {"a": 2, "b": 1}
    assert found[1].moved == ("a", "b")
    assert found[2].reason is NoConsensus.ONE_ANNOTATOR


@given(st.lists(st.integers(0, 4), min_size=1, max_size=5), st.integers(0, 100), st.text())
def test_merged_grades_are_near_the_mean(grades: list[int], seed: int, key: str) -> None:
    merged = merge_grades(grades, key=(key,), seed=seed)
    assert merged in (0, 1, 2, 3, 4)
    assert abs(merged - sum(grades) / len(grades)) <= 0.5
    assert merge_grades(grades[::-1], key=(key,), seed=seed) == merged


def test_the_coin_is_fair_and_belongs_to_the_key() -> None:
    tosses = [merge_grades([1, 2], key=("worker", str(i), "system"), seed=0) for i in range(2000)]
    assert set(tosses) == {1, 2}
    assert np.mean(tosses) == pytest.approx(1.5, abs=0.04)  # standard error 0.011
    assert merge_grades([0, 0.5], key=("a",), seed=1, step=0.5) in (0, 0.5)
    assert merge_grades([0, 0.5, 0.5], key=("a",), seed=1, step=0.5) == 0.5
    with pytest.raises(StatisticsError, match="a / b"):
        merge_grades([], key=("a", "b"), seed=0)
