"""METEOR: by hand, against NLTK's own function with the same synonyms, and without WordNet."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from nltk.translate.meteor_score import single_meteor_score

from app.metrics import MetricError, Segment, create
from app.metrics import wordnet as room
from app.metrics.code_tokenizer import code_tokens
from app.metrics.meteor import count_chunks
from tests.metrics.strategies import code
from tests.metrics.wordnet_folder import write_wordnet

SYNSETS = {"noun": [["dog", "x", "list"], ["list", "run", "a"]], "verb": [["sort", "my", "Run"]]}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_wordnet(tmp_path_factory.mktemp("wordnet"), SYNSETS)


def score(output: str, *references: str, wordnet: Path | str = "none") -> float:
    metric = create("meteor", wordnet=wordnet)
    return float(metric.score_segments([Segment(output, references)]).scores[0])


class NltkWordNet:
    """Our synonyms in the shape in which NLTK asks for them."""

    def __init__(self, folder: Path) -> None:
        self._wordnet = room.open_wordnet(folder)

    def synsets(self, word: str) -> list[SimpleNamespace]:
        lemmas = [SimpleNamespace(name=lambda lemma=lemma: lemma) for lemma in self._wordnet.synonyms(word)]
        return [SimpleNamespace(lemmas=lambda: lemmas)]


def test_identical_texts_lose_half_over_the_cube_of_their_length() -> None:
    assert score("a b c d", "a b c d") == pytest.approx(1 - 0.5 / 4**3)


def test_by_hand() -> None:
    # Linked: the b, the c d; two chunks of three words; precision 3/4, recall 3/5.
    mean = 0.75 * 0.6 / (0.9 * 0.75 + 0.1 * 0.6)
    assert score("b x c d", "b y c d z") == pytest.approx(mean * (1 - 0.5 * (2 / 3) ** 3))


def test_stems_match_and_case_is_ignored() -> None:
    assert score("Sorted", "sorting") == pytest.approx(0.5)


def test_synonyms_match_with_wordnet_only(folder: Path) -> None:
    assert score("dogs", "list", wordnet=folder) == pytest.approx(0.5)
    assert score("dogs", "list") == 0.0


def test_the_best_reference_counts() -> None:
    assert score("a b", "c", "a b") == score("a b", "a b")


@given(code, code)
def test_equals_nltk(folder: Path, output: str, reference: str) -> None:
    nltk_wordnet: Any = NltkWordNet(folder)
    expected = single_meteor_score(code_tokens(reference), code_tokens(output), wordnet=nltk_wordnet)
    assert score(output, reference, wordnet=folder) == expected


@pytest.mark.parametrize(("links", "chunks"), [([(0, 0)], 1), ([(0, 3), (1, 4), (2, 0)], 2), ([(0, 1), (1, 0)], 2)])
def test_chunks(links: list[tuple[int, int]], chunks: int) -> None:
    assert count_chunks(links) == chunks


def test_the_signature_says_which_wordnet(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "|wordnet:9.9|wordnet_irregular:no|" in create("meteor", wordnet=folder).signature
    assert "|wordnet:none|" in create("meteor", wordnet="none").signature
    monkeypatch.setattr("app.metrics.meteor.find_wordnet", lambda: None)
    assert create("meteor").signature == create("meteor", wordnet="none").signature


def test_a_folder_without_wordnet_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(MetricError, match=r"data\.noun"):
        create("meteor", wordnet=tmp_path)
