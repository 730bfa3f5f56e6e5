"""Benchmarks and generations: what models wrote, and what of it passes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from codejury.connection import Connection
from codejury.results import frame_of
from codejury.runs import Run

if TYPE_CHECKING:
    import pandas as pd

NDJSON = {"Content-Type": "application/x-ndjson"}


class Generation:
    """One model's completions for a benchmark. ``told``: how far it is, as last heard."""

    def __init__(self, connection: Connection, told: dict[str, Any]) -> None:
        self._connection = connection
        self.told = told

    def __repr__(self) -> str:
        return f"<Generation {self.told['generation']}: {self.told['label']}>"

    @property
    def _at(self) -> str:
        return f"/generations/{self.told['generation']}"

    def refresh(self) -> Generation:
        """Ask how far it is."""
        self.told = self._connection.get(self._at)
        return self

    def completions(self, verdict: str | None = None) -> pd.DataFrame:
        """Every completion with its verdict, or those with one verdict only."""
        return frame_of(self._connection.pages(f"{self._at}/completions", verdict=verdict, limit=200))

    def start(self, first: int | None = None) -> Run:
        """Ask for the samples that are missing, of all problems or of the first ones."""
        return Run(self._connection, self._connection.write("POST", f"{self._at}/start", json={"first": first}))

    def execute(self, *, again: bool = False) -> Run:
        """Run what was written against the tests; ``again``: also what has a verdict."""
        return Run(self._connection, self._connection.write("POST", f"{self._at}/execute", json={"again": again}))


class Benchmark:
    """One benchmark, by its short name. ``told``: how it stands, as last heard."""

    def __init__(self, connection: Connection, told: dict[str, Any]) -> None:
        self._connection = connection
        self.told = told

    def __repr__(self) -> str:
        return f"<Benchmark {self.name}>"

    @property
    def name(self) -> str:
        """As addresses name it."""
        return str(self.told["benchmark"])

    @property
    def _at(self) -> str:
        return f"/benchmarks/{self.name}"

    def refresh(self) -> Benchmark:
        """Ask how it stands."""
        self.told = self._connection.get(self._at)
        return self

    def problems(self) -> pd.DataFrame:
        """Prompts, tests and canonical solutions."""
        return frame_of(self._connection.pages(f"{self._at}/problems", limit=200))

    def generations(self) -> Iterator[Generation]:
        """What models wrote for it, the newest first."""
        for told in self._connection.pages(f"{self._at}/generations"):
            yield Generation(self._connection, told)

    def generate(self, model: Mapping[str, Any] | str, **setting: Any) -> Generation:
        """Ask a model: by its name, or with its backend, revision, endpoint and so on."""
        named = {"name": model} if isinstance(model, str) else dict(model)
        told = self._connection.write("POST", f"{self._at}/generations", json={"model": named} | setting)
        return Generation(self._connection, told)

    def bring_completions(
        self, rows: Iterable[Mapping[str, Any]] | Path, *, label: str | None = None, samples: int = 1
    ) -> Generation:
        """Completions written elsewhere: rows with task_id, completion and perhaps sample, or a JSONL file."""
        content = rows.read_bytes() if isinstance(rows, Path) else "".join(f"{json.dumps(row)}\n" for row in rows)
        told = self._connection.write(
            "POST",
            f"{self._at}/completions",
            content=content,
            headers=NDJSON,
            params={"label": label, "samples": samples},
        )
        return Generation(self._connection, told)
