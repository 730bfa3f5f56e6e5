"""The way in: a server, a token, its studies and runs."""

from __future__ import annotations

from collections.abc import Iterator
from types import TracebackType
from typing import Any

import httpx2

from codejury.benchmarks import Benchmark
from codejury.connection import Connection
from codejury.runs import Run
from codejury.studies import Study


class Client:
    """CodeJury at that address, for the user whose token this is."""

    def __init__(
        self,
        url: str,
        token: str,
        *,
        timeout: float = 60.0,
        tries: int = 5,
        transport: httpx2.BaseTransport | None = None,
    ) -> None:
        self._connection = Connection(url, token, timeout=timeout, tries=tries, transport=transport)

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Give connections back."""
        self._connection.close()

    def studies(self) -> Iterator[Study]:
        """Every study, the newest first."""
        for told in self._connection.pages("/studies"):
            yield Study(self._connection, told)

    def study(self, name: str) -> Study:
        """The study with that short name."""
        return Study(self._connection, self._connection.get(f"/studies/{name}"))

    def create_study(self, title: str, **settings: Any) -> Study:
        """A new study, in draft."""
        return Study(self._connection, self._connection.write("POST", "/studies", json={"title": title} | settings))

    def benchmarks(self) -> Iterator[Benchmark]:
        """Every benchmark, the newest first."""
        for told in self._connection.pages("/benchmarks"):
            yield Benchmark(self._connection, told)

    def benchmark(self, name: str) -> Benchmark:
        """The benchmark with that short name."""
        return Benchmark(self._connection, self._connection.get(f"/benchmarks/{name}"))

    def run(self, run_id: str) -> Run:
        """The run with that id."""
        return Run(self._connection, self._connection.get(f"/runs/{run_id}"))
