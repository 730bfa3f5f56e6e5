"""GGUF files: converted once into a plain folder, which loads in a second instead of half a minute.

The weights are unpacked to float32, exactly what reading the GGUF file itself gives.
"""

import shutil
from hashlib import file_digest
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from app.language_models.libraries import torch_library, transformers_library
from app.language_models.protocol import ModelError

# A conversion of another number is made anew: raise it when what is written here changes.
FORMAT = 1
# Tokens that end a text or a turn, as llama.cpp knows them; a GGUF file names one, models write any.
END_TOKENS = frozenset(
    {
        "<|endoftext|>",
        "<|im_end|>",
        "<|eot_id|>",
        "<|eom_id|>",
        "<|end_of_text|>",
        "<|end_of_turn|>",
        "<|end|>",
        "<|EOT|>",
        "<|return|>",
        "<end_of_turn>",
        "<eos>",
        "</s>",
        "<|end▁of▁sentence|>",
    }
)


def converted(file: Path, cache_dir: Path) -> Path:
    """Folder in ``cache_dir`` with the model of this GGUF file; converted if it isn't there yet.

    The folder is named by the file's content and the version of transformers. It appears whole or not at all, so
    a process that was killed leaves nothing that could be taken for a model.
    """
    target = cache_dir / f"{file.stem}-{_name(file)}"
    if target.exists():
        return target
    cache_dir.mkdir(parents=True, exist_ok=True)
    unfinished = Path(mkdtemp(prefix=".unfinished-", dir=cache_dir))
    try:
        _convert(file, unfinished)
        _put(unfinished, target)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    return target


def _name(file: Path) -> str:
    try:
        with file.open("rb") as content:
            if content.read(4) != b"GGUF":
                raise ModelError(f"{file.name} is not a GGUF file; give a file of that format, or a folder.")
            content.seek(0)
            digest = file_digest(content, "sha256").hexdigest()
    except OSError as error:
        raise ModelError(f"The GGUF file {file} can't be read: {error.strerror}; give another path.") from error
    return f"{digest[:16]}-{transformers_library().__version__}-{FORMAT}"


def _put(made: Path, target: Path) -> None:
    made.chmod(0o755)
    try:
        made.rename(target)
    except OSError:
        if not target.exists():  # else another process was first, with the same content
            raise


def _convert(file: Path, folder: Path) -> None:
    try:
        tokenizer = _read_tokenizer(file)
        model = _read_model(file)
    except (ValueError, KeyError, NotImplementedError, RuntimeError, ImportError) as error:
        raise ModelError(f"The GGUF file {file.name} can't be converted: {error}") from error
    _set_ends(model, tokenizer)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def _read_model(file: Path) -> Any:
    torch, transformers = torch_library(), transformers_library()
    packed = transformers.AutoModelForCausalLM.from_pretrained(  # a file that lies here  # nosec B615
        file.parent,
        gguf_file=file.name,
        dtype=torch.float32,
        quantization_config=transformers.GgufConfig(dequantize=True),
    )
    # A model that was read from GGUF counts as quantized and can't be saved; one of its configuration can.
    config = packed.config
    if hasattr(config, "quantization_config"):
        del config.quantization_config
    model = transformers.AutoModelForCausalLM.from_config(config, dtype=torch.float32)
    model.load_state_dict(packed.state_dict())
    model.tie_weights()
    return model


def _read_tokenizer(file: Path) -> Any:
    tokenizer = transformers_library().AutoTokenizer.from_pretrained(file.parent, gguf_file=file.name)
    if _pre_tokenizer(file) == "smollm":
        from tokenizers import pre_tokenizers as pre  # noqa: PLC0415

        # transformers forgets that these models read digits one by one.
        parts = [pre.Digits(individual_digits=True), pre.ByteLevel(add_prefix_space=False, use_regex=True)]
        tokenizer.backend_tokenizer.pre_tokenizer = pre.Sequence(parts)
    return tokenizer


def _pre_tokenizer(file: Path) -> str | None:
    from gguf import GGUFReader  # noqa: PLC0415

    field = GGUFReader(file).get_field("tokenizer.ggml.pre")
    return None if field is None else str(field.contents())


def _set_ends(model: Any, tokenizer: Any) -> None:
    known = {model.config.eos_token_id, tokenizer.eos_token_id} - {None}
    vocabulary = tokenizer.get_vocab()
    known |= {vocabulary[token] for token in END_TOKENS if token in vocabulary}
    model.generation_config.eos_token_id = sorted(known)
