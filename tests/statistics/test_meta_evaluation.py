"""The whole: shapes, missing values, choices of systems, invariances, the same bytes every time."""

import hashlib
import json
import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.statistics.corpus_scores import MetricInput, mean_of_segments, score_draws, score_full_set
from app.statistics.errors import StatisticsError
from app.statistics.meta_evaluation import meta_evaluate
from app.statistics.resampling import draw_counts
from tests.statistics.conala_study import corpus_bleu

SYSTEMS = ("low", "middle", "high", "high-too")


def generated(problems: int = 60, systems: int = 4, seed: int = 0) -> tuple[MetricInput, list[MetricInput], Any]:
    """People, a metric that follows them with noise, one that does not, BLEU-like sums; and output ids."""
    rng = np.random.default_rng(seed)
    quality = np.linspace(0.2, 0.7, systems)[:, np.newaxis]
    grades = rng.binomial(4, quality, (systems, problems)) / 4
    matches = np.sort(rng.integers(0, 8, (systems, problems, 4)), axis=2)[..., ::-1]
    totals = np.broadcast_to(np.array([9.0, 8, 7, 6]), (systems, problems, 4))
    lengths = np.full((systems, problems, 2), 9.0)
    metrics = [
        mean_of_segments("follows", np.clip(grades + rng.normal(0, 0.1, grades.shape), 0, 1)),
        mean_of_segments("edits", 1 - grades / 2, higher_is_better=False),
        MetricInput("bleu", np.concatenate([lengths, matches, totals], axis=2), corpus_bleu),
    ]
    ids = np.arange(systems * problems).reshape(systems, problems)
    return mean_of_segments("human", grades), metrics, ids


def fingerprint() -> str:
    human, metrics, ids = generated(problems=333, systems=6)
    names = [f"s{i}" for i in range(6)]
    result = meta_evaluate(names, human, metrics, output_ids=ids, draws=500, seed=3)
    return hashlib.sha256(json.dumps(result.to_json(), allow_nan=False).encode()).hexdigest()


@pytest.mark.parametrize("threads", ["1", "2"])
def test_same_bytes_whatever_the_number_of_threads(threads: str) -> None:
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    code = "from tests.statistics.test_meta_evaluation import fingerprint; print(fingerprint())"
    environment = os.environ | dict.fromkeys(names, threads)
    found = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert found.stdout.strip() == fingerprint()


def test_scores_of_draws_against_a_plain_loop() -> None:
    """Every draw written out: repeat each problem as often as drawn, sum, score."""
    _, metrics, _ = generated(problems=20)
    counts = draw_counts(20, 7, seed=5)
    sources = np.random.default_rng(0).integers(0, 4, (6, 20))
    for metric, found in zip(metrics, score_draws(metrics, sources, draws=7, seed=5), strict=True):
        for system in range(6):
            own = metric.statistics[sources[system], np.arange(20)]
            for draw in range(7):
                drawn = np.repeat(own, counts[draw].astype(int), axis=0)
                expected = 100 * metric.corpus_score(drawn.sum(axis=0), 20)
                assert found[system, draw] == pytest.approx(float(expected), abs=1e-8)
        full = score_full_set(metric, sources)
        assert full == pytest.approx(
            [100 * float(metric.corpus_score(metric.statistics[s, np.arange(20)].sum(axis=0), 20)) for s in sources],
            abs=1e-8,
        )


def test_the_json_is_that_of_the_interface() -> None:
    human, metrics, ids = generated()
    found = meta_evaluate(SYSTEMS, human, metrics, output_ids=ids, draws=200)
    result = json.loads(json.dumps(found.to_json(), allow_nan=False))
    names = ["human", "follows", "edits", "bleu"]
    count = len(result["systems"])
    assert result["pairs"] == count * (count - 1) // 2
    assert all(list(system["scores"]) == names for system in result["systems"])
    assert [system["synthetic"] for system in result["systems"][:5]] == [False] * 4 + [True]
    assert list(result["significance"]) == names
    assert list(result["agreement"]) == list(result["advice"]) == list(result["correlation"]) == names[1:]
    assert set(result["agreement"]["bleu"]["bins"][0]) == {"pairs", "mismatches", "type_1", "sign_error"}
    assert set(result["agreement"]["bleu"]["ns"]) == {"pairs", "mismatches"}
    assert [(p["a"], p["b"]) for p in result["original_pairs"]] == [
        (a, b) for i, a in enumerate(SYSTEMS) for b in SYSTEMS[i + 1 :]
    ]
    assert set(result["original_pairs"][0]["human"]) == {
        *("p_a_greater", "difference", "low", "high", "p_bootstrap", "p_randomisation", "p_equal")
    }
    for row in result["significance"].values():
        assert np.sum(row) == result["pairs"]
    scores = [system["scores"]["bleu"] for system in result["systems"]]
    assert all(score["low"] <= score["score"] <= score["high"] for score in scores)


def test_a_metric_that_equals_people_never_errs() -> None:
    human, _, ids = generated()
    twin = mean_of_segments("twin", human.statistics[:, :, 0])
    opposite = mean_of_segments("opposite", 1 - human.statistics[:, :, 0], higher_is_better=False)
    found = meta_evaluate(SYSTEMS, human, [twin, opposite], output_ids=ids, draws=300)
    for name in ("twin", "opposite"):
        assert found.agreement[name].mismatches == 0
        assert found.correlation[name].kendall.value == 1
        assert found.correlation_all_systems[name].pearson.value == pytest.approx(1)
        advice = found.advice[name]
        assert advice.mismatches == 0
        assert advice.delta == pytest.approx(np.abs(found.pairs.differences[0]).min())


def test_incomplete_problems_are_left_out_for_all_and_counted() -> None:
    human, metrics, ids = generated(problems=30)
    human.statistics[1, 4] = np.nan
    metrics[0].statistics[2, 4] = np.nan
    metrics[2].statistics[0, 7, 3] = np.nan
    ids[3, 9] = -1
    found = meta_evaluate(SYSTEMS, human, metrics, output_ids=ids, draws=100)
    assert (found.problems, found.problems_left_out) == (27, 3)
    assert found.missing == {"human": 1, "follows": 1, "edits": 0, "bleu": 1, "output": 1}
    keep = np.setdiff1d(np.arange(30), [4, 7, 9])
    cut = [MetricInput(m.name, m.statistics[:, keep], m.corpus_score, m.higher_is_better) for m in (human, *metrics)]
    expected = meta_evaluate(SYSTEMS, cut[0], cut[1:], output_ids=ids[:, keep], draws=100)
    assert expected.to_json() | {"problems": None} == found.to_json() | {"problems": None}


def test_what_an_excluded_system_lacks_does_not_matter() -> None:
    human, metrics, ids = generated(problems=30)
    human.statistics[1] = np.nan
    with pytest.raises(StatisticsError, match="human for 30"):
        meta_evaluate(SYSTEMS, human, metrics, output_ids=ids)
    found = meta_evaluate(SYSTEMS, human, metrics, output_ids=ids, draws=50, include=["high", "low", "high-too"])
    assert found.systems.names[:3] == ("low", "high", "high-too")
    assert not any("middle" in name for name in found.systems.names)
    assert found.problems == 30


def test_original_systems_alone() -> None:
    human, metrics, _ = generated()
    found = meta_evaluate(SYSTEMS, human, metrics, draws=50, synthetic=False)
    assert found.systems.names == SYSTEMS
    assert len(found.pairs.first) == 6
    assert found.advice["bleu"].reason == "fewer than 20 pairs of systems"


@given(st.permutations(range(4)), st.permutations(range(25)))
@settings(deadline=None, max_examples=20)
def test_order_of_systems_and_metrics_does_not_matter(order: list[int], problems: list[int]) -> None:
    """With ties as halves: systems in any order have the same scores and the same verdicts; with the problems
    in another order the full-set scores stay (the draws are others)."""
    human, metrics, _ = generated(problems=25)
    everything = [human, *metrics]
    moved = [MetricInput(m.name, m.statistics[order], m.corpus_score, m.higher_is_better) for m in everything]
    settings = {"draws": 60, "synthetic": False, "ties": "half"}
    plain = meta_evaluate(SYSTEMS, human, metrics, **settings)
    found = meta_evaluate([SYSTEMS[i] for i in order], moved[0], moved[:0:-1], **settings)
    scores = {s["name"]: s["scores"] for s in plain.to_json()["systems"]}
    assert {s["name"]: s["scores"] for s in found.to_json()["systems"]} == scores
    assert found.agreement == plain.agreement
    assert found.significance == plain.significance
    other = [MetricInput(m.name, m.statistics[:, problems], m.corpus_score, m.higher_is_better) for m in everything]
    again = meta_evaluate(SYSTEMS, other[0], other[1:], **settings)
    assert np.array_equal(again.scores.full, plain.scores.full)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"systems": ("a", "a", "b", "c")}, "same name: a"),
        ({"systems": ("a", "b")}, "expected"),
        ({"include": ["low"]}, "at least two"),
        ({"include": ["low", "nobody"]}, "nobody"),
        ({"output_ids": None}, "output_ids"),
        ({"output_ids": np.zeros((4, 3), dtype=int)}, "output_ids has the shape"),
        ({"bins": [(0, 1), (2, 3)]}, "Δ bins"),
        ({"draws": 0}, "draws"),
        ({"seed": -1}, "seed"),
        ({"percents": [0]}, "Percentages"),
    ],
)
def test_inputs_that_do_not_fit_are_named(change: dict[str, Any], message: str) -> None:
    human, metrics, ids = generated(problems=10)
    arguments: dict[str, Any] = {"systems": SYSTEMS, "output_ids": ids, "draws": 10} | change
    with pytest.raises(StatisticsError, match=message):
        meta_evaluate(human=human, metrics=metrics, **arguments)


def test_a_metric_that_breaks_is_named() -> None:
    human, _, ids = generated(problems=10)
    broken = MetricInput("broken", human.statistics, lambda totals, _: np.full(totals.shape[:-1], np.nan))
    with pytest.raises(StatisticsError, match="broken"):
        meta_evaluate(SYSTEMS, human, [broken], output_ids=ids)
    with pytest.raises(StatisticsError, match="flat"):
        MetricInput("flat", np.zeros((4, 10)), corpus_bleu)
