"""What a model is asked and what it answers, whichever backend it is."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

Check = Callable[[], None]


def go_on() -> None:
    """The check of a caller that never stops a model."""


class ModelError(RuntimeError):
    """A model can't be loaded or asked; the message says what to change."""


@dataclass(frozen=True, slots=True)
class Sampling:
    """How tokens are chosen. ``temperature`` 0 is greedy: every sample of a prompt is the same."""

    temperature: float = 0.0
    top_p: float = 1.0
    max_tokens: int = 512
    stop: tuple[str, ...] = ()
    chat: bool = False  # through the tokenizer's chat template, else the plain prompt


@dataclass(frozen=True, slots=True)
class Prompt:
    """One text to be continued. ``key`` names it among its siblings; ``seed`` decides what is sampled for it."""

    key: str
    text: str
    seed: int


@dataclass(frozen=True, slots=True)
class Completion:
    """What a model wrote for one prompt, uncut but for the stop strings, or why it wrote nothing."""

    key: str
    text: str
    finish: str  # "stop", "length" or "error"
    prompt_tokens: int
    tokens: int
    seconds: float  # its share of its batch's time
    trouble: str | None = None  # of an error: what to change; such a completion is not a model's empty answer


class LanguageModel(Protocol):
    """A model that writes. Holds memory until closed."""

    name: str

    @property
    def signature(self) -> str:
        """All that decides what it writes but prompt and sampling: backend, model, revision, precision, versions."""
        ...

    def generate(self, prompts: Sequence[Prompt], sampling: Sampling, check: Check = go_on) -> Iterator[Completion]:
        """Completions as they are done, in any order: a caller stores each batch and can stop between two.

        ``check`` is called again and again while it writes, and costs nothing: what it raises ends the asking, in the
        middle of a batch, too, which may take minutes.
        """
        ...

    def close(self) -> None:
        """Let go of what it holds."""
        ...
