"""How much memory generation takes and a device has: an estimate, behind which halving on out-of-memory stands."""

from pathlib import Path
from typing import Any

from app.language_models.libraries import torch_library

# More rows than this gain little, and make whoever waits for the first answers wait long.
MOST_ON_CPU, MOST_ON_GPU = 32, 256
# Of what is free: activations, fragments and other processes take their part.
SHARE = 0.5
UNKNOWN = 2 << 30


def row_bytes(config: Any, tokens: int, bytes_per_number: int) -> int:
    """Bytes of one row of so many tokens: keys and values of all layers, and copies of the last logits to sample."""
    config = config.get_text_config() if hasattr(config, "get_text_config") else config
    layers = getattr(config, "num_hidden_layers", 12) * (2 if config.is_encoder_decoder else 1)
    heads = getattr(config, "num_attention_heads", 12)
    width = getattr(config, "head_dim", None) or config.hidden_size // heads
    cache = 2 * layers * (getattr(config, "num_key_value_heads", None) or heads) * width * tokens * bytes_per_number
    return int(cache + 5 * 8 * config.vocab_size + 8 * tokens * config.hidden_size * bytes_per_number)


def free_bytes(device: Any) -> int:
    """Bytes that the device could still lend to this process."""
    torch = torch_library()
    if device.type == "cuda":
        free, _ = torch.cuda.mem_get_info(device)
        return int(free + torch.cuda.memory_reserved(device) - torch.cuda.memory_allocated(device))
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:"))
    except (OSError, StopIteration):
        return UNKNOWN


def rows_that_fit(config: Any, device: Any, tokens: int, bytes_per_number: int) -> int:
    """How many rows of so many tokens, prompt and answer together, are asked at once; at least 1."""
    most = MOST_ON_GPU if device.type == "cuda" else MOST_ON_CPU
    return max(1, min(most, int(free_bytes(device) * SHARE) // row_bytes(config, tokens, bytes_per_number)))


def is_out_of_memory(error: BaseException) -> bool:
    """Whether torch raised this for want of memory; on a CPU that is a RuntimeError like any other."""
    torch = torch_library()
    return isinstance(error, torch.OutOfMemoryError | MemoryError) or (
        isinstance(error, RuntimeError) and "allocate memory" in str(error)
    )


def let_go(device: Any) -> None:
    """Give cached memory back before a smaller try."""
    if device.type == "cuda":
        torch_library().cuda.empty_cache()
