"""CodeBLEU for Python: tokens, weighted words, syntax and data flow in one score."""

from collections import Counter
from collections.abc import Sequence
from typing import Literal, NamedTuple, get_args

import numpy as np

from app.metrics.code_tokenizer import code_tokens
from app.metrics.data_flow import reuse_counts, reuse_recall
from app.metrics.heavy_words import BUILTINS, DICT_ATTRIBUTES, KEYWORDS
from app.metrics.protocol import (
    MeanOfSegments,
    MetricError,
    Segment,
    SegmentScores,
    best_over_references,
    format_signature,
)
from app.metrics.python_tokens import python_tokens
from app.metrics.registry import register
from app.metrics.syntax_match import GRAMMAR_VERSION, SubtreeShapes, subtree_recall
from app.metrics.token_match import bleu, weighted_recall

Variant = Literal["published", "corrected"]
HEAVY_WORDS = {"published": KEYWORDS | DICT_ATTRIBUTES, "corrected": KEYWORDS | BUILTINS}


class Components(NamedTuple):
    """The four parts, each in [0, 1]; data_flow is None where the reference has none to compare with."""

    bleu: float
    weighted: float
    syntax: float
    data_flow: float | None

    @property
    def total(self) -> float:
        """The mean with weights 0.1, 0.1, 0.4, 0.4, over the first three where there is no data flow."""
        rest = 0.1 * self.bleu + 0.1 * self.weighted + 0.4 * self.syntax
        return rest / 0.6 if self.data_flow is None else rest + 0.4 * self.data_flow


class _Program(NamedTuple):
    tokens: list[str]
    subtrees: Counter[int]
    reuse: tuple[int, ...] | None


@register("codebleu")
class CodeBleu(MeanOfSegments):
    """CodeBLEU (Ren et al. 2020) as computed in 'Out of the BLEU' (Evtikhiev et al. 2023).

    variant: "corrected" weighs Python's keywords and built-ins; "published" repeats the slip behind the
    published scores, which took the attributes of a dict for the built-ins. Several references: the best.
    Identical code scores 1 if it has four tokens or more (BLEU-4 of less is 0). Any text gets a score: one
    that doesn't parse, or is longer or deeper than python_syntax allows, has no data flow; of a long one
    only the beginning is parsed.
    """

    name = "codebleu"
    label = "CodeBLEU"

    def __init__(self, variant: Variant = "corrected") -> None:
        if variant not in get_args(Variant):
            raise MetricError(f"CodeBLEU has no variant {variant!r}. Use 'published' or 'corrected'.")
        self._variant: Variant = variant

    @property
    def signature(self) -> str:
        """Names the variant and the grammar, whose error recovery differs between versions."""
        return format_signature(
            self.name,
            "1",
            case="mixed",
            grammar=f"tree-sitter-python-{GRAMMAR_VERSION}",
            refs="best",
            variant=self._variant,
            weights="0.1,0.1,0.4,0.4",
        )

    def score_segments(self, segments: Sequence[Segment]) -> SegmentScores:
        """Best total over the references of each segment; each distinct text is analysed once."""
        analyst = _Analyst(self._variant)
        scores = np.array([self._score(segment, analyst) for segment in segments], dtype=np.float64)
        return SegmentScores(scores, scores[:, None])

    def components(self, reference: str, output: str) -> Components:
        """The four parts for one reference."""
        return self.components_of([(reference, output)])[0]

    def components_of(self, pairs: Sequence[tuple[str, str]]) -> list[Components]:
        """The four parts of each (reference, output); each distinct text is analysed once."""
        analyst = _Analyst(self._variant)
        return [self._compare(analyst.program(reference), analyst.program(output)) for reference, output in pairs]

    def _score(self, segment: Segment, analyst: "_Analyst") -> float:
        if not segment.references:
            raise MetricError("CodeBLEU needs at least one reference for every output.")
        output = analyst.program(segment.output)
        wanted = map(analyst.program, segment.references)
        return best_over_references([self._compare(reference, output).total for reference in wanted])

    def _compare(self, reference: _Program, output: _Program) -> Components:
        return Components(
            bleu(reference.tokens, output.tokens),
            weighted_recall(reference.tokens, output.tokens, HEAVY_WORDS[self._variant]),
            subtree_recall(reference.subtrees, output.subtrees),
            reuse_recall(reference.reuse, output.reuse),
        )


class _Analyst:
    """Analyses each distinct text once; its subtree numbers mean nothing outside it."""

    def __init__(self, variant: Variant) -> None:
        self._as_published = variant == "published"
        self._shapes = SubtreeShapes()
        self._programs: dict[str, _Program] = {}

    def program(self, text: str) -> _Program:
        if text not in self._programs:
            tokens = python_tokens(text)
            self._programs[text] = _Program(
                code_tokens(text) if tokens is None else tokens,
                self._shapes.count(text),
                reuse_counts(text, as_published=self._as_published),
            )
        return self._programs[text]
