"""What a grade costs in a study of 100,000 items: one that brings the next item, and its parts one by one.

python -m benchmarks.claims [DATABASE_URL]     (without one: SQLite in a temporary folder; the database is filled)
"""

import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from statistics import median
from typing import TypeVar
from uuid import uuid4

from sqlalchemy import event

from app.services import assignments, grading, pace
from app.services.sitting import Sitting
from app.services.supply import supply
from app.services.way import answering
from app.storage import migrate
from app.storage.engine import Database
from benchmarks._big_study import fill

ROUNDS = 200


Result = TypeVar("Result")


class Meter:
    """Milliseconds and statements of each kind of work."""

    def __init__(self, database: Database) -> None:
        self.times: dict[str, list[float]] = {}
        self.statements: dict[str, list[int]] = {}
        self._count = 0
        event.listen(database.engine, "before_cursor_execute", self._counted)

    def _counted(self, *_: object) -> None:
        self._count += 1

    def measure(self, name: str, work: Callable[[], Result]) -> Result:
        """Do the work and note what it took."""
        before, start = self._count, time.perf_counter()
        result = work()
        self.times.setdefault(name, []).append((time.perf_counter() - start) * 1000)
        self.statements.setdefault(name, []).append(self._count - before)
        return result


def main() -> None:
    """Fill, grade, print the medians."""
    url = sys.argv[1] if len(sys.argv) > 1 else f"sqlite:///{tempfile.mkdtemp()}/bench.sqlite3"
    migrate.upgrade(url)
    database = Database(url)
    (person, _), (other, _) = fill(database, annotators=2).people
    meter = Meter(database)

    def claim() -> str:
        with database.write() as session:
            return assignments.upcoming(session, person)[0].public_id

    def answer(item: str) -> None:
        with database.write() as session:
            grading.submit(session, person, submission_of(item))

    def progress() -> None:
        with database.read() as session:
            pace.progress_of(session, person)

    def grade(items: list[str]) -> list[str]:
        with database.write() as session:
            sitting = Sitting.held(session, other)
            if items:
                answering.submit(sitting, submission_of(items[0]))
            return items[1:] + [shown.id for shown in supply(sitting, items[1:]).items]

    items = grade([])
    for _ in range(ROUNDS):
        items = meter.measure("grade with the next item", partial(grade, items))
        item = meter.measure("claim", claim)
        meter.measure("answer", partial(answer, item))
        meter.measure("progress", progress)
    for name, values in meter.times.items():
        count = median(meter.statements[name])
        print(f"{database.engine.dialect.name} {name}: median {median(values):.1f} ms, {count:.0f} statements")


def submission_of(item: str) -> grading.Submission:
    """A grade of the item."""
    return grading.Submission(item, uuid4().hex, "grade", {"helpfulness": 3}, revision=0, version=1)


if __name__ == "__main__":
    main()
