"""What two do at the same moment in one study: both end well, and each thing is stored once."""

import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import pytest
from sqlalchemy import func, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from app.config import Settings
from app.errors import Conflict
from app.services import scoring, studies
from app.services.imports import storing
from app.services.runs import RunContext, Store, enqueue, execute, handler
from app.services.runs.ending import MAX_ATTEMPTS, MET_ANOTHER
from app.storage.engine import Database
from app.storage.models import MetricScore, Output, Run, Scoring, Study
from tests.factories import make_study
from tests.imports.helpers import Importer

OUTPUTS = "problem,intent,reference,system,output\np,add,a + b,s,a + b\nq,double,2 * a,s,a + a\n"


def meet(monkeypatch: pytest.MonkeyPatch, where: Any, name: str) -> None:
    """Let nobody pass this function before another one has come to it, or a second is over."""
    barrier, real = threading.Barrier(2, timeout=1), getattr(where, name)

    def met(*words: Any, **named: Any) -> Any:
        found = real(*words, **named)
        with suppress(threading.BrokenBarrierError):
            barrier.wait()
        return found

    monkeypatch.setattr(where, name, met)


def both(first: Callable[[], object], second: Callable[[], object]) -> list[object]:
    with ThreadPoolExecutor(2) as pool:
        return [each.result() for each in [pool.submit(first), pool.submit(second)]]


def test_runs_that_score_the_same_outputs(
    database: Database, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    with database.write() as session:
        study = make_study(session, problems=3, systems=2)
        ids = [scoring.request_scoring(session, study, names=["chrf"]).id for _ in range(2)]
    meet(monkeypatch, scoring, "current_scoring")
    both(*[lambda run_id=run_id: execute(database, settings, run_id) for run_id in ids])  # type: ignore[misc]
    with database.read() as session:
        runs = session.scalars(select(Run).where(Run.id.in_(ids))).all()
        assert [(run.state, run.attempt) for run in runs] == [("done", 1)] * 2, [run.trace for run in runs]
        assert session.scalar(select(func.count(Scoring.id))) == 1
        assert session.scalar(select(func.count()).select_from(MetricScore)) == 6


def test_imports_of_the_same_rows(database: Database, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    importer = Importer(database, settings)
    importer.good("problem,intent,system,output\nz,z,s,z\n")
    meet(monkeypatch, storing, "plan_material")
    found = both(*[lambda: importer.run(OUTPUTS, study="study")] * 2)
    assert {(run.state, run.attempt) for run in found if isinstance(run, Run)} == {("done", 1)}
    added = sorted(run.result["added"]["outputs"] for run in found if isinstance(run, Run) and run.result)
    assert added == [0, 2]
    with database.read() as session:
        assert session.scalar(select(func.count(Output.id))) == 3


def test_studies_of_the_same_title(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    meet(monkeypatch, studies, "slugify")

    def make() -> str:
        try:
            with database.write() as session:
                return studies.create_study(session, "The same").slug
        except Conflict as error:
            return error.message

    for _ in range(5):
        with database.write() as session:
            for study in session.scalars(select(Study)):
                study.slug = f"gone-{study.id}"
        assert sorted(map(str, both(make, make))) == ["There is a study 'the-same' already.", "the-same"]


@handler("test.met")
def met(context: RunContext) -> Store:
    """Meet another one as often as the payload says."""

    def store(session: Session) -> dict[str, object]:
        attempt = session.get_one(Run, context.run_id).attempt
        if attempt <= context.payload["times"]:
            cause = sqlite3.IntegrityError("UNIQUE constraint failed: somewhere.slug")
            cause.sqlite_errorcode = sqlite3.SQLITE_CONSTRAINT_UNIQUE
            raise IntegrityError("INSERT", {}, cause)
        return {"message": f"attempt {attempt}"}

    return store


@pytest.mark.parametrize(("times", "state"), [(1, "done"), (MAX_ATTEMPTS, "failed")])
def test_who_meets_another_one_looks_again(database: Database, settings: Settings, times: int, state: str) -> None:
    with database.write() as session:
        run_id = enqueue(session, "test.met", {"times": times}).id
    told = []
    for _ in range(MAX_ATTEMPTS):
        execute(database, settings, run_id)
        with database.write() as session:
            run = session.get_one(Run, run_id)
            told.append(run.message)
            run.not_before = None
    assert run.state == state
    assert told[0] == MET_ANOTHER
