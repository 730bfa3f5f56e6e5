"""Masked tokens: what a model like BERT or CodeBERT would put into a gap."""

from collections.abc import Sequence
from dataclasses import dataclass

from app.language_models.encoding import context_of
from app.language_models.libraries import torch_library
from app.language_models.loading import load
from app.language_models.padding import padded
from app.language_models.protocol import ModelError
from app.language_models.reading import read_in_batches
from app.language_models.spec import ModelSpec

GAP = "<mask>"


@dataclass(frozen=True, slots=True)
class Guess:
    """One token for a gap, as text, and its probability in [0, 1]."""

    text: str
    probability: float


class GapFiller:
    """A masked model as a function: texts with a gap each to the likeliest tokens. Opened for the first one."""

    def __init__(self, spec: ModelSpec, count: int) -> None:
        self._spec, self._count = spec, count
        self._model: MaskedModel | None = None

    def __call__(self, texts: Sequence[str]) -> list[list[Guess]]:
        """For each text ``count`` tokens, best first."""
        self._model = self._model or MaskedModel(self._spec)
        return self._model.fill(texts, self._count)


class MaskedModel:
    """Any model with a head for masked tokens (AutoModelForMaskedLM)."""

    def __init__(self, spec: ModelSpec) -> None:
        self._loaded = load(spec, "AutoModelForMaskedLM")
        self._context = context_of(self._loaded.model.config)
        if self._loaded.tokenizer.mask_token is None:
            raise ModelError(f"Model {spec.name!r} has no mask token; choose one that was trained to fill gaps.")
        self.signature = f"masked|model:{spec.name}|weights:{self._loaded.identity}"

    def fill(self, texts: Sequence[str], count: int = 5) -> list[list[Guess]]:
        """For the one gap (``<mask>``) of each text the most probable tokens, best first."""
        rows = [self._encode(number, text, len(texts)) for number, text in enumerate(texts, start=1)]
        numbers = 2 * self._loaded.model.config.vocab_size
        found = dict(
            read_in_batches(
                self._loaded, rows, numbers, lambda places: self._guess([rows[place] for place in places], count)
            )
        )
        return [found[place] for place in range(len(rows))]

    def _encode(self, number: int, text: str, of: int) -> list[int]:
        tokenizer = self._loaded.tokenizer
        ids: list[int] = tokenizer(text.replace(GAP, tokenizer.mask_token)).input_ids
        where = f"Text {number} of {of}"
        if ids.count(tokenizer.mask_token_id) != 1:
            raise ModelError(f"{where} has {ids.count(tokenizer.mask_token_id)} gaps; put one {GAP} into it.")
        if self._context is not None and len(ids) > self._context:
            raise ModelError(f"{where} has {len(ids)} tokens, but the context holds {self._context}; shorten it.")
        return ids

    def _guess(self, rows: list[list[int]], count: int) -> list[list[Guess]]:
        torch, tokenizer = torch_library(), self._loaded.tokenizer
        inputs = padded(rows, tokenizer.pad_token_id, self._loaded.device)
        with torch.inference_mode():
            logits = self._loaded.model(**inputs).logits
            gaps = logits[torch.arange(len(rows)), [row.index(tokenizer.mask_token_id) for row in rows]]
            best = torch.softmax(gaps.float(), dim=-1).topk(min(count, gaps.shape[-1]), dim=-1)
        return [
            [Guess(tokenizer.decode([token]), chance) for token, chance in zip(ids, chances, strict=True)]
            for ids, chances in zip(best.indices.tolist(), best.values.tolist(), strict=True)
        ]
