"""CodeBERTScore (Zhou et al. 2023): BERTScore over the tokens of code, F1 and F3.

Each token of the output is matched with the most similar token of the reference, and the other way round; similarity
is the cosine of their vectors in context (Zhang et al. 2020, section 3). Tokens that are nothing but punctuation and
those that every text gets are left out. No weights by rarity, no rescaling, no natural-language context before the
code. The published scores come from encoders that were trained on code; name one as ``model``, with its layer.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from app.language_models.embeddings import TokenEmbeddings
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


class CodeBertScore(MeanOfSegments):
    """F-beta of matched tokens, the best over the references; ``beta`` is how much more recall counts."""

    name: str
    label: str
    beta: int

    def __init__(
        self,
        model: str = DEFAULT_ENCODER,
        *,
        revision: str | None = None,
        layer: int | None = None,
        device: str = "auto",
    ) -> None:
        self._encoder = ChosenEncoder(model, revision, device)
        self._layer = layer

    @property
    def signature(self) -> str:
        layer = "last" if self._layer is None else self._layer
        options = {"beta": self.beta, "layer": layer, "model": self._encoder.name}
        return format_signature(self.name, "1", **options, punctuation="no", references="best")

    def score_segments(self, segments: Sequence[Segment]) -> SegmentScores:
        """F-beta of each segment. What lies beyond the encoder's context is not compared."""
        require_references(segments)
        if not segments:
            return scores_as_statistics([])
        known = embed_once(segments, lambda texts: [_vectors(each) for each in self._embed(texts)])
        return scores_as_statistics(
            best_over_references([self._score(known.get(output), known.get(text)) for text in references])
            for output, references in segments
        )

    def _embed(self, texts: list[str]) -> list[TokenEmbeddings]:
        return self._encoder.open().tokens(texts, self._layer)

    def _score(self, output: Floats | None, reference: Floats | None) -> float:
        if output is None or reference is None:
            return 0.0
        return round(f_beta(output @ reference.T, self.beta), DECIMALS)


@register("codebertscore_f1")
class CodeBertScoreF1(CodeBertScore):
    """Precision and recall alike."""

    name = "codebertscore_f1"
    label = "CodeBERTScore F1"
    beta = 1


@register("codebertscore_f3")
class CodeBertScoreF3(CodeBertScore):
    """Recall three times as much as precision: the form that agreed best with running the code (section 4)."""

    name = "codebertscore_f3"
    label = "CodeBERTScore F3"
    beta = 3


def f_beta(similarities: Floats, beta: int) -> float:
    """F-beta in [0, 1] from cosines of shape (output tokens, reference tokens); 0 where either has none."""
    if not similarities.size:
        return 0.0
    precision = max(0.0, float(similarities.max(axis=1).mean()))
    recall = max(0.0, float(similarities.max(axis=0).mean()))
    if precision + recall == 0:
        return 0.0
    weight = beta**2
    return min(1.0, (1 + weight) * precision * recall / (weight * precision + recall))


def _vectors(text: TokenEmbeddings) -> NDArray[np.float64]:
    """Vectors of length 1 of the tokens that count: all of them where all are punctuation."""
    counting = [any(character.isalnum() for character in token) for token in text.tokens]
    kept = text.vectors[counting] if any(counting) else text.vectors
    vectors = kept.astype(np.float64)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.maximum(lengths, 1e-12))
