"""ROUGE-L: by hand, and against the textbook's table of the longest common subsequence."""

import pytest
from hypothesis import given

from app.metrics import Segment, create
from app.metrics.code_tokenizer import code_tokens
from tests.metrics.strategies import code


def score(output: str, *references: str) -> float:
    return float(create("rouge_l").score_segments([Segment(output, references)]).scores[0])


def longest_common_subsequence(first: list[str], second: list[str]) -> int:
    row = [0] * (len(second) + 1)
    for token in first:
        previous = 0
        for j, other in enumerate(second, start=1):
            above = row[j]
            row[j] = previous + 1 if token == other else max(above, row[j - 1])
            previous = above
    return row[-1]


def test_by_hand() -> None:
    # Common: a c e, of 5 and of 4 tokens: precision 3/5, recall 3/4.
    assert score("a b c d e", "a c x e") == pytest.approx(2 * 0.6 * 0.75 / 1.35)


def test_the_best_reference_counts() -> None:
    assert score("f ( x )", "nothing", "f ( x )", "f ( y )") == pytest.approx(1.0)


def test_quotes_are_alike() -> None:
    assert score("'x'", '"x"') == pytest.approx(1.0)


@given(code, code)
def test_equals_the_textbook(output: str, reference: str) -> None:
    first, second = code_tokens(output), code_tokens(reference)
    common = longest_common_subsequence(first, second)
    expected = 2 * common / (len(first) + len(second)) if common else 0.0
    assert score(output, reference) == pytest.approx(expected)


@given(code, code)
def test_symmetric(first: str, second: str) -> None:
    assert score(first, second) == pytest.approx(score(second, first))


@given(code.filter(str.strip))
def test_identity_scores_one(text: str) -> None:
    assert score(text, text) == pytest.approx(1.0)
