"""How likely a causal model finds a text: sums of the log-probabilities of its tokens."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from app.language_models.encoding import context_of
from app.language_models.libraries import torch_library
from app.language_models.loading import load
from app.language_models.padding import padded
from app.language_models.protocol import ModelError
from app.language_models.reading import read_in_batches
from app.language_models.spec import ModelSpec

# With which training texts of models that know no beginning-of-text token are kept apart, and so begin.
SEPARATOR = "<|endoftext|>"


@dataclass(frozen=True, slots=True)
class LogProbability:
    """Natural logarithm of a text's probability, at most 0, and how many tokens it was summed over."""

    total: float
    tokens: int

    @property
    def mean(self) -> float:
        """Per token; 0 for a text without tokens."""
        return self.total / self.tokens if self.tokens else 0.0


class LikelihoodModel:
    """A causal model that judges texts instead of writing them."""

    def __init__(self, spec: ModelSpec) -> None:
        self._loaded = load(spec, "AutoModelForCausalLM")
        self._start = _start_token(self._loaded.tokenizer)
        self._context = context_of(self._loaded.model.config)
        self.signature = f"log_probability|model:{spec.name}|weights:{self._loaded.identity}|start:{self._start}"

    def texts(self, texts: Sequence[str]) -> list[LogProbability]:
        """Log-probability of each text, as that of a document from its beginning."""
        return self._score([self._encode(text) for text in texts], [1] * len(texts))

    def continuations(self, pairs: Sequence[tuple[str, str]]) -> list[LogProbability]:
        """Log-probability of each second text behind its first one.

        Both are read as one text. Where a token spans the border, it counts as the second's.
        """
        wholes = [self._encode(prompt + rest) for prompt, rest in pairs]
        prompts = [self._encode(prompt) for prompt, _ in pairs]
        return self._score(wholes, [_common(*each) for each in zip(wholes, prompts, strict=True)])

    def _encode(self, text: str) -> list[int]:
        """Tokens behind the one that a document begins with."""
        ids = self._loaded.tokenizer(text, add_special_tokens=False).input_ids
        return [self._start, *ids]

    def _score(self, rows: list[list[int]], begins: list[int]) -> list[LogProbability]:
        for number, row in enumerate(rows, start=1):
            if self._context is not None and len(row) > self._context:
                raise ModelError(
                    f"Text {number} of {len(rows)} has {len(row)} tokens, but the context holds {self._context}; "
                    "shorten it or choose a model with a longer context."
                )
        totals = dict(
            read_in_batches(
                self._loaded,
                rows,
                2 * self._loaded.model.config.vocab_size,
                lambda places: self._sum([rows[place] for place in places], [begins[place] for place in places]),
            )
        )
        counts = [len(row) - begin for row, begin in zip(rows, begins, strict=True)]
        return [LogProbability(totals[place], count) for place, count in enumerate(counts)]

    def _sum(self, rows: list[list[int]], begins: list[int]) -> list[float]:
        """Of each row the log-probabilities of the tokens from its beginning on, given all before them."""
        inputs = padded(rows, self._loaded.tokenizer.pad_token_id, self._loaded.device)
        with torch_library().inference_mode():
            logits = self._loaded.model(**inputs).logits[:, :-1].float()
            targets = inputs["input_ids"][:, 1:, None]
            each = logits.gather(-1, targets)[..., 0] - logits.logsumexp(-1)
        # Padding is at the right, which nothing before it sees.
        return [
            float(each[place, begin - 1 : len(row) - 1].double().sum())
            for place, (row, begin) in enumerate(zip(rows, begins, strict=True))
        ]


def _common(whole: list[int], prompt: list[int]) -> int:
    pairs = zip(whole, prompt, strict=False)
    return next((place for place, (one, other) in enumerate(pairs) if one != other), min(len(whole), len(prompt)))


def _start_token(tokenizer: Any) -> int:
    known = tokenizer.get_vocab()
    if SEPARATOR in known:
        return int(known[SEPARATOR])
    for token in (tokenizer.bos_token_id, tokenizer.eos_token_id):
        if token is not None:
            return int(token)
    raise ModelError("This model has no token that a text begins with, so that its first token has no probability.")
