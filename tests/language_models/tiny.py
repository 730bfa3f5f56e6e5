"""Models of a few thousand random numbers, saved as transformers saves models: they know nothing, but run at once."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

WORDS = ["<pad>", "<s>", "</s>", "<unk>", "<mask>", *"def return if else for in x y z ( ) : = + - 1 2 3".split()]  # noqa: SIM905
CONTEXT = 48


@dataclass(frozen=True, slots=True)
class TinyModels:
    """Their folders."""

    causal: Path  # without a padding token, without a chat template, of a short context
    encoder_decoder: Path
    masked: Path


def make(folder: Path) -> TinyModels:
    """Make all three, the same ones each time."""
    import torch
    import transformers

    torch.manual_seed(0)
    sizes: dict[str, Any] = {
        "hidden_size": 16,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "vocab_size": len(WORDS),
    }
    ends: dict[str, Any] = {"bos_token_id": 1, "eos_token_id": 2}
    causal = transformers.LlamaForCausalLM(
        transformers.LlamaConfig(**sizes, **ends, intermediate_size=32, max_position_embeddings=CONTEXT)
    )
    both = transformers.T5ForConditionalGeneration(
        transformers.T5Config(
            vocab_size=len(WORDS), d_model=16, d_kv=8, d_ff=32, num_layers=2, num_heads=2, pad_token_id=0,
            eos_token_id=2, decoder_start_token_id=0, tie_word_embeddings=False,
        )
    )  # fmt: skip
    masked = transformers.BertForMaskedLM(
        transformers.BertConfig(**sizes, intermediate_size=32, max_position_embeddings=CONTEXT, pad_token_id=0)
    )
    made = TinyModels(folder / "causal", folder / "encoder_decoder", folder / "masked")
    for model, path in ((causal, made.causal), (both, made.encoder_decoder), (masked, made.masked)):
        model.save_pretrained(path)
        tokenizer(padding=path != made.causal, ends=path != made.causal).save_pretrained(path)
    return made


def tokenizer(*, padding: bool, ends: bool) -> Any:
    """One token a word."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    words = Tokenizer(models.WordLevel({word: number for number, word in enumerate(WORDS)}, unk_token="<unk>"))
    words.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    if ends:
        words.post_processor = processors.TemplateProcessing(
            single="<s> $A </s>", special_tokens=[("<s>", 1), ("</s>", 2)]
        )
    special = {"pad_token": "<pad>"} if padding else {}
    return PreTrainedTokenizerFast(
        tokenizer_object=words, bos_token="<s>", eos_token="</s>", unk_token="<unk>", mask_token="<mask>", **special
    )
