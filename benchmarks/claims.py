"""How long a claim, an answer and the line of progress take in a study of 100,000 items.

python -m benchmarks.claims [DATABASE_URL]     (without one: SQLite in a temporary folder; the database is filled)
"""

import sys
import tempfile
import time
from collections.abc import Callable
from statistics import median
from uuid import uuid4

from sqlalchemy import insert, select

from app.ids import new_token
from app.services import annotators, assignments, grading, pace
from app.services.invitation_links import create_invitation
from app.services.ordering import place
from app.services.studies import create_study
from app.storage import migrate
from app.storage.engine import Database
from app.storage.models import Item, Problem

PROBLEMS, OUTPUTS, ROUNDS = 20_000, 5, 200


def fill(database: Database) -> int:
    """A big open study; its only annotator."""
    with database.write() as session:
        study = create_study(session, "Big", seed=1, state="open")
        rows = [{"study_id": study.id, "key": f"p{n}", "position": n, "intent": "x"} for n in range(PROBLEMS)]
        session.execute(insert(Problem), rows)
        problems = session.scalars(select(Problem.id)).all()
        session.execute(insert(Item), [_item(study.id, problem, n) for problem in problems for n in range(OUTPUTS)])
        token = create_invitation(session, "benchmark", study)
        return annotators.join(session, token, new_token()).id


def _item(study_id: int, problem_id: int, number: int) -> dict[str, object]:
    return {
        "study_id": study_id,
        "problem_id": problem_id,
        "identity": str(number),
        "text": f"x = {number}",
        "shuffle": place(1, problem_id, number),
    }


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
    person = fill(database)
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
