"""chrF: by hand, and what white space and several references do to it."""

import pytest
from hypothesis import given

from app.metrics import Segment, create
from tests.metrics.strategies import code


def score(output: str, *references: str) -> float:
    return float(create("chrf").score_segments([Segment(output, references)]).scores[0])


def test_by_hand() -> None:
    # Orders 1 and 2 exist in both. Precision (2/2 + 1/1)/2, recall (2/3 + 1/2)/2, F2 = 5PR / (4P + R).
    precision, recall = 1.0, (2 / 3 + 1 / 2) / 2
    assert score("ab", "abc") == pytest.approx(5 * precision * recall / (4 * precision + recall))


def test_white_space_does_not_count() -> None:
    assert score("x  =\n1", "x = 1") == pytest.approx(1.0)


def test_the_best_reference_counts() -> None:
    assert score("len(x)", "sum(y)", "len(x)") == pytest.approx(1.0)


@given(code, code, code)
def test_more_references_never_hurt(output: str, first: str, second: str) -> None:
    assert score(output, first, second) == max(score(output, first), score(output, second))


@given(code.filter(str.strip))
def test_identity_scores_one(text: str) -> None:
    assert score(text, text) == pytest.approx(1.0)


@given(code, code)
def test_recall_counts_more_than_precision(short: str, more: str) -> None:
    assert score(short + more, short) >= score(short, short + more) - 1e-12
