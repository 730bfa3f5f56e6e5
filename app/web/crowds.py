"""Requests that come in crowds, a few at once: threads that compute in one process only take turns with each other.

Forty of them, which is what FastAPI lets run, take so many turns that a grade costs more of the processor
(benchmarks/grading_load.py tells how much); whoever waits for a thread costs nothing.
"""

from collections.abc import Callable
from typing import ParamSpec, TypeVar

from anyio import CapacityLimiter, to_thread
from anyio.lowlevel import RunVar

# More than one, as each of them waits now and then: for the database, or for whoever holds a row.
AT_ONCE = 4

_turns: RunVar[CapacityLimiter] = RunVar("turns of a crowd")  # one for each event loop
Given = ParamSpec("Given")
Answer = TypeVar("Answer")


async def in_turn(answer: Callable[Given, Answer], *arguments: Given.args, **options: Given.kwargs) -> Answer:
    """What the function answers, in a thread, once fewer than AT_ONCE others are at it in this process."""
    return await to_thread.run_sync(lambda: answer(*arguments, **options), limiter=_limiter())


def _limiter() -> CapacityLimiter:
    try:
        return _turns.get()
    except LookupError:
        limiter = CapacityLimiter(AT_ONCE)
        _turns.set(limiter)
        return limiter
