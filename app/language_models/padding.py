"""Rows of tokens as one tensor, padded at the right: for models that read, not write."""

from collections.abc import Sequence
from typing import Any

from app.language_models.libraries import torch_library


def padded(rows: Sequence[Sequence[int]], filler: int, device: Any) -> dict[str, Any]:
    """``input_ids`` and ``attention_mask`` of shape (rows, longest)."""
    torch = torch_library()
    longest = max(map(len, rows))
    ids = [[*row, *[filler] * (longest - len(row))] for row in rows]
    mask = [[1] * len(row) + [0] * (longest - len(row)) for row in rows]
    return {"input_ids": torch.tensor(ids, device=device), "attention_mask": torch.tensor(mask, device=device)}
