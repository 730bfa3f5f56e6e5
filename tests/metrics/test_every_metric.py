"""What holds for every text metric and every text: range, blanks, references, order, size."""

import numpy as np
import pytest
from hypothesis import given, settings

from app.metrics import Metric, MetricError, Segment, create
from tests.metrics.strategies import segments

TEXT_METRICS = ("bleu", "rouge_l", "meteor", "chrf")


@pytest.fixture(scope="module", params=TEXT_METRICS)
def metric(request: pytest.FixtureRequest) -> Metric:
    return create(request.param)


@given(chosen=segments)
def test_scores_and_corpus_score_stay_in_range(metric: Metric, chosen: list[Segment]) -> None:
    result = metric.score_segments(chosen)
    corpus = metric.corpus_score(result.statistics.sum(axis=0), len(chosen))
    assert result.scores.shape == (len(chosen),)
    assert result.statistics.shape[0] == len(chosen)
    assert np.isfinite(result.statistics).all()
    for scores in (result.scores, corpus):
        assert ((scores >= 0) & (scores <= 1)).all()


@given(chosen=segments)
def test_segments_are_scored_independently(metric: Metric, chosen: list[Segment]) -> None:
    together = metric.score_segments(chosen)
    alone = [metric.score_segments([segment]) for segment in chosen]
    assert together.scores.tolist() == [float(result.scores[0]) for result in alone]
    assert together.statistics.tolist() == [result.statistics[0].tolist() for result in alone]


@given(chosen=segments)
@settings(max_examples=25)
def test_a_repeated_reference_changes_nothing(metric: Metric, chosen: list[Segment]) -> None:
    doubled = [Segment(segment.output, segment.references * 2) for segment in chosen]
    np.testing.assert_array_equal(metric.score_segments(doubled).statistics, metric.score_segments(chosen).statistics)


@pytest.mark.parametrize("blank", ["", " ", "\n\t \u00a0\r\n"])
def test_blank_outputs_and_references_score_zero(metric: Metric, blank: str) -> None:
    pairs = [Segment(blank, ("x = 1",)), Segment("x = 1", (blank,)), Segment(blank, (blank,))]
    assert metric.score_segments(pairs).scores.tolist() == [0.0, 0.0, 0.0]


def test_a_segment_without_references_is_an_error(metric: Metric) -> None:
    with pytest.raises(MetricError, match="Segment 2 of 2 has no reference"):
        metric.score_segments([Segment("x", ("x",)), Segment("y", ())])


def test_no_segments_give_no_scores(metric: Metric) -> None:
    result = metric.score_segments([])
    assert result.scores.shape == (0,)
    assert result.statistics.shape[0] == 0


@pytest.mark.parametrize("text", ["\ud800", "a\0b", "\udfff = '\ud83d'", "\U0001f600", "s", "'s", "i\u0307İ"])
def test_odd_characters_are_only_characters(metric: Metric, text: str) -> None:
    scores = metric.score_segments([Segment(text, (text,)), Segment(text, ("x = 1",))]).scores
    assert scores[0] > 0
    assert 0 <= scores[1] < 1


@pytest.mark.parametrize("unit", ["y", "x=1;\n", "name_of_it ", "'"])
def test_a_megabyte_is_scored(metric: Metric, unit: str) -> None:
    text = (unit * 1_000_000)[:1_000_000]
    score = float(metric.score_segments([Segment(text, ("for x in range(10):\n    print(x)",))]).scores[0])
    assert 0 <= score < 0.5
