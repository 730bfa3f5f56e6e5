"""Lexical parts of CodeBLEU: plain BLEU-4, and the recall of unigrams in which some words weigh more."""

from collections import Counter
from collections.abc import Sequence, Set
from math import exp, log

MAX_ORDER = 4
HEAVY = 5


def bleu(reference: Sequence[str], output: Sequence[str]) -> float:
    """Unsmoothed BLEU-4 against one reference, in [0, 1]; 0 as soon as one order has no match.

    Papineni et al. 2002. Fewer than four tokens therefore score 0, even against themselves.
    """
    logarithms = 0.0
    for order in range(1, MAX_ORDER + 1):
        wanted, found = _ngrams(reference, order), _ngrams(output, order)
        matches = sum((wanted & found).values())
        if matches == 0:
            return 0.0
        logarithms += log(matches / sum(found.values()))
    return brevity_penalty(len(reference), len(output)) * exp(logarithms / MAX_ORDER)


def weighted_recall(reference: Sequence[str], output: Sequence[str], heavy: Set[str]) -> float:
    """Clipped unigram matches over the reference's unigrams, ``heavy`` words five times, in [0, 1].

    Ren et al. 2020, equation 2, as the published implementation reads it: recall times brevity penalty.
    """
    wanted = Counter(reference)
    total = sum(_weight(token, heavy) * count for token, count in wanted.items())
    if not total or not output:
        return 0.0
    matched = sum(_weight(token, heavy) * count for token, count in (wanted & Counter(output)).items())
    return brevity_penalty(len(reference), len(output)) * matched / total


def brevity_penalty(reference_length: int, output_length: int) -> float:
    """exp(1 - r/o) for an output shorter than its reference, else 1."""
    return min(1.0, exp(1 - reference_length / output_length))


def _ngrams(tokens: Sequence[str], order: int) -> Counter[tuple[str, ...]]:
    return Counter(zip(*(tokens[start:] for start in range(order)), strict=False))


def _weight(token: str, heavy: Set[str]) -> int:
    return HEAVY if token in heavy else 1
