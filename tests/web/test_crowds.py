"""Of a crowd's requests a few run at once, the others wait their turn, and each gets its own answer."""

import threading
import time

import anyio
import pytest

from app.web.crowds import AT_ONCE, in_turn


class Counter:
    """How many are at it, and how many were at most."""

    def __init__(self) -> None:
        self.now = self.most = 0
        self._lock = threading.Lock()

    def work(self, number: int) -> int:
        with self._lock:
            self.now += 1
            self.most = max(self.most, self.now)
        time.sleep(0.02)
        with self._lock:
            self.now -= 1
        return number


def test_no_more_than_so_many_run_and_each_gets_its_own_answer() -> None:
    counter, answers = Counter(), {}

    async def ask(number: int) -> None:
        answers[number] = await in_turn(counter.work, number)

    async def crowd() -> None:
        async with anyio.create_task_group() as group:
            for number in range(5 * AT_ONCE):
                group.start_soon(ask, number)

    anyio.run(crowd)
    assert answers == {number: number for number in range(5 * AT_ONCE)}
    assert counter.most == AT_ONCE


def test_a_failure_is_the_asker_s_and_gives_its_turn_back() -> None:
    def fail() -> None:
        raise ValueError("no")

    async def ask() -> int:
        for _ in range(2 * AT_ONCE):
            with pytest.raises(ValueError, match="no"):
                await in_turn(fail)
        return await in_turn(lambda: 3)

    assert anyio.run(ask) == 3


def test_who_waits_for_a_turn_keeps_nothing_else_waiting() -> None:
    held = threading.Event()

    async def meanwhile() -> str:
        async with anyio.create_task_group() as group:
            for _ in range(2 * AT_ONCE):
                group.start_soon(in_turn, held.wait)
            await anyio.sleep(0.05)
            answer = await anyio.to_thread.run_sync(lambda: "answered")
            held.set()
        return answer

    assert anyio.run(meanwhile) == "answered"
