"""Questions that may never be answered, asked so that nobody waits for long.

A server that is gone without a word keeps whoever asks it waiting for minutes. So each question is asked by a thread
of its own, once at a time; who wants to know waits a moment at most, and an answer serves everybody for some seconds.
"""

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as TookTooLong
from typing import Generic, TypeVar

PATIENCE_SECONDS = 2.0
FRESH_SECONDS = 0.5

Answer = TypeVar("Answer")


class Probe(Generic[Answer]):
    """One question; ``silence`` is the answer where none comes in time."""

    def __init__(self, ask: Callable[[], Answer], silence: Answer, fresh: float = FRESH_SECONDS) -> None:
        self._ask = ask
        self._fresh = fresh
        self._silence = silence
        self._lock = threading.Lock()
        self._asked: Future[Answer] | None = None
        self._answered_at = float("-inf")

    def answer(self) -> Answer:
        """The answer, ``fresh`` seconds old at most, or ``silence``."""
        asked = self._current()
        try:
            return asked.result(timeout=PATIENCE_SECONDS)
        except TookTooLong:
            return self._silence

    def _current(self) -> "Future[Answer]":
        with self._lock:
            is_old = time.monotonic() - self._answered_at > self._fresh
            if self._asked is None or (self._asked.done() and is_old):
                self._asked = Future()
                threading.Thread(target=self._find_out, args=(self._asked,), name="probe", daemon=True).start()
            return self._asked

    def _find_out(self, asked: "Future[Answer]") -> None:
        try:
            answer = self._ask()
        except Exception as error:
            self._answered_at = time.monotonic()
            asked.set_exception(error)
        else:
            self._answered_at = time.monotonic()
            asked.set_result(answer)
