"""METEOR in the form of Lavie & Agarwal (2007) with NLTK's alignment, over code tokens.

This is the METEOR that papers on code report. It is not METEOR 1.5: words match exactly, then by Porter stem,
then by WordNet synonym, all with the same weight.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache
from itertools import pairwise
from pathlib import Path

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
from app.metrics.wordnet import LONGEST_WORD, WordNet, find_wordnet, open_wordnet

ALPHA = 0.9  # weight of precision against recall in the harmonic mean
BETA = 3.0  # how steeply fragmentation is punished
GAMMA = 0.5  # the most that fragmentation can take away

Words = dict[int, str]  # word by its place in the text
Alternatives = Callable[[str], Iterable[str]]
Link = tuple[int, int]  # place in the output, place in the reference


@register("meteor")
class Meteor(MeanOfSegments):
    """METEOR, the best over the references. An identical text of n tokens scores 1 − 0.5/n³, not 1.

    wordnet: "find" takes the first WordNet installed (``wordnet.py``) and goes without when there is none;
    "none" goes without, a path takes that folder. The signature says which it was.
    """

    name = "meteor"
    label = "METEOR"

    def __init__(self, wordnet: Path | str = "find") -> None:
        self._wordnet = _choose_wordnet(wordnet)
        self._synonyms: Alternatives = self._wordnet.synonyms if self._wordnet else _itself

    @property
    def signature(self) -> str:
        return format_signature(
            self.name,
            "1",
            alpha=ALPHA,
            beta=BETA,
            gamma=GAMMA,
            lowercase="yes",
            references="best",
            stemmer="nltk-porter",
            tokenizer="code",
            wordnet=self._wordnet.version if self._wordnet else "none",
            wordnet_irregular="yes" if self._wordnet and self._wordnet.has_irregular_forms else "no",
        )

    def score_segments(self, segments: Sequence[Segment]) -> SegmentScores:
        """METEOR of each segment; linear in the texts' lengths."""
        require_references(segments)
        words = cache(_lower_words)  # systems share their problem's references
        return scores_as_statistics(
            best_over_references([self._score(words(output), words(text)) for text in references])
            for output, references in segments
        )

    def _score(self, output: Words, reference: Words) -> float:
        links = align(output, reference, self._synonyms)
        if not links:
            return 0.0
        precision, recall = len(links) / len(output), len(links) / len(reference)
        mean = precision * recall / (ALPHA * precision + (1 - ALPHA) * recall)
        penalty: float = GAMMA * (count_chunks(links) / len(links)) ** BETA
        return (1 - penalty) * mean


def align(output: Words, reference: Words, synonyms: Alternatives) -> list[Link]:
    """Link the words of both texts one to one, in the output's order: exactly, then by stem, then by synonym.

    What a stage leaves over goes on to the next. The third stage sees stems in place of words, as in NLTK.
    """
    exact, output, reference = _match(output, reference, _itself)
    stemmed, output, reference = _match(_stems(output), _stems(reference), _itself)
    synonymous, _, _ = _match(output, reference, synonyms)
    return sorted(exact + stemmed + synonymous)


def _match(output: Words, reference: Words, alternatives: Alternatives) -> tuple[list[Link], Words, Words]:
    """Link each word of the output, last first, to the last free place of one of its alternatives.

    Greedy from the end, not the fewest chunks: the order decides the penalty, and published scores have it.
    Returns the links and what is left of both texts.
    """
    if not output or not reference:
        return [], output, reference
    free: dict[str, list[int]] = defaultdict(list)
    for place, word in reference.items():
        free[word].append(place)
    links = []
    for place in reversed(output):
        open_places = [free[word] for word in alternatives(output[place]) if free.get(word)]
        if open_places:
            links.append((place, max(open_places, key=_last).pop()))
    linked_output, linked_reference = {link[0] for link in links}, {link[1] for link in links}
    return links, _without(output, linked_output), _without(reference, linked_reference)


def count_chunks(links: Sequence[Link]) -> int:
    """Number of runs of links that are adjacent and in the same order in both texts; links sorted."""
    return 1 + sum(later != (first[0] + 1, first[1] + 1) for first, later in pairwise(links))


def _lower_words(text: str) -> Words:
    return dict(enumerate(token.lower() for token in code_tokens(text)))


def _without(words: Words, places: set[int]) -> Words:
    return {place: word for place, word in words.items() if place not in places}


def _stems(words: Words) -> Words:
    return {place: _stem(word) for place, word in words.items()}


def _last(places: list[int]) -> int:
    return places[-1]


def _itself(word: str) -> tuple[str]:
    return (word,)


def _stem(word: str) -> str:
    return _remembered_stem(word) if len(word) <= LONGEST_WORD else _porter()(word)


@lru_cache(maxsize=1 << 16)
def _remembered_stem(word: str) -> str:
    return _porter()(word)


@cache
def _porter() -> Callable[[str], str]:
    """NLTK's Porter stemmer, imported when first needed: importing NLTK takes over a second."""
    from nltk.stem.porter import PorterStemmer  # noqa: PLC0415

    stem: Callable[[str], str] = PorterStemmer().stem  # type: ignore[no-untyped-call]
    return stem


def _choose_wordnet(wordnet: Path | str) -> WordNet | None:
    if wordnet == "none":
        return None
    return find_wordnet() if wordnet == "find" else open_wordnet(Path(wordnet))
