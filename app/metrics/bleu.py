"""BLEU over code tokens, several references at once (Papineni et al. 2002; Chen & Cherry 2014)."""

from collections.abc import Sequence
from functools import cache
from typing import Final

import numpy as np
import sacrebleu
from sacrebleu.metrics.bleu import BLEU

from app.metrics.code_tokenizer import code_tokens
from app.metrics.protocol import Floats, Segment, SegmentScores, format_signature, require_references
from app.metrics.registry import register

ORDER: Final = 4  # longest n-gram
# Columns of the statistics: matched n-grams, output n-grams (n = 1..4), output length, reference length.
STATISTICS: Final = 2 * ORDER + 2


@register("bleu")
class Bleu:
    """Corpus BLEU from summed counts; segment scores are sentence BLEU of effective order. Smoothing: exp.

    The effective order lets outputs of fewer than four tokens score at all. A corpus without a single 4-gram
    scores 0, as in sacreBLEU.
    """

    name = "bleu"
    label = "BLEU"

    def __init__(self) -> None:
        # force: the text is tokenised before, which sacreBLEU would else warn of.
        self._bleu = BLEU(tokenize="none", force=True, smooth_method="exp", effective_order=True)

    @property
    def signature(self) -> str:
        return format_signature(
            self.name,
            "1",
            effective="segments",
            references="all",
            sacrebleu=sacrebleu.__version__,
            smoothing="exp",
            tokenizer="code",
        )

    def score_segments(self, segments: Sequence[Segment]) -> SegmentScores:
        """Sentence BLEU and the ten statistics of each segment; linear in the texts' lengths."""
        require_references(segments)
        spaced = cache(lambda text: " ".join(code_tokens(text)))  # systems share their problem's references
        rows = np.zeros((len(segments), 1 + STATISTICS))
        for row, (output, references) in zip(rows, segments, strict=True):
            result = self._bleu.sentence_score(spaced(output), [spaced(text) for text in references])
            row[:] = (result.score / 100, *result.counts, *result.totals, result.sys_len, result.ref_len)
        return SegmentScores(np.minimum(rows[:, 0], 1.0), rows[:, 1:])

    def corpus_score(self, totals: Floats, count: int) -> Floats:
        """sacreBLEU's corpus BLEU from summed statistics of shape (..., 10); ``count`` does not matter."""
        return corpus_bleu(np.asarray(totals, dtype=np.float64))


def corpus_bleu(totals: Floats) -> Floats:
    """BLEU in [0, 1] of shape (...) from sums of shape (..., 10): geometric mean precision × brevity penalty.

    The k-th order without a match counts as 1 / 2^k matches (Chen & Cherry 2014, method 3). 0 where nothing
    matches or the outputs hold no n-gram of some order.
    """
    matched, possible = totals[..., :ORDER], totals[..., ORDER : 2 * ORDER]
    output_length, reference_length = totals[..., -2], totals[..., -1]
    defined = matched.any(axis=-1) & possible.all(axis=-1)
    unmatched = matched == 0
    smoothed = np.where(unmatched, 0.5 ** np.cumsum(unmatched, axis=-1), matched)
    precision = smoothed / np.where(possible > 0, possible, 1)
    ratio = reference_length / np.where(output_length > 0, output_length, 1)
    brevity = np.exp(np.minimum(0.0, 1 - ratio))
    return np.where(defined, np.minimum(brevity * np.exp(np.log(precision).mean(axis=-1)), 1.0), 0.0)
