"""Running a model that reads: texts of like length together, as many as memory holds."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TypeVar

from app.language_models.batching import in_batches
from app.language_models.loading import Loaded
from app.language_models.memory import free_bytes, is_out_of_memory, let_go
from app.language_models.protocol import ModelError

Result = TypeVar("Result")
MOST = 64
SHARE = 0.25


def read_in_batches(
    loaded: Loaded,
    rows: Sequence[Sequence[int]],
    numbers_a_token: int,
    run: Callable[[list[int]], Sequence[Result]],
) -> Iterator[tuple[int, Result]]:
    """Results by the place of their row; ``numbers_a_token`` is how many numbers a pass keeps of each token."""

    def fits(tokens: int) -> int:
        return min(MOST, int(free_bytes(loaded.device) * SHARE / (4 * tokens * numbers_a_token)))

    batches = in_batches(
        [len(row) for row in rows],
        run,
        fits=fits,
        is_out_of_memory=is_out_of_memory,
        recover=partial(let_go, loaded.device),
    )
    for places, results in batches:
        if isinstance(results, BaseException):
            raise ModelError(
                f"A text of {len(rows[places[0]])} tokens does not fit into memory, even alone; "
                "shorten it, or choose a smaller model or another device."
            )
        yield from zip(places, results, strict=True)
