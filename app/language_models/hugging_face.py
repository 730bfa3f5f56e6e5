"""Generation with transformers: any causal or encoder-decoder model, batched, each row with a stream of its own."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from time import perf_counter
from typing import Any

from app.language_models.batching import in_batches
from app.language_models.choosing import RowSampler, RowStops
from app.language_models.encoding import Encoded, context_of, decode, encode
from app.language_models.libraries import torch_library, transformers_library
from app.language_models.loading import load
from app.language_models.memory import is_out_of_memory, let_go, rows_that_fit
from app.language_models.protocol import Check, Completion, ModelError, Prompt, Sampling, go_on
from app.language_models.spec import ModelSpec
from app.language_models.threads import Threads


@dataclass(frozen=True, slots=True)
class _Row:
    prompt: Prompt
    encoded: Encoded
    limit: int  # of new tokens


class HuggingFaceModel:
    """A model of transformers on one device."""

    def __init__(self, spec: ModelSpec, *, most_rows: int | None = None) -> None:
        loaded = load(spec, "writer")
        self.name = spec.shown
        self._model, self._tokenizer, self._device = loaded.model, loaded.tokenizer, loaded.device
        self._most_rows = most_rows
        self._threads = Threads() if self._device.type == "cpu" else None
        self._is_encoder_decoder = bool(self._model.config.is_encoder_decoder)
        self._context = context_of(self._model.config)
        self.signature = _signature(spec, loaded.identity, self._model)
        self._ends = _set_defaults(self._model, self._tokenizer)

    def generate(self, prompts: Sequence[Prompt], sampling: Sampling, check: Check = go_on) -> Iterator[Completion]:
        """Completions batch by batch, those of the longest prompts first.

        Greedy answers ignore the seeds: what is asked several times is answered once, for all who ask it.
        """
        asked = _alike(prompts, sampling)
        for answer in self._generate([twins[0] for twins in asked.values()], sampling, check):
            twins = asked[answer.key]
            yield from (replace(answer, key=twin.key, seconds=answer.seconds / len(twins)) for twin in twins)

    def _generate(self, prompts: Sequence[Prompt], sampling: Sampling, check: Check) -> Iterator[Completion]:
        rows, refused = self._prepare(prompts, sampling)
        yield from refused
        lengths = [len(row.encoded.ids) + row.limit for row in rows]
        batches = in_batches(
            lengths,
            lambda places: self._answer([rows[place] for place in places], sampling, check),
            fits=self._fits,
            is_out_of_memory=is_out_of_memory,
            recover=partial(let_go, self._device),
        )
        for places, answers in batches:
            yield from [_too_large(rows[places[0]])] if isinstance(answers, BaseException) else answers

    def close(self) -> None:
        """Let go of the model and of the device's memory."""
        self._model = self._tokenizer = None
        let_go(self._device)

    def _prepare(self, prompts: Sequence[Prompt], sampling: Sampling) -> tuple[list[_Row], list[Completion]]:
        if self._model is None:
            raise ModelError(f"Model {self.name!r} was closed; open it again.")
        rows, refused = [], []
        for prompt in prompts:
            encoded = encode(self._tokenizer, prompt.text, sampling, is_encoder_decoder=self._is_encoder_decoder)
            room = self._room(len(encoded.ids))
            if room < 1:
                refused.append(self._too_long(prompt, len(encoded.ids)))
            else:
                rows.append(_Row(prompt, encoded, min(sampling.max_tokens, room)))
        return rows, refused

    def _room(self, tokens: int) -> int:
        """How many tokens the context leaves for the answer; an encoder-decoder's answer has a context of its own."""
        if self._context is None:
            return 1 << 30
        if self._is_encoder_decoder:
            return self._context if tokens <= self._context else 0
        return self._context - tokens

    def _too_long(self, prompt: Prompt, tokens: int) -> Completion:
        trouble = (
            f"The prompt has {tokens} tokens, but the context of {self.name} holds {self._context}, answer included; "
            "shorten the prompt or choose a model with a longer context."
        )
        return Completion(prompt.key, "", "error", tokens, 0, 0.0, trouble)

    def _fits(self, tokens: int) -> int:
        fitting = rows_that_fit(self._model.config, self._device, tokens, self._model.dtype.itemsize)
        return fitting if self._most_rows is None else min(fitting, self._most_rows)

    def _answer(self, rows: list[_Row], sampling: Sampling, check: Check) -> list[Completion]:
        began = perf_counter()
        if self._threads:
            self._threads.adjust()
        inputs = self._pad([row.encoded.ids for row in rows])
        start = 1 if self._is_encoder_decoder else inputs["input_ids"].shape[1]
        limits = [row.limit for row in rows]
        stops = RowStops(self._tokenizer, sampling, start, limits, check)
        processors = []
        if sampling.temperature > 0:
            processors.append(RowSampler([row.prompt.seed for row in rows], sampling, max(limits)))
        with torch_library().inference_mode():
            written = self._model.generate(
                **inputs,
                max_new_tokens=max(limits),
                do_sample=False,
                logits_processor=processors,
                stopping_criteria=[stops],
            )
        answers = written[:, start:].tolist()
        seconds = (perf_counter() - began) / len(rows)
        return [
            self._complete(row, ids, end, sampling, seconds)
            for row, ids, end in zip(rows, answers, stops.ends, strict=True)
        ]

    def _pad(self, prompts: list[list[int]]) -> dict[str, Any]:
        """Rows of one length. A decoder goes on at the right end, so its padding is at the left."""
        torch = torch_library()
        longest = max(map(len, prompts))

        def padded(row: list[int], filler: int) -> list[int]:
            filling = [filler] * (longest - len(row))
            return row + filling if self._is_encoder_decoder else filling + row

        ids = [padded(row, self._tokenizer.pad_token_id) for row in prompts]
        mask = [padded([1] * len(row), 0) for row in prompts]
        return {
            "input_ids": torch.tensor(ids, device=self._device),
            "attention_mask": torch.tensor(mask, device=self._device),
        }

    def _complete(self, row: _Row, ids: list[int], end: int | None, sampling: Sampling, seconds: float) -> Completion:
        eos = next((place for place, token in enumerate(ids) if token in self._ends), None)
        count = min(end if end is not None else len(ids), len(ids) if eos is None else eos + 1)
        kept = ids[: count - 1] if eos is not None and eos < count else ids[:count]
        text, stopped = decode(self._tokenizer, row.encoded, kept, sampling.stop)
        is_over = stopped or (eos is not None and eos < count)
        return Completion(row.prompt.key, text, "stop" if is_over else "length", len(row.encoded.ids), count, seconds)


def _alike(prompts: Sequence[Prompt], sampling: Sampling) -> dict[str, list[Prompt]]:
    """Prompts that have the same answer, by the key of the first of them."""
    alike: dict[tuple[str, str], list[Prompt]] = {}
    for prompt in prompts:
        alike.setdefault((prompt.text, prompt.key if sampling.temperature > 0 else ""), []).append(prompt)
    return {twins[0].key: twins for twins in alike.values()}


def _too_large(row: _Row) -> Completion:
    tokens = len(row.encoded.ids)
    trouble = (
        f"The prompt's {tokens} tokens and {row.limit} of an answer don't fit into memory, even alone; "
        "lower the token limit, or choose a smaller model or another device."
    )
    return Completion(row.prompt.key, "", "error", tokens, 0, 0.0, trouble)


def _signature(spec: ModelSpec, identity: str, model: Any) -> str:
    versions = {"torch": torch_library().__version__, "transformers": transformers_library().__version__}
    parts = {"backend": "hugging_face", "model": spec.name, "weights": identity, "dtype": str(model.dtype)}
    parts["dtype"] = parts["dtype"].removeprefix("torch.")
    parts["device"] = model.device.type
    return "|".join(f"{key}:{value}" for key, value in (parts | versions).items())


def _set_defaults(model: Any, tokenizer: Any) -> frozenset[int]:
    """Leave of a model's own generation settings only its special tokens; returns those that end a text.

    The rest (a temperature, a repetition penalty) would change what is sampled without being asked for.
    """
    own = model.generation_config
    ends = _as_set(own.eos_token_id) | _as_set(model.config.eos_token_id) | _as_set(tokenizer.eos_token_id)
    kept = {
        name: value
        for name in ("bos_token_id", "decoder_start_token_id", "forced_bos_token_id")
        if (value := getattr(own, name, None) or getattr(model.config, name, None)) is not None
    }
    model.generation_config = transformers_library().GenerationConfig(
        eos_token_id=sorted(ends) or None, pad_token_id=tokenizer.pad_token_id, **kept
    )
    return frozenset(ends)


def _as_set(ids: int | list[int] | None) -> set[int]:
    return set() if ids is None else {ids} if isinstance(ids, int) else set(ids)
