"""The encoder that a metric compares texts with: chosen by name, loaded when the first text is scored.

Metrics are listed and made where no model can run, so that neither may load one, nor need its libraries.
"""

from collections.abc import Callable, Sequence
from typing import TypeVar

from app.language_models import ModelError, ModelSpec
from app.language_models.embeddings import Encoder, encoder, encoder_name
from app.metrics.protocol import MetricError, Segment

DEFAULT_ENCODER = "packaged:minilm"
# Rounding differs with the batch and the machine by less than this: scores are rounded so that it doesn't show.
DECIMALS = 5

Embedded = TypeVar("Embedded")


class ChosenEncoder:
    """An encoder by its folder, hub id or packaged name."""

    def __init__(self, name: str, revision: str | None, device: str) -> None:
        self._spec = ModelSpec("hugging_face", name, revision=revision, device=device)

    @property
    def name(self) -> str:
        """For signatures: with what tells its files from others; MetricError if a packaged one is missing."""
        try:
            return encoder_name(self._spec)
        except ModelError as error:
            raise MetricError(str(error)) from error

    def open(self) -> Encoder:
        """The encoder, loaded; MetricError says what is missing."""
        try:
            return encoder(self._spec)
        except ModelError as error:
            raise MetricError(str(error)) from error


def embed_once(segments: Sequence[Segment], embed: Callable[[list[str]], Sequence[Embedded]]) -> dict[str, Embedded]:
    """Embeddings of all outputs and references by their text: systems share references, and often outputs."""
    texts = list(dict.fromkeys(text for output, known in segments for text in (output, *known) if text.strip()))
    return dict(zip(texts, embed([_storable(text) for text in texts]), strict=True))


def _storable(text: str) -> str:
    """Without lone surrogates, which tokenizers can't read."""
    return text.encode("utf-8", "replace").decode("utf-8")
