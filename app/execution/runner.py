"""The runner of this machine: the strongest tier that holds, and as many slots as there are cores to spare."""

import logging
import os
import shutil
import threading
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from types import TracebackType
from typing import Self

from app.execution.in_order import run_in_order
from app.execution.probes import proven
from app.execution.protocol import Outcome, Program, Tier
from app.execution.refusal import NoSandbox
from app.execution.slot import Slot
from app.execution.turns import Turns
from app.execution.zygote_process import BrokenSandbox, Plan, sweep

log = logging.getLogger(__name__)


class Sandbox:
    """A runner whose fork servers are this process' own. Any thread may use it."""

    def __init__(self, plan: Plan, slots: int, tried: Sequence[tuple[str, str]] = ()) -> None:
        if slots < 1:
            raise ValueError(f"slots must be at least 1, not {slots}")
        self.plan, self.tier = plan, plan.tier
        self.tried = tuple(tried)  # stronger tiers, and why they are not to be had
        turns = Turns()
        self.slots = [Slot(plan, turns) for _ in range(slots)]
        self._free: SimpleQueue[Slot] = SimpleQueue()
        for slot in self.slots:
            self._free.put(slot)
        self._threads = ThreadPoolExecutor(slots, thread_name_prefix="sandbox")
        self._closed = threading.Event()

    def run(self, program: Program) -> Outcome:
        """Run one program to its verdict."""
        slot = self._free.get()
        try:
            return slot.run(program)
        finally:
            self._free.put(slot)

    def run_all(self, programs: Iterable[Program]) -> Iterator[Outcome]:
        """Outcomes in the programs' order, with every slot kept busy."""
        return run_in_order(self.run, programs, self._threads, len(self.slots))

    def processes(self) -> list[int]:
        """Of the fork servers that are up."""
        return [slot.zygote.pid for slot in self.slots if slot.zygote]

    def close(self) -> None:
        """End whatever runs, at once, and the fork servers; outcomes that are waited for are ``sandbox_error``."""
        if not self._closed.is_set():
            self._closed.set()
            for slot in self.slots:
                slot.stop()
            self._threads.shutdown(cancel_futures=True)
            for slot in self.slots:
                slot.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def open_runner(slots: int | None = None, allow_unsafe: bool = False) -> Sandbox:
    """The strongest tier whose walls all hold; NoSandbox tells, tier by tier, why there is none.

    ``slots`` is how many programs run at once: by default one core is left to others. With ``allow_unsafe`` programs
    run without any wall where none stands, which is said in every outcome; root never may.
    """
    sweep()
    tried: list[tuple[str, str]] = []
    for plan in plans(allow_unsafe=allow_unsafe):
        if plan.tier is Tier.NONE and os.geteuid() == 0:
            tried.append((plan.name, "refused to root: whatever a program did would be done by root"))
            continue
        try:
            proven(plan).close()
        except BrokenSandbox as error:
            tried.append((plan.name, str(error)))
            continue
        for name, reason in tried:
            log.warning("The sandbox's tier %s does not hold here: %s", name, reason)
        return Sandbox(plan, slots or max((os.cpu_count() or 1) - 1, 1), tried)
    raise NoSandbox(tried)


def plans(*, allow_unsafe: bool) -> list[Plan]:
    """What is tried, the strongest first."""
    bwrap = shutil.which("bwrap")
    namespaces = [Plan(Tier.NAMESPACES, bwrap)] if bwrap else []
    unsafe = [Plan(Tier.NONE)] if allow_unsafe else []
    return [*namespaces, Plan(Tier.NAMESPACES), Plan(Tier.LANDLOCK), *unsafe]
