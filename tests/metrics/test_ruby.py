"""RUBY against the published scores where they are exact, and its laws everywhere."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import spearmanr

from app.metrics import MetricError, Segment, create
from app.metrics.code_tokenizer import code_tokens
from app.metrics.ruby import (
    MAX_PARTS,
    Ruby,
    graph_similarity,
    read_program,
    similarity,
    string_similarity,
    tree_similarity,
)
from tests.conala import Pair, pairs
from tests.metrics.programs import HARD_TEXTS, humaneval_programs
from tests.shared_data import load_json


def score(output: str, *references: str) -> float:
    return float(Ruby().score_segments([Segment(output, references)]).scores[0])


def has_graph(pair: Pair) -> bool:
    return all(read_program(text).graph is not None for text in (pair.output, *pair.references))


def test_conala_strings_equal_the_published_scores_and_graphs_rank_like_them() -> None:
    study = list(pairs())
    scored = Ruby().score_segments([Segment(pair.output, pair.references) for pair in study])
    published = np.array([pair.published("ruby") for pair in study])
    graphs = np.array([has_graph(pair) for pair in study])
    assert (~graphs).sum() == 1063
    assert graphs.sum() == 1297
    assert [round(float(found), 3) for found in scored.scores[~graphs]] == published[~graphs].tolist()
    assert spearmanr(scored.scores[graphs], published[graphs]).statistic >= 0.88
    # The published search was cut off, so its scores are lower bounds of those of its own graphs.
    assert (scored.scores[graphs] >= published[graphs] - 0.03).mean() >= 0.97


def test_golden_cases() -> None:
    cases = load_json("conala", "published", "metrics_golden.json")["ruby"]
    strings = [case for case in cases if case["kind"].startswith("string")]
    assert len(strings) == 4
    for case in strings:
        assert round(score(case["hypothesis"], *case["references"]), 3) == case["score"]
    empty = [case for case in cases if not case["hypothesis"]]
    assert [score("", *case["references"]) for case in empty] == [0.0]


def test_forms_are_chosen_as_documented() -> None:
    graph, tree, string = (read_program(text) for text in ("f(a)", "f(a=1, a=2)", "print a"))
    assert (graph.graph is not None, graph.tree is not None) == (True, True)
    assert (tree.graph is not None, tree.tree is not None) == (False, True)
    assert (string.graph is not None, string.tree is not None) == (False, False)
    assert graph.graph
    assert similarity(graph, graph) == 1
    assert graph.tree
    assert tree.tree
    assert similarity(graph, tree) == tree_similarity(graph.tree, tree.tree)
    assert similarity(tree, string) == string_similarity(code_tokens("f(a=1, a=2)"), code_tokens("print a"))


def test_graphs_have_a_bound_in_parts() -> None:
    """``x`` is two parts: the statement and the name."""
    inside, outside = "x\n" * (MAX_PARTS // 2), "x\n" * (MAX_PARTS // 2 + 1)
    assert read_program(inside).graph is not None
    assert read_program(outside).graph is None
    assert read_program(outside).tree is not None


def test_string_similarity_worked_by_hand() -> None:
    assert string_similarity(code_tokens("print a"), code_tokens("print aB, c")) == 1 - 3 / 5
    assert string_similarity([], []) == 1
    assert string_similarity([], ["a"]) == 0


def test_tree_similarity_worked_by_hand() -> None:
    """``x``: Module, Expr, Name, 'x', Load. ``1``: Module, Expr, Constant, 1 and no kind. Two in common."""
    name, number = read_program("x").tree, read_program("1").tree
    assert name
    assert number
    assert (name.total(), number.total()) == (5, 5)
    assert tree_similarity(name, number) == pytest.approx(1 - 3 / 10)


def test_graph_similarity_worked_by_hand() -> None:
    """``f(x)`` has four parts, two variables and five edges; to write y for x changes one label of 22."""
    one, other = read_program("f(x)").graph, read_program("f(y)").graph
    assert one
    assert other
    assert (len(one.labels), len(one.edges)) == (6, 5)
    assert graph_similarity(one, other) == pytest.approx(1 - 1 / 22)


def test_identical_programs_score_one() -> None:
    assert all(score(program, program) == 1 for program in humaneval_programs())
    assert all(score(text, text) == 1 for text in HARD_TEXTS.values())


def test_symmetric_on_programs() -> None:
    rng = random.Random(3)
    programs = [read_program(text) for text in humaneval_programs()]
    for _ in range(40):
        one, other = rng.sample(programs, 2)
        assert similarity(one, other) == similarity(other, one)
        assert 0 <= similarity(one, other) < 1


@pytest.mark.parametrize("name", HARD_TEXTS)
def test_any_text_gets_a_score(name: str) -> None:
    text = HARD_TEXTS[name]
    for other in ("", "x = f(x)", "print x"):
        assert 0 <= score(text, other) <= 1
        assert score(text, other) == score(other, text)


def test_a_megabyte_gets_a_score() -> None:
    text = "value = call(value, 'text')\n" * 37_000
    assert len(text) > 1_000_000
    assert 0 < score(text, "value = call(value, 'text')") < 1


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=60), st.text(max_size=60))
def test_range_and_symmetry(one: str, other: str) -> None:
    assert 0 <= score(one, other) <= 1
    assert score(one, other) == score(other, one)
    assert score(one, one) == 1


def test_same_scores_whatever_the_company() -> None:
    texts = [pair.output for pair in list(pairs())[:12]]
    segments = [Segment(one, (other, texts[0])) for one in texts for other in texts]
    together = Ruby().score_segments(segments).scores
    alone = [score(segment.output, *segment.references) for segment in segments]
    assert together.tolist() == alone


def test_corpus_score_is_the_mean() -> None:
    scored = Ruby().score_segments([Segment("x", ("x",)), Segment("", ("x",))])
    assert Ruby().corpus_score(scored.statistics.sum(axis=0), 2) == 0.5
    assert Ruby().score_segments([]).statistics.shape == (0, 1)


def test_signature_and_bad_use() -> None:
    assert create("ruby").signature == (
        "metric:ruby|case:mixed|grammar:python-3.11|graph_parts:300|refs:best|version:1"
    )
    with pytest.raises(MetricError, match="at least one reference"):
        score("x")


def test_huge_texts_are_compared_by_their_beginning() -> None:
    garbage = "".join(random.Random(5).choices("()[]{}'\"`:=,. \nabfordefif+-*", k=1_000_000))
    assert score(garbage, garbage) == 1
    assert 0 < score(garbage, garbage[::-1]) < 1
