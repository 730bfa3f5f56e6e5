"""RUBY for Python: the similarity of two programs as graphs, else as trees, else as strings."""

import ast
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from rapidfuzz.distance import Levenshtein

from app.metrics.code_tokenizer import code_tokens
from app.metrics.graph_edit_distance import LabelledGraph, edit_distance
from app.metrics.program_graph import constant_label, count_parts, program_graph
from app.metrics.protocol import (
    MeanOfSegments,
    MetricError,
    Segment,
    SegmentScores,
    best_over_references,
    format_signature,
)
from app.metrics.python_syntax import MAX_CHARACTERS, parse_python, repeats_an_argument
from app.metrics.registry import register

MAX_PARTS = 300


class Program(NamedTuple):
    """The three forms of a text; the graph and the labels of the tree where it has them."""

    tokens: list[str]
    tree: Counter[str] | None
    graph: LabelledGraph | None


def read_program(text: str) -> Program:
    """Every form that a text has: no graph if it can't be compiled or has over MAX_PARTS parts, no tree if it
    doesn't parse (python_syntax.py), and tokens of its first MAX_CHARACTERS."""
    tokens = code_tokens(text[:MAX_CHARACTERS])
    tree = parse_python(text)
    if tree is None:
        return Program(tokens, None, None)
    has_graph = count_parts(tree) <= MAX_PARTS and not repeats_an_argument(tree)
    return Program(tokens, Counter(_tree_labels(tree)), program_graph(tree) if has_graph else None)


def similarity(one: Program, other: Program) -> float:
    """RUBY of two programs by the richest form that both have (Tran et al. 2019); symmetric, in [0, 1]."""
    if one.graph and other.graph:
        return graph_similarity(one.graph, other.graph)
    if one.tree and other.tree:
        return tree_similarity(one.tree, other.tree)
    return string_similarity(one.tokens, other.tokens)


def graph_similarity(one: LabelledGraph, other: LabelledGraph) -> float:
    """GRS: 1 - edit distance / nodes and edges of both graphs; two empty graphs are equal."""
    size = one.size + other.size
    return 1 - edit_distance(one, other) / size if size else 1.0


def tree_similarity(one: Counter[str], other: Counter[str]) -> float:
    """TRS: 1 - distance / nodes of both trees, the closed form of the published search.

    There edges of trees cost nothing, so the distance is what the larger tree has beyond the shared labels.
    """
    sizes = one.total(), other.total()
    return 1 - (max(sizes) - (one & other).total()) / sum(sizes)


def string_similarity(one: Sequence[str], other: Sequence[str]) -> float:
    """STS: 1 - Levenshtein distance of the code tokens / length of the longer; two empty texts are equal."""
    longer = max(len(one), len(other))
    return 1 - Levenshtein.distance(one, other) / longer if longer else 1.0


def _tree_labels(tree: ast.Module) -> Iterator[str]:
    """Every node of the syntax tree by kind, and every value of its fields, absent ones too."""
    for node in ast.walk(tree):
        yield type(node).__name__
        for _, value in ast.iter_fields(node):
            for item in value if isinstance(value, list) else [value]:
                if not isinstance(item, ast.AST):
                    yield constant_label(item)


@register("ruby")
class Ruby(MeanOfSegments):
    """RUBY (Tran et al. 2019) as in 'Out of the BLEU' (Evtikhiev et al. 2023), with graphs of our own.

    Two texts are compared as program dependence graphs (program_graph.py) where both compile and have at
    most MAX_PARTS parts, as syntax trees where both parse, as token strings otherwise. Several references:
    the best. Identical programs score 1, and the order of the two doesn't matter. Published graph scores
    came from other graphs and a search cut off by the clock: these rank alike, but aren't the same numbers.
    """

    name = "ruby"
    label = "RUBY"

    @property
    def signature(self) -> str:
        """Names the grammar that decides what parses, and how many parts a graph can have."""
        return format_signature(
            self.name, "1", case="mixed", grammar="python-3.11", graph_parts=MAX_PARTS, refs="best"
        )

    def score_segments(self, segments: Sequence[Segment]) -> SegmentScores:
        """Best similarity over the references of each segment; no pair of texts is compared twice."""
        bench = _Bench()
        scores = np.array([self._score(segment, bench) for segment in segments], dtype=np.float64)
        return SegmentScores(scores, scores[:, None])

    def _score(self, segment: Segment, bench: "_Bench") -> float:
        if not segment.references:
            raise MetricError("RUBY needs at least one reference for every output.")
        return best_over_references([bench.compare(segment.output, text) for text in segment.references])


class _Bench:
    """Reads each distinct text and compares each distinct pair once."""

    def __init__(self) -> None:
        self._programs: dict[str, Program] = {}
        self._scores: dict[tuple[str, str], float] = {}

    def compare(self, output: str, reference: str) -> float:
        pair = (output, reference)
        if pair not in self._scores:
            self._scores[pair] = similarity(self._program(output), self._program(reference))
        return self._scores[pair]

    def _program(self, text: str) -> Program:
        if text not in self._programs:
            self._programs[text] = read_program(text)
        return self._programs[text]
