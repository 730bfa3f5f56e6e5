"""How long a claim, an answer and the line of progress take in a study of 100,000 items.

python -m benchmarks.claims [DATABASE_URL]     (without one: SQLite in a temporary folder; the database is filled)
"""

import sys
import tempfile
import time
from collections.abc import Callable
from statistics import median
from uuid import uuid4

from app.services import assignments, grading, pace
from app.storage import migrate
from app.storage.engine import Database
from benchmarks._big_study import fill

ROUNDS = 200


def timed(work: Callable[[], object], times: list[float]) -> object:
    """Do the work and note its milliseconds."""
    start = time.perf_counter()
    result = work()
    times.append((time.perf_counter() - start) * 1000)
    return result


def main() -> None:
    """Fill, grade, print the medians."""
    url = sys.argv[1] if len(sys.argv) > 1 else f"sqlite:///{tempfile.mkdtemp()}/bench.sqlite3"
    migrate.upgrade(url)
    database = Database(url)
    person, _ = fill(database).people[0]
    times: dict[str, list[float]] = {"claim": [], "answer": [], "progress": []}

    def claim() -> str:
        with database.write() as session:
            return assignments.upcoming(session, person)[0].public_id

    def answer(item: str) -> None:
        with database.write() as session:
            submission = grading.Submission(item, uuid4().hex, "grade", {"helpfulness": 3}, revision=0)
            grading.submit(session, person, submission)

    def progress() -> None:
        with database.read() as session:
            pace.progress_of(session, person)

    for _ in range(ROUNDS):
        item = str(timed(claim, times["claim"]))
        timed(lambda item=item: answer(item), times["answer"])  # type: ignore[misc]
        timed(progress, times["progress"])
    for name, values in times.items():
        print(f"{database.engine.dialect.name} {name}: median {median(values):.1f} ms")


if __name__ == "__main__":
    main()
