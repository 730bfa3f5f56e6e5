"""Texts and their tokens as vectors of an encoder."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.language_models.encoding import context_of
from app.language_models.identity import folder_identity
from app.language_models.libraries import torch_library
from app.language_models.loading import load, model_folder
from app.language_models.padding import padded
from app.language_models.reading import read_in_batches
from app.language_models.spec import ModelSpec

Vectors = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class TokenEmbeddings:
    """A text's tokens, without those that every text gets, and their vectors of shape (tokens, width)."""

    tokens: tuple[str, ...]
    vectors: Vectors


class Encoder:
    """An encoder of transformers, with mean pooling."""

    def __init__(self, spec: ModelSpec) -> None:
        self._loaded = load(spec, "AutoModel")
        self._limit = _limit(spec, self._loaded.model.config)

    def sentences(self, texts: Sequence[str]) -> Vectors:
        """Vectors of length 1, one a text, of shape (texts, width): the mean of its tokens' vectors.

        As sentence-transformers does for all-MiniLM (Reimers & Gurevych 2019, mean pooling and normalisation), with
        its limit: what is beyond it is not read.
        """
        pooled = self._run(texts, None, _mean)
        return np.stack([pooled[place] for place in range(len(texts))]) if pooled else np.zeros((0, 0), np.float32)

    def tokens(self, texts: Sequence[str], layer: int | None = None) -> list[TokenEmbeddings]:
        """Each text's tokens with their vectors in a layer (0: before the first), the last one if none is given."""
        found = self._run(texts, layer, lambda vectors, mask: vectors[mask.bool()].cpu().numpy())
        rows = self._encode(texts)
        return [self._without_special(row, found[place]) for place, row in enumerate(rows)]

    def _run(self, texts: Sequence[str], layer: int | None, pool: Any) -> dict[int, Vectors]:
        rows = self._encode(texts)
        config = self._loaded.model.config
        numbers = 4 * config.hidden_size * (1 if layer is None else config.num_hidden_layers + 1)

        def run(places: list[int]) -> list[Vectors]:
            filler = self._loaded.tokenizer.pad_token_id
            inputs = padded([rows[place] for place in places], filler, self._loaded.device)
            with torch_library().inference_mode():
                output = self._loaded.model(**inputs, output_hidden_states=layer is not None)
            states = output.last_hidden_state if layer is None else output.hidden_states[layer]
            return [pool(*each) for each in zip(states.float(), inputs["attention_mask"], strict=True)]

        return dict(read_in_batches(self._loaded, rows, numbers, run))

    def _encode(self, texts: Sequence[str]) -> list[list[int]]:
        if not texts:
            return []
        options = {"truncation": True, "max_length": self._limit} if self._limit else {}
        rows: list[list[int]] = self._loaded.tokenizer(list(texts), **options).input_ids
        return [row or [self._loaded.tokenizer.pad_token_id] for row in rows]

    def _without_special(self, row: list[int], vectors: Vectors) -> TokenEmbeddings:
        special = set(self._loaded.tokenizer.all_special_ids) - {self._loaded.tokenizer.unk_token_id}
        kept = [place for place, token in enumerate(row) if token not in special]
        names = self._loaded.tokenizer.convert_ids_to_tokens([row[place] for place in kept])
        return TokenEmbeddings(tuple(names), vectors[kept])


def _mean(vectors: Any, mask: Any) -> Vectors:
    torch = torch_library()
    pooled = vectors[mask.bool()].mean(dim=0)
    return np.asarray(torch.nn.functional.normalize(pooled, dim=0).cpu().numpy())


def _limit(spec: ModelSpec, config: Any) -> int | None:
    """Tokens that are read: what sentence-transformers would read of such a folder, else the model's context."""
    folder = model_folder(spec)
    file = folder / "sentence_bert_config.json" if folder else None
    if file and file.exists():
        return int(json.loads(file.read_text(encoding="utf-8"))["max_seq_length"])
    context = context_of(config)
    # RoBERTa's positions begin behind the number of its padding token.
    behind = (config.pad_token_id or 0) + 1 if config.model_type in ("roberta", "xlm-roberta", "camembert") else 0
    return None if context is None else context - behind


def encoder_name(spec: ModelSpec) -> str:
    """Which encoder this is, for a signature, without loading it: its name and what tells its files from others."""
    folder: Path | None = model_folder(spec)
    version = folder_identity(folder)[:12] if folder else spec.revision or "main"
    return f"{spec.name.rsplit('/', 1)[-1] if folder else spec.name}@{version}"


@lru_cache(maxsize=1)
def encoder(spec: ModelSpec) -> Encoder:
    """The encoder of this choice; the last one is kept."""
    return Encoder(spec)
