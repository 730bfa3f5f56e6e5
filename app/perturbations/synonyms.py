"""Other words for a word, from WordNet: one-word lemmas of its synsets, in the form that the word has."""

from functools import lru_cache

from app.metrics.protocol import MetricError
from app.metrics.wordnet import WordNet, find_wordnet
from app.perturbations.inflections import in_case_of, inflected, lemma
from app.perturbations.protocol import PerturbationError

# WordNet's parts of speech for the universal ones.
_PARTS = {"NOUN": "noun", "VERB": "verb", "ADJ": "adj", "ADV": "adv"}
_COMPARED = ("JJR", "JJS", "RBR", "RBS")
_REMEDY = "install it: npm install in the project's folder, or apt install wordnet-base"


def lacking_wordnet() -> str | None:
    """What is wrong with this machine's WordNet, and how to get one; None where it can be read."""
    try:
        found = find_wordnet()
    except (MetricError, OSError, ValueError) as error:
        return f"{error} Correct or unset CODEJURY_WORDNET_DIR."
    return None if found else f"WordNet is not installed; {_REMEDY}."


def wordnet() -> WordNet:
    """This machine's WordNet; PerturbationError where it has none."""
    if (lack := lacking_wordnet()) is not None:
        raise PerturbationError(lack)
    found = find_wordnet()
    assert found is not None
    return found


@lru_cache(maxsize=1 << 14)
def synonyms(source: WordNet, word: str, part: str, tag: str) -> tuple[str, ...]:
    """Words of a universal part of speech that may stand for ``word``, inflected by its tag, in alphabetical order.

    Names (lemmas with a capital letter) and lemmas of several words are left out, and so are the word itself and what
    has no such form (a comparative of "tight-lipped").
    """
    if part not in _PARTS:
        return ()
    base = lemma(word, part)
    others = {each for synset in source.synsets(base, _PARTS[part]) for each in synset}
    plain = (each for each in others if each.isalpha() and each.islower() and each != base)
    fitting = (form for each in plain if (form := inflected(each, tag)) != each or tag not in _COMPARED)
    return tuple(sorted({in_case_of(form, word) for form in fitting} - {word}))
