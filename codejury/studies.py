"""A study: material in, results out."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx2

from codejury.connection import Connection, pause
from codejury.results import Agreement, Analysis, frame_of
from codejury.runs import Run

if TYPE_CHECKING:
    import pandas as pd

    Rows = Iterable[Mapping[str, Any]] | pd.DataFrame

NDJSON = {"Content-Type": "application/x-ndjson"}


@dataclass(frozen=True)
class Event:
    """Something that happened in a study. ``id``: where to go on listening."""

    id: int
    kind: str
    data: dict[str, Any]


class Study:
    """One study, by its short name. ``told``: its settings and progress as last heard."""

    def __init__(self, connection: Connection, told: dict[str, Any]) -> None:
        self._connection = connection
        self.told = told

    def __repr__(self) -> str:
        return f"<Study {self.name}: {self.told['state']}>"

    @property
    def name(self) -> str:
        """As addresses name it."""
        return str(self.told["study"])

    @property
    def _at(self) -> str:
        return f"/studies/{self.name}"

    def refresh(self) -> Study:
        """Ask how it stands."""
        self.told = self._connection.get(self._at)
        return self

    def change(self, **settings: Any) -> Study:
        """Other settings; whatever is not said stays."""
        self.told = self._connection.write("PATCH", self._at, json=settings)
        return self

    def open(self) -> Study:
        """Let annotators in."""
        return self._to("open")

    def pause(self) -> Study:
        """Let nobody grade for a while."""
        return self._to("paused")

    def close(self) -> Study:
        """End the grading."""
        return self._to("closed")

    def _to(self, state: str) -> Study:
        self.told = self._connection.write("POST", f"{self._at}/state", json={"state": state})
        return self

    def upload_outputs(self, rows: Rows, *, wait: bool = True, **reading: Any) -> Run:
        """Add outputs: problem, system, output; intent, reference, context, tests where they are new."""
        return self._upload("outputs", rows, wait=wait, reading=reading)

    def upload_grades(self, rows: Rows, *, wait: bool = True, **reading: Any) -> Run:
        """Add grades that were given elsewhere: problem, system, worker, label."""
        return self._upload("grades", rows, wait=wait, reading=reading)

    def upload_scores(self, rows: Rows, *, wait: bool = True, **reading: Any) -> Run:
        """Add scores of a metric: problem, system, metric, score; ``scale="0-100"`` where they are percentages."""
        return self._upload("scores", rows, wait=wait, reading=reading)

    def check(self, kind: str, rows: Rows, **reading: Any) -> dict[str, Any]:
        """What importing these rows would do, and what is wrong with them; nothing is stored."""
        path = f"{self._at}/imports/{kind}/check"
        answer = self._connection.ask("POST", path, content=_lines(rows), headers=NDJSON, params=reading)
        found: dict[str, Any] = answer.json()
        return found

    def _upload(self, kind: str, rows: Rows, *, wait: bool, reading: dict[str, Any]) -> Run:
        sent = {"content": _lines(rows), "headers": dict(NDJSON), "params": reading}
        run = Run(self._connection, self._connection.write("POST", f"{self._at}/imports/{kind}", **sent))
        return run.wait() if wait else run

    def outputs(self) -> pd.DataFrame:
        """All outputs."""
        return frame_of(self._connection.pages(f"{self._at}/outputs", limit=200))

    def analyse(self, **parameters: Any) -> Analysis:
        """A new analysis of the study as it is now; waits for it."""
        Run(self._connection, self._connection.write("POST", f"{self._at}/analyses", json=parameters)).wait()
        return self.analysis()

    def analysis(self) -> Analysis:
        """The newest analysis."""
        answer = self._connection.ask("GET", f"{self._at}/analysis")
        return Analysis(answer.json(), is_stale=answer.headers.get("x-stale") == "true")

    def measure_agreement(self, **parameters: Any) -> Agreement:
        """Measure agreement, the survey and "is it enough?"; waits for it."""
        Run(self._connection, self._connection.write("POST", f"{self._at}/agreement", json=parameters)).wait()
        return self.agreement()

    def agreement(self) -> Agreement:
        """What was measured last."""
        return Agreement(self._connection.get(f"{self._at}/agreement"))

    def grades(self) -> pd.DataFrame:
        """Every grade, by pseudonym, as the export in long form has it."""
        return frame_of(json.loads(line) for line in self._export("jsonl").splitlines())

    def export(self, path: str | Path, form: str = "bundle", **wanted: Any) -> Path:
        """An export in one of the forms, written to a file."""
        target = Path(path)
        target.write_bytes(self._export(form, **wanted))
        return target

    def _export(self, form: str, **wanted: Any) -> bytes:
        asked = self._connection.write("POST", f"{self._at}/exports", json={"form": form} | wanted)
        run = Run(self._connection, asked).wait()
        return self._connection.ask("GET", f"/exports/{run.result['artifact']}").content

    def events(self, after: int | None = None) -> Iterator[Event]:
        """What happens, for as long as it is listened to; from now on, or after that event (0: all that is kept)."""
        last, failures = after, 0
        while True:
            try:
                with self._connection.stream(f"{self._at}/events", params={"after": last}) as answer:
                    for event in _events(answer.iter_lines()):
                        last, failures = event.id, 0
                        if event.kind:
                            yield event
            except httpx2.TransportError:  # the server may be starting anew; nothing is missed meanwhile
                failures += 1
                if failures >= self._connection.tries:
                    raise
                time.sleep(pause(failures))


def _events(lines: Iterable[str]) -> Iterator[Event]:
    fields: dict[str, str] = {}
    for line in lines:
        name, _, value = line.rstrip("\n").partition(": ")
        if name in ("id", "event", "data"):
            fields[name] = value
        elif not line.strip():
            if "id" in fields:  # without a kind it only says where to go on
                yield Event(int(fields["id"]), fields.get("event", ""), json.loads(fields.get("data", "{}")))
            fields = {}


def _lines(rows: Rows) -> bytes:
    """Rows as NDJSON; a frame's missing values are left out."""
    records = rows.to_dict("records") if hasattr(rows, "to_dict") else rows
    return "".join(f"{json.dumps(_plain(row), ensure_ascii=False)}\n" for row in records).encode()


def _plain(row: Mapping[Any, Any]) -> dict[str, Any]:
    values = {str(name): value.item() if hasattr(value, "item") else value for name, value in row.items()}
    return {name: value for name, value in values.items() if not _is_missing(value)}


def _is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value)) or type(value).__name__ == "NAType"
