"""The published study must come out: consensus, systems, Tables 2 to 4, agreement among annotators."""

from functools import cache
from typing import Any

import numpy as np
import pytest

from app.statistics.agreement import measure_agreement
from app.statistics.consensus import ConsensusMethod, find_consensus
from app.statistics.meta_evaluation import meta_evaluate
from app.statistics.meta_evaluation_result import MetaEvaluation
from app.statistics.two_systems import compare_two_systems
from tests.shared_data import load_json
from tests.statistics import conala_study as study

METRICS = ("bleu", *study.MEAN_METRICS)


@cache
def evaluation() -> MetaEvaluation:
    return meta_evaluate(study.SYSTEMS, study.human(), study.metrics(), output_ids=study.output_ids())


def result() -> dict[str, Any]:
    return evaluation().to_json()


def test_consensus_of_the_published_grades_is_the_published_one() -> None:
    tasks, workers, labels = zip(*study.merged_grades(), strict=True)
    assert len(labels) == 10_602
    found = find_consensus(tasks, workers, labels)
    assert found.reason is None
    assert len(found.values) == 2360
    assert np.array_equal(study.grade_matrix(found.values), study.consensus_grades())


def test_consensus_does_not_depend_on_the_order_of_the_grades() -> None:
    grades = list(study.merged_grades())
    tasks, workers, labels = zip(*grades, strict=True)
    shuffled = [grades[i] for i in np.random.default_rng(7).permutation(len(grades))]
    assert find_consensus(*zip(*shuffled, strict=True)) == find_consensus(tasks, workers, labels)


@pytest.mark.parametrize(("seed", "at_least"), [(0, 2325), (1, 2315), (2, 2315)])
def test_consensus_of_the_raw_files(seed: int, at_least: int) -> None:
    """Where one annotator graded both of two merged rows the package rounded at random, unrecorded: 83 halves
    and 10 more conflicts, of which any seed meets some. Seed 0 is the default; others differ by a few
    pairs."""
    tasks, workers, labels = zip(*study.raw_grades(seed), strict=True)
    assert len(labels) == 10_602
    found = study.grade_matrix(find_consensus(tasks, workers, labels).values)
    published = study.consensus_grades()
    assert np.count_nonzero(found == published) >= at_least
    assert np.abs(found.mean(axis=1) - published.mean(axis=1)).max() * 25 < 0.4


def test_raw_files_lead_to_the_published_mismatch() -> None:
    tasks, workers, labels = zip(*study.raw_grades(), strict=True)
    grades = study.grade_matrix(find_consensus(tasks, workers, labels).values)
    found = meta_evaluate(study.SYSTEMS, study.human(grades), study.metrics(), output_ids=study.output_ids())
    for metric, row in study.tables()["table4_mismatch_percent_pairs"].items():
        assert found.agreement[metric].total_mismatch == pytest.approx(row["total"], abs=0.8), metric


def test_other_methods_give_a_value_for_every_pair() -> None:
    tasks, workers, labels = zip(*study.merged_grades(), strict=True)
    for method in ConsensusMethod:
        found = find_consensus(tasks, workers, labels, method)
        assert found.reason is None
        assert len(found.values) == 2360
        assert np.isfinite(list(found.values.values())).all()


def test_the_systems_are_the_published_ones() -> None:
    assert [s["name"] for s in result()["systems"]] == list(
        load_json("conala", "published", "conala-model-scores.json")
    )
    assert sum(not s["synthetic"] for s in result()["systems"]) == 5
    assert len(result()["systems"]) == 82
    assert result()["pairs"] == 3321


def test_corpus_bleu_equals_sacrebleu() -> None:
    from sacrebleu.metrics import BLEU

    bleu = BLEU(tokenize="none", force=True)
    references = [[study.code_tokens(text) for text in row["snippet"]] for row in study.rows()]
    streams = [[refs[i] if i < len(refs) else None for refs in references] for i in range(5)]
    for system in range(5):
        texts = [study.code_tokens(row[study.SYSTEMS[system]]) for row in study.rows()]
        expected = bleu.corpus_score(texts, streams).score
        row = METRICS.index("bleu") + 1
        assert evaluation().scores.full[row, system] == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("metric", ["human", *METRICS])
def test_table_2(metric: str) -> None:
    """Scores within 0.02. The paper's own RUBY and human rows differ from its published data (see the data's
    README): there the plain means of that data are what must come out."""
    expected = [score for score, _, _ in study.tables()["table2"][metric]]
    if metric == "human":
        expected = [8.95, 26.85, 35.49, 40.04, 59.96]
    if metric == "ruby":
        expected = [100 * np.mean([row[f"ruby-{s}"] for row in study.rows()]) for s in study.SYSTEMS]
    found = [system["scores"][metric]["score"] for system in result()["systems"][:5]]
    assert found == pytest.approx(expected, abs=0.02)


@pytest.mark.parametrize("metric", METRICS)
def test_table_2_intervals(metric: str) -> None:
    for system, (_, up, down) in zip(result()["systems"], study.tables()["table2"][metric], strict=False):
        scores = system["scores"][metric]
        assert scores["high"] - scores["score"] == pytest.approx(up, abs=0.35)
        assert scores["score"] - scores["low"] == pytest.approx(down, abs=0.35)


@pytest.mark.parametrize("metric", METRICS)
def test_table_3(metric: str) -> None:
    """Every cell within 25 pairs.

    Of 16 seeds each cell is within 25 for all; the paper's own RUBY rows in Tables 3 and 4 differ by 22
    pairs.

    The paper prints 8 (chrF) and 48 (METEOR) pairs over 10 points apart as not significant, but then these
    rows sum to 3,329 and 3,369 pairs where there are 3,321: exactly these cells are in excess and must be 0.
    """
    printed = np.array(study.tables()["table3_significant_not_significant"][metric])
    excess = printed.sum() - 3321
    printed[-1, 1] -= excess
    assert printed[-1, 1] == 0
    found = np.array(result()["significance"][metric])
    assert found.sum() == 3321
    assert np.abs(found - printed).max() <= 25


@pytest.mark.parametrize("metric", METRICS)
def test_table_4(metric: str) -> None:
    expected, found = study.tables()["table4_mismatch_percent_pairs"][metric], result()["agreement"][metric]
    cells = [*zip(expected["bins"], found["bins"], strict=True), (expected["ns"], found["ns"])]
    for (percent, pairs), count in cells:
        assert abs(count["pairs"] - pairs) <= 25
        assert abs(count["mismatches"] - percent * pairs / 100) <= 25
    assert sum(count["pairs"] for _, count in cells) == 3321
    assert found["total_mismatch"] == pytest.approx(expected["total"], abs=0.8)


def test_error_kinds_against_the_second_published_run() -> None:
    """Counts of agreeing, Type-I, sign-error and Type-II pairs that the package printed from 500 draws."""
    second_run = study.tables()["second_run_500_draws"]
    for metric in METRICS:
        found = evaluation().agreement[metric]
        for count, (agree, type_1, sign_error) in zip(found.bins, second_run[metric]["bins"], strict=True):
            assert abs(count.pairs - count.mismatches - agree) <= 25
            assert abs(count.type_1 - type_1) <= 25
            assert abs(count.sign_error - sign_error) <= 25
        assert abs(found.type_2 - second_run[metric]["ns"][0]) <= 30


def test_p_greater_against_the_published_pairs() -> None:
    """All 3,321 pairs and seven criteria against the package's 500 draws: the difference of two estimates of
    a share from 1,000 and 500 draws has a standard error of at most 0.028."""
    published = load_json("conala", "published", "conala-model-pairs.json")
    pairs = evaluation().pairs
    names = evaluation().systems.names
    for row, key in enumerate(("grade", "bleu", *study.MEAN_METRICS.values())):
        expected = [published[names[a]][names[b]][key] for a, b in zip(pairs.first, pairs.second, strict=True)]
        difference = np.abs(pairs.p_a_greater[row] - expected)
        assert difference.max() < 0.14, key
        assert difference.mean() < 0.012, key


def test_two_systems_use_the_draws_of_the_evaluation() -> None:
    bleu = study.metrics()[0]
    found = compare_two_systems(bleu, 3, 4)
    (pair,) = [p for p in result()["original_pairs"] if (p["a"], p["b"]) == ("best-tranx-rerank", "codex")]
    assert found.p_a_greater == pair["bleu"]["p_a_greater"]
    assert found.difference == pair["bleu"]["difference"]
    assert found.low < found.difference < found.high
    assert found.p_bootstrap > 0.5
    assert found.p_randomisation > 0.5


def test_agreement_among_annotators() -> None:
    tasks, _, labels = zip(*study.merged_grades(), strict=True)
    found = measure_agreement(tasks, labels)
    assert found.fleiss_kappa.value == pytest.approx(0.310, abs=0.0005)
    assert found.alpha_nominal.value == pytest.approx(0.293, abs=0.0005)
    assert found.alpha_ordinal.value == pytest.approx(0.636, abs=0.0005)
    assert found.alpha_interval.value == pytest.approx(0.656, abs=0.0005)
    assert (found.items_used, found.items_left_out, found.grades_used) == (2360, 0, 10_602)
    assert found.fleiss_kappa.word == "fair"
    assert found.grades_per_item is not None
    assert (found.grades_per_item.smallest, found.grades_per_item.largest) == (3, 10)
    assert found.grades_per_item.mean == pytest.approx(4.49, abs=0.005)
