"""Embedding cosine: the cosine of the angle between output and reference as an encoder's sentence vectors."""

from collections.abc import Sequence

import numpy as np

from app.metrics.encoders import DECIMALS, DEFAULT_ENCODER, ChosenEncoder, embed_once
from app.metrics.protocol import (
    Floats,
    MeanOfSegments,
    Segment,
    SegmentScores,
    best_over_references,
    format_signature,
    require_references,
    scores_as_statistics,
)
from app.metrics.registry import register


@register("embedding_cosine")
class EmbeddingCosine(MeanOfSegments):
    """Cosine of mean-pooled vectors, the best over the references; what points away counts as 0."""

    name = "embedding_cosine"
    label = "Embedding cosine"

    def __init__(self, model: str = DEFAULT_ENCODER, *, revision: str | None = None, device: str = "auto") -> None:
        self._encoder = ChosenEncoder(model, revision, device)

    @property
    def signature(self) -> str:
        return format_signature(self.name, "1", model=self._encoder.name, pooling="mean", references="best")

    def score_segments(self, segments: Sequence[Segment]) -> SegmentScores:
        """Cosine of each segment. What lies beyond the encoder's limit is not read."""
        require_references(segments)
        if not segments:
            return scores_as_statistics([])
        known = embed_once(segments, lambda texts: list(self._encoder.open().sentences(texts).astype(np.float64)))
        return scores_as_statistics(
            best_over_references([_cosine(known.get(output), known.get(text)) for text in references])
            for output, references in segments
        )


def _cosine(output: Floats | None, reference: Floats | None) -> float:
    """Rounded cosine of two vectors of length 1, at most 1; 0 where either text is blank."""
    if output is None or reference is None:
        return 0.0
    return min(1.0, round(float(output @ reference), DECIMALS))
