"""The text metrics against every published score of the CoNaLa study, and the paper's aggregates."""

import pytest

from app.metrics import Metric, Segment, create
from tests import conala
from tests.metrics.wordnet_folder import require_wordnet
from tests.shared_data import load_json

NAMES = ("bleu", "rouge_l", "chrf", "meteor")
GOLDEN_KEYS = {"bleu": "bleu", "rougel": "rouge_l", "meteor": "meteor", "chrf": "chrf"}


def required_share(name: str) -> float:
    """Share of the 2,360 pairs that must equal the published score to three decimals."""
    # npm's WordNet has no irregular forms, which decide two pairs.
    return 0.995 if name == "meteor" and not require_wordnet().has_irregular_forms else 1.0


def metric_for(name: str) -> Metric:
    if name == "meteor":
        require_wordnet()
    return create(name)


@pytest.mark.parametrize("name", NAMES)
def test_segments_equal_the_published_scores(name: str) -> None:
    pairs = list(conala.pairs())
    result = metric_for(name).score_segments([Segment(pair.output, pair.references) for pair in pairs])
    equal = [
        round(score, 3) == pair.published(name) for score, pair in zip(result.scores.tolist(), pairs, strict=True)
    ]
    assert len(equal) == 2360
    assert sum(equal) / len(equal) >= required_share(name)


@pytest.mark.parametrize("name", NAMES)
def test_corpus_scores_equal_the_papers(name: str) -> None:
    metric = metric_for(name)
    tables = load_json("conala", "published", "tables.json")
    assert tuple(tables["systems"]) == conala.SYSTEMS
    problems = conala.problems()
    for system, (published, *_) in zip(conala.SYSTEMS, tables["table2"][name], strict=True):
        segments = [Segment(problem.outputs[system], problem.references) for problem in problems]
        totals = metric.score_segments(segments).statistics.sum(axis=0)
        # The paper rounds at a half in its own way: up to 0.01 beside two decimals of ours.
        assert 100 * float(metric.corpus_score(totals, len(problems))) == pytest.approx(published, abs=0.0151)


def test_corpus_bleu_to_two_decimals() -> None:
    metric = create("bleu")
    segments = [Segment(pair.output, pair.references) for pair in conala.pairs()]
    totals = metric.score_segments(segments).statistics.reshape(472, 5, 10).sum(axis=0)
    scores = (100 * metric.corpus_score(totals, 472)).tolist()
    assert [round(score, 2) for score in scores] == [12.37, 28.58, 31.49, 33.14, 33.04]


@pytest.mark.parametrize("key", GOLDEN_KEYS)
def test_golden_cases(key: str) -> None:
    name = GOLDEN_KEYS[key]
    cases = load_json("conala", "published", "metrics_golden.json")[key]
    segments = [Segment(case["hypothesis"], tuple(case["references"])) for case in cases]
    scores = metric_for(name).score_segments(segments).scores.tolist()
    assert len(cases) >= 8
    assert [round(score, 3) for score in scores] == [case["score"] for case in cases]
