"""Text to tokens and back, with what differs between tokenizers."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from app.language_models.protocol import ModelError, Sampling
from app.language_models.stopping import cut_at_stop

# A tokenizer that knows no limit names an astronomic one.
NO_LIMIT = 1 << 30


@dataclass(frozen=True, slots=True)
class Encoded:
    """A prompt's tokens, and what they say when they are read back: where an answer begins."""

    ids: list[int]
    text: str | None  # None where the answer stands alone (encoder-decoder)


def context_of(config: Any) -> int | None:
    """How many tokens the model can see, or None if its positions have no end."""
    config = config.get_text_config() if hasattr(config, "get_text_config") else config
    for name in ("max_position_embeddings", "n_positions", "n_ctx", "max_target_positions"):
        limit = getattr(config, name, None)
        if isinstance(limit, int) and 0 < limit < NO_LIMIT:
            return limit
    return None


def encode(tokenizer: Any, text: str, sampling: Sampling, *, is_encoder_decoder: bool) -> Encoded:
    """Tokens of a prompt, through the chat template if it is wanted."""
    if sampling.chat:
        text = _as_chat(tokenizer, text)
    ids = list(tokenizer(text, add_special_tokens=not sampling.chat).input_ids)
    if is_encoder_decoder:
        return Encoded(ids, None)
    if len(ids) > 1 and ids[-1] == tokenizer.eos_token_id and not sampling.chat:
        ids.pop()  # some tokenizers end every text, but this one is to be continued
    if not ids:
        ids = [_first_token(tokenizer)]
    return Encoded(ids, _read(tokenizer, ids))


def decode(tokenizer: Any, prompt: Encoded, ids: list[int], stop: Sequence[str]) -> tuple[str, bool]:
    """What was written, and whether a stop string ended it.

    Read together with the prompt: alone, some tokenizers lose the space that a first word begins with.
    """
    text = None
    if prompt.text is not None:
        whole = _read(tokenizer, prompt.ids + ids)
        text = whole[len(prompt.text) :] if whole.startswith(prompt.text) else None
    return cut_at_stop(_read(tokenizer, ids) if text is None else text, stop)


def _as_chat(tokenizer: Any, text: str) -> str:
    if not tokenizer.chat_template:
        raise ModelError("This model has no chat template; ask it with plain prompts, or choose an instructed model.")
    turns = [{"role": "user", "content": text}]
    return str(tokenizer.apply_chat_template(turns, add_generation_prompt=True, tokenize=False))


def _first_token(tokenizer: Any) -> int:
    """An empty prompt is the beginning of a text."""
    for token in (tokenizer.bos_token_id, tokenizer.eos_token_id, tokenizer.pad_token_id):
        if token is not None:
            return int(token)
    return 0


def _read(tokenizer: Any, ids: list[int]) -> str:
    return str(tokenizer.decode(ids, skip_special_tokens=True, clean_up_tokenization_spaces=False))
