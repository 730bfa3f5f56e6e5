"""BLEU: statistics by hand, corpus scores against sacreBLEU on subsets and resamples, odd sums."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics.bleu import BLEU

from app.metrics import Segment, create
from app.metrics.bleu import corpus_bleu
from app.metrics.code_tokenizer import code_tokens
from tests import conala
from tests.metrics.strategies import code, segments


def sacrebleu_corpus(chosen: list[Segment]) -> float:
    """sacreBLEU's own corpus score in [0, 1]; problems with fewer references have None in their place."""
    most = max(len(segment.references) for segment in chosen)
    streams: list[Any] = [
        [" ".join(code_tokens(s.references[i])) if i < len(s.references) else None for s in chosen]
        for i in range(most)
    ]
    outputs = [" ".join(code_tokens(segment.output)) for segment in chosen]
    return float(BLEU(tokenize="none", force=True).corpus_score(outputs, streams).score) / 100


def test_statistics_by_hand() -> None:
    # Output a b c d e; the references share a b c (and d e), and 4 and 6 tokens are equally close: 4 counts.
    result = create("bleu").score_segments([Segment("a b c d e", ("a b c x", "d e y y y y"))])
    assert result.statistics.tolist() == [[5, 3, 1, 0, 5, 4, 3, 2, 5, 4]]
    # Precisions 5/5, 3/4, 1/3 and, smoothed, (1/2)/2; the output is longer than the closest reference.
    assert result.scores[0] == pytest.approx((1 * 0.75 * (1 / 3) * 0.25) ** 0.25)


def test_brevity_penalty_and_successive_halving_by_hand() -> None:
    result = create("bleu").score_segments([Segment("a b c d", ("a x c y d z w v",))])
    # 3/4, then no match in orders 2, 3, 4: (1/2)/3, (1/4)/2, (1/8)/1; length 4 of 8.
    expected = np.exp(1 - 8 / 4) * (0.75 * (1 / 6) * (1 / 8) * (1 / 8)) ** 0.25
    assert result.scores[0] == pytest.approx(expected)
    assert create("bleu").corpus_score(result.statistics.sum(axis=0), 1) == pytest.approx(expected)


def test_matches_are_clipped() -> None:
    result = create("bleu").score_segments([Segment("a a a", ("a a", "a"))])
    assert result.statistics[0, 0] == 2


def test_effective_order_counts_for_segments_only() -> None:
    metric = create("bleu")
    result = metric.score_segments([Segment("a b", ("a b",))])
    assert result.scores[0] == pytest.approx(1.0)
    assert metric.corpus_score(result.statistics.sum(axis=0), 1) == 0.0


@given(segments)
def test_corpus_score_equals_sacrebleu(chosen: list[Segment]) -> None:
    metric = create("bleu")
    totals = metric.score_segments(chosen).statistics.sum(axis=0)
    assert float(metric.corpus_score(totals, len(chosen))) == pytest.approx(sacrebleu_corpus(chosen), abs=1e-12)


def test_resampled_weights_equal_sacrebleu_on_repeated_segments() -> None:
    problems = conala.problems()
    chosen = [Segment(problem.outputs["codex"], problem.references) for problem in problems]
    metric = create("bleu")
    statistics = metric.score_segments(chosen).statistics
    draws = np.random.default_rng(20230).integers(0, len(chosen), size=(8, len(chosen)))
    weights = np.stack([np.bincount(draw, minlength=len(chosen)) for draw in draws]).astype(float)
    scores = metric.corpus_score(weights @ statistics, len(chosen))
    expected = [sacrebleu_corpus([chosen[i] for i in draw]) for draw in draws]
    np.testing.assert_allclose(scores, expected, rtol=1e-12)


@given(code.filter(str.strip))
def test_identity_scores_one(text: str) -> None:
    assert create("bleu").score_segments([Segment(text, (text,))]).scores[0] == pytest.approx(1.0)


@given(st.integers(0, 3), st.integers(1, 4))
def test_leading_axes_are_kept(rows: int, columns: int) -> None:
    totals = np.random.default_rng(0).integers(0, 9, size=(rows, columns, 10)).astype(float)
    scores = corpus_bleu(totals)
    assert scores.shape == (rows, columns)
    flat = [float(corpus_bleu(row)) for row in totals.reshape(-1, 10)]
    np.testing.assert_array_equal(scores.ravel(), flat)


def test_sums_of_nothing_score_zero_without_warning() -> None:
    assert corpus_bleu(np.zeros((2, 10))).tolist() == [0.0, 0.0]
