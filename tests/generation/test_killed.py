"""kill -9 while a model writes: what was stored stays, and only the rest is asked."""

import os
import signal
import subprocess
import sys

from sqlalchemy import func, select

from app.config import Settings
from app.services.generation.parameters import GenerationParameters
from app.services.generation.requests import request_generation
from app.services.runs import sweeping
from app.storage.engine import Database
from app.storage.models import Completion, Run
from tests.execution_runs.conftest import make_benchmark
from tests.generation.conftest import Execute, ListedModel
from tests.generation.killed import ANSWERS


def test_a_killed_worker_costs_nothing_that_was_stored(
    database: Database,
    database_url: str,
    settings: Settings,
    execute_run: Execute,
    model: ListedModel,
    parameters: GenerationParameters,
) -> None:
    with database.write() as session:
        run_id = request_generation(session, make_benchmark(session, 3), parameters, actor="tests").id
    environment = os.environ | {"CODEJURY_DATA_DIR": str(settings.data_dir), "DATABASE_URL": database_url}
    done = subprocess.run(
        [sys.executable, "-m", "tests.generation.killed", str(run_id)], env=environment, check=False, timeout=120
    )
    assert done.returncode == -signal.SIGKILL
    with database.write() as session:
        kept = dict(session.execute(select(Completion.id, Completion.raw)).all())
        assert len(kept) == ANSWERS
        assert session.get_one(Run, run_id).state == "running"
        assert sweeping.take_back_lost(session, sweeping.Watch()) == 1  # its process is gone
    with database.write() as session:
        session.get_one(Run, run_id).not_before = None
    assert execute_run(run_id).state == "done"
    assert len(model.asked) == 6 - ANSWERS
    with database.read() as session:
        assert session.scalar(select(func.count()).select_from(Completion)) == 6
        after = dict(session.execute(select(Completion.id, Completion.raw)).all())
        assert kept.items() <= after.items()
