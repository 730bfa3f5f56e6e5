"""Which prompts are asked together: those of like length, as many as memory holds, half as many where it doesn't."""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

Result = TypeVar("Result")


def in_batches(
    lengths: Sequence[int],
    run: Callable[[list[int]], Result],
    *,
    fits: Callable[[int], int],
    is_out_of_memory: Callable[[BaseException], bool],
    recover: Callable[[], None] = lambda: None,
) -> Iterator[tuple[list[int], Result | BaseException]]:
    """Run all, the longest first, so that what doesn't fit shows at once; yields each batch with its result.

    lengths: tokens of each; ``run`` gets positions in ``lengths``; ``fits`` says how many of a length fit together.
    A batch that ran out of memory is halved, and so is every later one of at least its size. One that is alone
    and doesn't fit comes with its exception; any other exception is raised.
    """
    waiting = sorted(range(len(lengths)), key=lambda place: (-lengths[place], place))
    most = max(len(waiting), 1)
    while waiting:
        size = max(1, min(most, fits(lengths[waiting[0]])))
        batch, rest = waiting[:size], waiting[size:]
        result = _attempt(batch, run, is_out_of_memory)
        if isinstance(result, BaseException):
            recover()
            if len(batch) > 1:
                most = len(batch) // 2
                continue
        waiting = rest
        yield batch, result


def _attempt(
    batch: list[int], run: Callable[[list[int]], Result], is_out_of_memory: Callable[[BaseException], bool]
) -> Result | BaseException:
    # What an exception holds (frames, and in them tensors) must be gone before memory can be asked for again.
    try:
        return run(batch)
    except Exception as error:
        if not is_out_of_memory(error):
            raise
        return error.with_traceback(None)
