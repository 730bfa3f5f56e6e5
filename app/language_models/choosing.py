"""Choosing tokens and stopping, row by row, inside transformers' ``generate``.

``generate`` draws for a whole batch from one stream, so that a sample would depend on its batch-mates. Here each row
has its own stream: a logits processor draws for every row and leaves only what it drew, which ``generate``, told to
be greedy, then takes. Both classes are called as transformers' own are, without being derived from them.
"""

from collections.abc import Sequence
from typing import Any

from app.language_models.libraries import torch_library
from app.language_models.protocol import Check, Sampling, go_on
from app.language_models.stopping import find_stop, tail_tokens

LARGEST_SEED = 2**63
# Their mass is nearly always more than top-p asks for, and to find them costs a tenth of sorting a whole vocabulary.
LIKELIEST = 1024


class RowSampler:
    """Draws each row's next token from softmax(logits / temperature), cut to the top-p mass, with the row's own seed.

    By inversion: one uniform number a token, laid on the cumulated probabilities, so that rounding that differs from
    batch to batch moves a draw only where the number falls within that rounding.
    """

    def __init__(self, seeds: Sequence[int], sampling: Sampling, steps: int) -> None:
        torch = torch_library()
        self._sampling = sampling
        self._step = 0
        streams = [torch.Generator().manual_seed(seed % LARGEST_SEED) for seed in seeds]
        self._uniform = torch.stack([torch.rand(steps, generator=each, dtype=torch.float64) for each in streams])

    def __call__(self, _ids: Any, logits: Any) -> Any:
        torch = torch_library()
        chosen = draw(logits, self._uniform[:, self._step].to(logits.device), self._sampling)
        self._step += 1
        return torch.full_like(logits, -torch.inf).scatter_(1, chosen, 0.0)


def draw(logits: Any, uniform: Any, sampling: Sampling) -> Any:
    """Tokens drawn from logits of shape (rows, vocabulary) by uniform numbers of shape (rows,); shape (rows, 1)."""
    torch = torch_library()
    probabilities = torch.softmax(logits.double() / sampling.temperature, dim=-1)
    if sampling.top_p >= 1:
        return _picked(probabilities, uniform)
    most, order = torch.topk(probabilities, min(LIKELIEST, probabilities.shape[-1]), dim=-1)
    chosen = _picked_of(most, order, uniform, sampling.top_p)
    # Each row by itself, so that no row's draw hangs on its batch-mates.
    for row in (most.sum(-1) < sampling.top_p).nonzero().flatten().tolist():
        most, order = torch.sort(probabilities[row : row + 1], dim=-1, descending=True, stable=True)
        chosen[row] = _picked_of(most, order, uniform[row : row + 1], sampling.top_p)[0]
    return chosen


def _picked_of(most: Any, order: Any, uniform: Any, top_p: float) -> Any:
    """Of probabilities in falling order and the tokens that have them: one of those that make up the top-p mass."""
    before = most.cumsum(-1) - most
    return order.gather(1, _picked(most.masked_fill(before >= top_p, 0.0), uniform))


def _picked(probabilities: Any, uniform: Any) -> Any:
    torch = torch_library()
    cumulated = probabilities.cumsum(-1)
    places = torch.searchsorted(cumulated, uniform[:, None] * cumulated[:, -1:], right=True)
    return places.clamp_(max=probabilities.shape[-1] - 1)


class RowStops:
    """Ends a row at a stop string or at its own limit of tokens, and remembers after how many tokens that was.

    ``check`` is called at each token, and may end all of it by what it raises.
    """

    def __init__(
        self, tokenizer: Any, sampling: Sampling, start: int, limits: Sequence[int], check: Check = go_on
    ) -> None:
        self._check = check
        self._tokenizer, self._stop = tokenizer, sampling.stop
        self._start, self._limits = start, limits
        self._tail = tail_tokens(sampling.stop)
        self.ends: list[int | None] = [None] * len(limits)

    def __call__(self, ids: Any, _scores: Any, **_: Any) -> Any:
        self._check()
        torch = torch_library()
        count = ids.shape[1] - self._start
        ended = [row for row, limit in enumerate(self._limits) if self.ends[row] is None and count >= limit]
        if self._stop:
            open_rows = [row for row, end in enumerate(self.ends) if end is None]
            tails = ids[open_rows, max(self._start, ids.shape[1] - self._tail) :]
            texts = self._tokenizer.batch_decode(tails, skip_special_tokens=True, clean_up_tokenization_spaces=False)
            ended += [row for row, text in zip(open_rows, texts, strict=True) if find_stop(text, self._stop) >= 0]
        for row in ended:
            self.ends[row] = count
        return torch.tensor([end is not None for end in self.ends], device=ids.device)
