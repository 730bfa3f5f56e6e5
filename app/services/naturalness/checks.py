"""The automatic checks: how alike what a transformation made of a problem is to the problem itself.

ReCode's: the cosine of sentence embeddings for docstrings and for function names split into words (Table 9), and
CodeBLEU's syntax and data flow for syntax and format (Tables 7 and 10). Beside these the cosine of the code, too, so
that both kinds of check can be compared on the same rows. Each compares texts of one kind only: cosines of docstrings
and of names are no common measure.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar, NamedTuple

from app.metrics.codebleu import CodeBleu
from app.metrics.embedding_cosine import EmbeddingCosine
from app.metrics.protocol import Segment
from app.perturbations import Category, Problem
from app.perturbations.docstrings import find_docstring
from app.perturbations.name_parts import is_respelled, split_name

Scores = tuple[float | None, ...]


class Change(NamedTuple):
    """A nominal problem and what a transformation made of it."""

    original: Problem
    changed: Problem


class Check(ABC):
    """Scores changes of some categories, by one or more names that are computed together."""

    names: ClassVar[tuple[str, ...]]
    categories: ClassVar[tuple[Category, ...]]

    @property
    @abstractmethod
    def signature(self) -> str:
        """All that decides the scores."""

    @abstractmethod
    def score(self, changes: Sequence[Change]) -> list[Scores]:
        """Of each change a score in [0, 1] for each name, 1 meaning the same; None where nothing can be compared."""


class Cosine(Check):
    """Of sentence embeddings of a part of both prompts, which a subclass finds."""

    part: ClassVar[str]

    def __init__(self) -> None:
        self._metric = EmbeddingCosine()

    @property
    def signature(self) -> str:
        """With the encoder and the text; MetricError where there is no encoder."""
        return f"{self._metric.signature}|text:{self.part}"

    def score(self, changes: Sequence[Change]) -> list[Scores]:
        """A problem without that part has no score."""
        texts = [self.texts(each) for each in changes]
        pairs = [(original, changed) for original, changed in texts if original and changed]
        known = self._metric.score_segments([Segment(changed, (original,)) for original, changed in pairs])
        scores = dict(zip(pairs, known.scores.tolist(), strict=True))
        return [(scores.get((original or "", changed or "")),) for original, changed in texts]

    def texts(self, change: Change) -> tuple[str | None, str | None]:
        """What is embedded: of the original, and of what was made of it."""
        return self.text(change.original), self.text(change.changed)

    @abstractmethod
    def text(self, problem: Problem) -> str | None:
        """The part of one problem."""


class DocstringCosine(Cosine):
    """Of what stands between the quotes of the docstring."""

    names = ("cosine_docstring",)
    categories = (Category.DOCSTRING,)
    part = "docstring"

    def text(self, problem: Problem) -> str | None:
        """Without the quotes."""
        span = find_docstring(problem)
        return None if span is None else problem.prompt[span.start : span.end].strip()


class NameCosine(Cosine):
    """Of the function's name, as words."""

    names = ("cosine_name",)
    categories = (Category.FUNCTION_NAME,)
    part = "name-words-2"  # 2: a name that is only written in another way keeps its words

    def texts(self, change: Change) -> tuple[str | None, str | None]:
        """Capitals that came by chance (``inTersPerse``) begin no words: the original's words are the name's own."""
        original = self.text(change.original)
        same = is_respelled(change.original.entry_point, change.changed.entry_point)
        return original, original if same else self.text(change.changed)

    def text(self, problem: Problem) -> str | None:
        """``has_close_elements``: has close elements."""
        return " ".join(split_name(problem.entry_point).words)


class CodeCosine(Cosine):
    """Of the prompt with the half of the solution that it shows."""

    names = ("cosine_code",)
    categories = (Category.SYNTAX, Category.FORMAT)
    part = "prompt"

    def text(self, problem: Problem) -> str | None:
        """As models see it."""
        return problem.prompt


class CodeParts(Check):
    """CodeBLEU's syntax and data flow of whole programs: half of one mostly does not parse, and has no data flow."""

    names = ("codebleu_syntax", "codebleu_dataflow")
    categories = (Category.SYNTAX, Category.FORMAT)

    def __init__(self) -> None:
        self._metric = CodeBleu()

    @property
    def signature(self) -> str:
        """CodeBLEU's own."""
        return f"{self._metric.signature}|text:program"

    def score(self, changes: Sequence[Change]) -> list[Scores]:
        """No data flow where the original doesn't parse or mentions nothing twice."""
        pairs = [(_program(each.original), _program(each.changed)) for each in changes]
        return [(each.syntax, each.data_flow) for each in self._metric.components_of(pairs)]


def _program(problem: Problem) -> str:
    return problem.prompt + problem.canonical_solution


def checks_for(language: str) -> tuple[Check, ...]:
    """Those that can read the language, what needs no model first."""
    return (CodeParts(), DocstringCosine(), NameCosine(), CodeCosine()) if language == "python" else ()


NAMES = tuple(name for check in (DocstringCosine, NameCosine, CodeCosine, CodeParts) for name in check.names)
