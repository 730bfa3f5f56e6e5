"""ROUGE-L over code tokens: F1 of the longest common subsequence (Lin 2004, section 3)."""

from collections.abc import Sequence
from functools import cache

from rapidfuzz.distance import LCSseq

from app.metrics.code_tokenizer import code_tokens
from app.metrics.protocol import (
    MeanOfSegments,
    Segment,
    SegmentScores,
    best_over_references,
    format_signature,
    require_references,
    scores_as_statistics,
)
from app.metrics.registry import register


@register("rouge_l")
class RougeL(MeanOfSegments):
    """F1 of the longest common subsequence of tokens, the best over the references."""

    name = "rouge_l"
    label = "ROUGE-L"

    @property
    def signature(self) -> str:
        return format_signature(self.name, "1", measure="f1", references="best", tokenizer="code")

    def score_segments(self, segments: Sequence[Segment]) -> SegmentScores:
        """F1 of each segment.

        Time grows with output tokens × reference tokens: a million by a million take half a minute,
        a million by a hundred a third of a second. Memory grows linearly.
        """
        require_references(segments)
        tokens = cache(code_tokens)  # systems share their problem's references
        return scores_as_statistics(
            best_over_references([lcs_f1(tokens(output), tokens(text)) for text in references])
            for output, references in segments
        )


def lcs_f1(output: Sequence[str], reference: Sequence[str]) -> float:
    """F1 in [0, 1] of the longest common subsequence's length; 0 when nothing is common."""
    common = LCSseq.similarity(output, reference)
    if not common:
        return 0.0
    precision, recall = common / len(output), common / len(reference)
    return 2 * precision * recall / (precision + recall)
