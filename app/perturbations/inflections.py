"""Forms of English words, by lemminflect."""

from functools import lru_cache
from types import ModuleType

INFLECTED = ("NOUN", "VERB", "ADJ")


def _lemminflect() -> ModuleType:
    """Imported when first needed, since it brings spaCy along."""
    import lemminflect  # type: ignore[import-untyped]  # noqa: PLC0415

    return lemminflect  # type: ignore[no-any-return]


@lru_cache(maxsize=1 << 14)
def lemma(word: str, part: str) -> str:
    """The form under which a word of this part of speech stands in a dictionary."""
    found = _lemminflect().getLemma(word.lower(), part)
    return str(found[0]) if found else word.lower()


@lru_cache(maxsize=1 << 14)
def forms(word: str, part: str) -> tuple[str, ...]:
    """All forms of a word that the dictionary knows, without repetition and in alphabetical order; else none."""
    if not _lemminflect().getAllLemmas(word.lower(), part):
        return ()
    found = _lemminflect().getAllInflections(lemma(word, part), part)
    return tuple(sorted({form for of_tag in found.values() for form in of_tag}))


@lru_cache(maxsize=1 << 14)
def inflected(base: str, tag: str) -> str:
    """The form of a base that a tag of the Penn Treebank names; the base itself where there is no such form.

    Words that the dictionary lacks are formed by rule, but adjectives ("beautifulest") and adverbs are not.
    """
    found = _lemminflect().getInflection(base, tag, inflect_oov=tag[:2] not in ("JJ", "RB"))
    return str(found[0]) if found else base


def in_case_of(word: str, like: str) -> str:
    """With a capital letter first, or in capitals only, as ``like`` is."""
    if like.isupper() and len(like) > 1:
        return word.upper()
    return word[:1].upper() + word[1:] if like[:1].isupper() else word
