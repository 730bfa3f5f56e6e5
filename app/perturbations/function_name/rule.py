"""What all changes of a function's name have in common: a new name is made, and the problem renamed."""

from abc import abstractmethod
from dataclasses import replace
from typing import ClassVar

from app.perturbations.character_rules import CharacterRules
from app.perturbations.name_parts import split_name
from app.perturbations.parts_of_speech import Word, lacking_packages, read_words
from app.perturbations.prose import why_unchanged
from app.perturbations.protocol import Category, Mode, Outcome, Perturbed, Problem, Rule, Unchanged
from app.perturbations.renaming import renamed
from app.perturbations.seeds import generator
from app.perturbations.word_choices import WordChoices


def renamed_as_released(problem: Problem, new: str, unchanged: str) -> Outcome:
    """The name replaced in the prompt wherever its letters stand, inside other words too, and nowhere else.

    The released files leave canonical solution and tests as they were, so a recursive solution fails. ``unchanged``:
    the reason where the new name is the old one.
    """
    new = "".join(each for each in new if each.isalnum() or each == "_")
    prompt = problem.prompt.replace(problem.entry_point, new)
    if prompt == problem.prompt:
        return Unchanged(unchanged if new == problem.entry_point else "The prompt does not name the function.")
    return Perturbed(replace(problem, prompt=prompt, entry_point=new))


class NameCharacterChanges(Rule):
    """Changes of single characters, of which the released files are known byte for byte."""

    category = Category.FUNCTION_NAME
    is_random = True
    rules: ClassVar[CharacterRules]

    def perturb(self, problem: Problem, seed: int, mode: Mode = Mode.PAPER) -> Outcome:
        """See ``Transformation``."""
        self.check(problem, mode)
        name = problem.entry_point
        if mode is Mode.RELEASED:
            unchanged = why_unchanged(could_change=self.rules.released_could(name))
            return renamed_as_released(problem, self.rules.released(name, seed), unchanged)
        new = self.rules.paper(name, [True] * len(name), generator(self.name, problem.key, seed))
        if new == name:
            return Unchanged(why_unchanged(could_change=self.rules.paper_could(name)))
        return renamed(problem, new)


class NameWordChanges(Rule):
    """Changes of the words that a name is made of, by the paper's rules; see ``docstring.rule.WordChanges``."""

    category = Category.FUNCTION_NAME
    is_random = True
    modes = frozenset({Mode.PAPER})

    def missing(self) -> str | None:
        """spaCy, its model or lemminflect."""
        return lacking_packages()

    def perturb(self, problem: Problem, seed: int, mode: Mode = Mode.PAPER) -> Outcome:
        """See ``Transformation``."""
        self.check(problem, mode)
        parts, choices = split_name(problem.entry_point), self.choices()
        random, words = generator(self.name, problem.key, seed), _words(parts.words)
        changed = [old if word is None else choices.draw(word, random) or old for old, word in words]
        new = parts.joined(changed)
        if new == problem.entry_point:
            return Unchanged(choices.why_unchanged(word for _, word in words if word is not None))
        return renamed(problem, new)

    @abstractmethod
    def choices(self) -> WordChoices:
        """What may become of a word."""


def _words(parts: tuple[str, ...]) -> list[tuple[str, Word | None]]:
    """Each part of a name, and what spaCy says of it among the others; None of what is no word of letters."""
    known = {(word.start, word.text): word for word in read_words(" ".join(parts))}
    starts = [sum(len(each) + 1 for each in parts[:place]) for place in range(len(parts))]
    return [
        (part, known.get((start, part)) if part.isalpha() else None)
        for part, start in zip(parts, starts, strict=True)
    ]
