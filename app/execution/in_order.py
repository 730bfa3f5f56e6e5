"""Several programs at once, their outcomes in order."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future

from app.execution.protocol import Outcome, Program

AHEAD = 2  # programs in hand for each slot, so that none waits while outcomes are collected in order


def run_in_order(
    run: Callable[[Program], Outcome], programs: Iterable[Program], threads: Executor, slots: int
) -> Iterator[Outcome]:
    """Take no more programs than keep the slots busy; whoever stops listening cancels those that wait."""
    waiting: deque[Future[Outcome]] = deque()
    try:
        for program in programs:
            waiting.append(threads.submit(run, program))
            if len(waiting) >= AHEAD * slots:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        for future in waiting:
            future.cancel()
