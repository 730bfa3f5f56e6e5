"""What words may become, drawn word by word: shared by docstrings and function names."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from random import Random

from app.perturbations.inflections import INFLECTED, forms, in_case_of
from app.perturbations.parts_of_speech import Word
from app.perturbations.prose import NOTHING_CHANGED
from app.perturbations.synonyms import synonyms, wordnet


@dataclass(frozen=True, slots=True)
class WordChoices:
    """``of`` says what a word may become; with ``probability`` one of that is drawn, all as likely."""

    of: Callable[[Word], tuple[str, ...]]
    probability: float
    none: str  # the reason where no word may become anything

    def draw(self, word: Word, random: Random) -> str | None:
        """What the word becomes; None where nothing was drawn. A word without choices draws no number."""
        choices = self.of(word)
        return random.choice(choices) if choices and random.random() < self.probability else None

    def why_unchanged(self, words: Iterable[Word]) -> str:
        """Whether chance left these words as they are, or nothing could become of them."""
        return NOTHING_CHANGED if any(map(self.of, words)) else self.none


def inflection_choices() -> WordChoices:
    """Forms of nouns, verbs and adjectives, the word's own among them.

    The paper gives no probability ("randomly selects words"): that a word may draw its own form is the selection.
    """
    return WordChoices(_forms, 1.0, "No word has another form.")


def _forms(word: Word) -> tuple[str, ...]:
    known = forms(word.text, word.part) if word.part in INFLECTED else ()
    return tuple(in_case_of(form, word.text) for form in known) if len(known) > 1 else ()


def synonym_choices() -> WordChoices:
    """Synonyms of nouns, verbs, adjectives and adverbs, with the probability of the paper.

    Words that say little by themselves ("other", "not") have none: on them hangs what a sentence means.

    PerturbationError: this machine has no WordNet.
    """
    source = wordnet()

    def of(word: Word) -> tuple[str, ...]:
        return () if word.is_stop else synonyms(source, word.text, word.part, word.tag)

    return WordChoices(of, 0.35, "WordNet knows no other word for any.")
