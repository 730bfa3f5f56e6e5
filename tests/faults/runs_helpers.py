"""What the faults of workers and brokers happen to, and what must hold after each."""

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

from fastapi.testclient import TestClient
from sqlalchemy import func, select

from app.clock import utc_now
from app.config import Settings
from app.services.imports.cleaning import ORPHANS_KEPT_FOR, clean_uploads
from app.services.runs import sweeping
from app.services.runs.context import LEASE
from app.services.sign_ins import start_session
from app.storage.engine import Database
from app.storage.models import Annotator, Artifact, AuditEvent, Grade, GradeEvent, Run
from tests.apps import lent_app
from tests.factories import make_study
from tests.workers.process import Launched, wait_for, wait_for_worker

FINAL = ("done", "failed", "cancelled")


class Installation:
    """A database, perhaps a broker, a folder for files, and the workers that a test starts."""

    def __init__(self, database: Database, folder: Path, broker_url: str | None = None) -> None:
        self.database = database
        self.folder = folder
        url = database.engine.url.render_as_string(hide_password=False)
        self.environment = {"DATABASE_URL": url, "CODEJURY_DATA_DIR": str(folder)}
        if broker_url:
            self.environment["BROKER_URL"] = broker_url
        self.settings = Settings(**self.environment)  # type: ignore[arg-type]
        self.workers: list[Launched] = []

    def start_worker(self, *arguments: str) -> Launched:
        """A worker in processes of its own."""
        self.workers.append(Launched("worker", *arguments, **self.environment))
        wait_for_worker(self.database)
        return self.workers[-1]

    def end(self) -> None:
        """Leave no process behind."""
        for worker in self.workers:
            worker.end()

    def runs(self) -> Sequence[Run]:
        """All of them, as they stand."""
        with self.database.read() as session:
            return session.scalars(select(Run).order_by(Run.id)).all()

    def take_back_as_after_a_lease(self) -> int:
        """What another machine's sweeper does when it has seen no sign of life for as long as a lease lasts."""
        now = [0.0]
        watch = sweeping.Watch(lambda: now[0])
        with self.database.read() as session:
            watch.lapsed(session.scalars(select(Run).where(Run.state == "running")).all())
        now[0] += LEASE.total_seconds()
        with self.database.write() as session:
            return sweeping.take_back_lost(session, watch)

    def wait_until_over(self, seconds: float = 120) -> None:
        """Until each run has ended."""
        wait_for(lambda: all(run.state in FINAL for run in self.runs()), "the end of every run", seconds)

    def check(self, *, states: Sequence[str] = ("done",)) -> None:
        """Every run is in a final state, what it stored is there once, and no file lies about without a row."""
        runs = self.runs()
        assert {run.state for run in runs} <= set(states), [(run.kind, run.state, run.message) for run in runs]
        assert all(run.lease_until is None and run.finished_at for run in runs)
        with self.database.read() as session:
            rows = session.execute(select(AuditEvent.actor, AuditEvent.action)).all()
        stored = Counter((actor, action) for actor, action in rows)
        assert set(stored.values()) <= {1}, "nothing is stored twice"
        for run in runs:
            kinds = {"test.echo": 1, "test.file": 1, "test.steps": run.payload.get("total", 0)}
            wanted = kinds.get(run.kind, 0) if run.state == "done" else 0
            assert sum(actor == run.public_id for actor, _ in rows) >= wanted, "everything is stored"
        self.check_files()

    def check_files(self) -> None:
        """Once what is without a row is old enough to go, files and rows are the same."""
        long_ago = (utc_now() - ORPHANS_KEPT_FOR - timedelta(hours=1)).timestamp()
        for path in self._files():
            os.utime(path, (long_ago, long_ago))
        with self.database.write() as session:
            clean_uploads(session, settings=self.settings)
        with self.database.read() as session:
            named = list(session.scalars(select(Artifact.sha256)))
        assert sorted(path.name for path in self._files()) == sorted(named)
        done = sum(run.state == "done" and run.kind == "test.file" for run in self.runs())
        assert len(named) == done, "each run's file is there, and that of no late attempt"

    def _files(self) -> list[Path]:
        return [path for path in self.settings.artifacts_dir.rglob("*") if path.is_file()]


class Grader:
    """Somebody who grades through the web meanwhile, and notes what the server said it had stored."""

    def __init__(self, client: TestClient, database: Database) -> None:
        self.client = client
        self.database = database
        self.acknowledged: list[str] = []

    def grade(self) -> None:
        """The next item; any answer but "stored" fails the test."""
        items = self.client.post("/grade/next", json={"have": []}).json()["items"]
        submission = uuid4().hex
        body = {"submission_id": submission, "kind": "grade", "revision": 0, "answers": {"helpfulness": 3}}
        answer = self.client.post(f"/grade/{items[0]['id']}/answer", json=body)
        assert (answer.status_code, answer.json()["stored"]) == (200, submission)
        self.acknowledged.append(submission)

    def check(self) -> None:
        """Each acknowledged grade is stored exactly once with its event."""
        with self.database.read() as session:
            events = session.scalars(select(GradeEvent.submission_id)).all()
            assert Counter(events) == Counter(self.acknowledged)
            assert session.scalar(select(func.count()).select_from(Grade)) == len(self.acknowledged)


@contextmanager
def grader(installation: Installation) -> Iterator[Grader]:
    """A browser at the installation's web, signed in as an annotator of a study of 40 items."""
    with installation.database.write() as session:
        study = make_study(session, title="Open", problems=20, state="open")
        annotator = Annotator(study_id=study.id, pseudonym="A01", order_seed=1)
        session.add(annotator)
        session.flush()
        cookie = start_session(session, annotator_id=annotator.id)
    headers = {"Sec-Fetch-Site": "same-origin", "Accept": "application/json"}
    with (
        lent_app(installation.settings, installation.database) as app,
        TestClient(app, base_url="http://localhost", headers=headers) as client,
    ):
        client.cookies.set(app.state.session_cookie, cookie)
        yield Grader(client, installation.database)
