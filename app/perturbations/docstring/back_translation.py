"""BackTranslation: the docstring goes into another language and comes back."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from app.perturbations.edits import Edit
from app.perturbations.paragraphs import on_lines_of, paragraphs
from app.perturbations.prose import Prose, edited, read_prose, with_prompt
from app.perturbations.protected import protected, protected_names, protected_words
from app.perturbations.protocol import Category, Mode, Outcome, Perturbed, Problem, Rule, Unchanged
from app.perturbations.registry import register

# Texts there and back again, in their order.
Translate = Callable[[Sequence[str]], Sequence[str]]

RELEASED_SAME = "What was released is unchanged."
HARMED = "What was released also changes an example, or has lost a name or a quotation."
SAME = "Back from the other language, no paragraph says anything else, or each has lost a name or a quotation."


@register
class BackTranslation(Rule):
    """Each paragraph of the prose by itself, kept as it was where a name, a quotation or a line would be lost.

    Who has translators gives them (``BackTranslation(translate)``); who has the released prompts gives those, by the
    problems' keys. Without translators the released prompts are taken in the paper's mode, too, as far as they parse
    and changed nothing but prose, which keeps its names and quotations.
    """

    category = Category.DOCSTRING
    label = "BackTranslation"
    released_name = "BackTranslation"
    asks_a_model = True

    def __init__(
        self, translate: Translate | None = None, released: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        self._translate, self._released = translate, released

    def missing(self) -> str | None:
        """Translators, and what was released."""
        if self._translate or self._released:
            return None
        return (
            "no pair of translation models is set; name two in CODEJURY_BACK_TRANSLATION, "
            "or import the released files of the same problems, whose text is then taken."
        )

    def perturb(self, problem: Problem, seed: int, mode: Mode = Mode.PAPER) -> Outcome:
        """See ``Transformation``."""
        return self.perturb_all([problem], seed, mode)[0]

    def perturb_all(self, problems: Sequence[Problem], seed: int, mode: Mode = Mode.PAPER) -> list[Outcome]:
        """All texts go to the translators together."""
        for problem in problems:
            self.check(problem, mode)
        if mode is Mode.RELEASED or self._translate is None:
            return [self._as_released(problem, mode) for problem in problems]
        proses = [read_prose(problem) for problem in problems]
        texts = {text: None for each in proses if isinstance(each, Prose) for text in _texts(each)}
        back = dict(zip(texts, self._translate(list(texts)), strict=True)) if texts else {}
        return [_translated(*pair, back) for pair in zip(problems, proses, strict=True)]

    def _as_released(self, problem: Problem, mode: Mode) -> Outcome:
        prompt = self._released.get(problem.key)
        if prompt is None:
            return Unchanged("Nothing was released for this problem.")
        if mode is Mode.RELEASED:
            return with_prompt(problem, prompt, RELEASED_SAME, is_checked=False)
        outcome = with_prompt(problem, prompt, RELEASED_SAME)
        if isinstance(outcome, Perturbed) and prompt.split() == problem.prompt.split():
            return Unchanged(RELEASED_SAME)
        return outcome if isinstance(outcome, Unchanged) or _is_prose_alone(problem, prompt) else Unchanged(HARMED)


class Translated(BackTranslation):
    """With translators alone: there is nothing released that it could take."""

    modes = frozenset({Mode.PAPER})


def _texts(prose: Prose) -> list[str]:
    return [" ".join(paragraph.split()) for _, paragraph in paragraphs(prose.text)]


def _translated(problem: Problem, prose: Prose | Unchanged, back: Mapping[str, str]) -> Outcome:
    if isinstance(prose, Unchanged):
        return prose
    names = protected_names(problem)
    edits = [
        Edit(start, start + len(paragraph), text)
        for start, paragraph in paragraphs(prose.text)
        if (text := _on_its_lines(paragraph, back[" ".join(paragraph.split())], names)) is not None
    ]
    return edited(problem, prose, edits, SAME)


def _on_its_lines(paragraph: str, translated: str, names: frozenset[str]) -> str | None:
    """None where it says nothing else, or where something would be lost."""
    if translated.split() == paragraph.split():
        return None
    text = on_lines_of(paragraph, _words(" ".join(translated.split()), names))
    return None if text is None or _loses(paragraph, text, names) else text


def _words(text: str, names: frozenset[str]) -> list[str]:
    """Words, of which a quotation or a list is one: none of these is broken over two lines."""
    kept = protected(text, names)
    apart = "".join("\n" if each == " " and not kept[place] else each for place, each in enumerate(text))
    return [each for each in apart.split("\n") if each]


def _loses(text: str, translated: str, names: frozenset[str]) -> bool:
    """Whether a name or a quotation is gone."""
    return bool(Counter(protected_words(text, names)) - Counter(protected_words(translated, names)))


def _is_prose_alone(problem: Problem, prompt: str) -> bool:
    """Whether another prompt differs in the docstring's prose only, and keeps what is protected there."""
    prose = read_prose(problem)
    if isinstance(prose, Unchanged):
        return False
    before, behind = problem.prompt[: prose.start], problem.prompt[prose.start + len(prose.text) :]
    text = prompt.removeprefix(before).removesuffix(behind)
    return before + text + behind == prompt and not _loses(prose.text, text, protected_names(problem))
