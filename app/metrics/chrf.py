"""chrF: F2 of character n-grams up to six, white space left out (Popović 2015), as sacreBLEU computes it."""

from collections.abc import Sequence

import sacrebleu
from sacrebleu.metrics.chrf import CHRF

from app.metrics.protocol import (
    MeanOfSegments,
    Segment,
    SegmentScores,
    format_signature,
    require_references,
    scores_as_statistics,
)
from app.metrics.registry import register


@register("chrf")
class ChrF(MeanOfSegments):
    """sacreBLEU's chrF with its defaults; of several references, the one with the best F counts.

    The corpus score is the mean of the segment scores, as published for code, not sacreBLEU's corpus chrF.
    """

    name = "chrf"
    label = "chrF"

    def __init__(self) -> None:
        self._chrf = CHRF()

    @property
    def signature(self) -> str:
        return format_signature(
            self.name,
            "1",
            beta=self._chrf.beta,
            characters=self._chrf.char_order,
            corpus="mean",
            references="best",
            sacrebleu=sacrebleu.__version__,
            whitespace="no",
            words=self._chrf.word_order,
        )

    def score_segments(self, segments: Sequence[Segment]) -> SegmentScores:
        """chrF of each segment; linear in the texts' lengths (1 MB of text takes 400 MB for a moment)."""
        require_references(segments)
        return scores_as_statistics(
            min(self._chrf.sentence_score(output, references).score / 100, 1.0) for output, references in segments
        )
