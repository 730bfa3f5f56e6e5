"""kill -9 while a set is made: what was stored stays, and only the rest is made."""

import os
import signal
import subprocess
import sys

from app.config import Settings
from app.services.perturbing import Wanted, request_set
from app.services.runs import sweeping
from app.storage.engine import Database
from app.storage.models import Run
from tests.perturbing.conftest import Shout, Work, make_parent
from tests.perturbing.killed import STORED


def test_a_killed_worker_costs_nothing_that_was_stored(
    database: Database, database_url: str, settings: Settings, work: Work
) -> None:
    with database.write() as session:
        wanted = Wanted(2, ("docstring/Shout",))
        run = request_set(session, make_parent(session), wanted, actor="tests").run
        assert run is not None
        run_id = run.id
    environment = os.environ | {"CODEJURY_DATA_DIR": str(settings.data_dir), "DATABASE_URL": database_url}
    done = subprocess.run(
        [sys.executable, "-m", "tests.perturbing.killed", str(run_id)], env=environment, check=False, timeout=120
    )
    assert done.returncode == -signal.SIGKILL
    before = {key: each.id for key, each in work.rows("bench-perturbed").items()}
    assert len(before) == 3 + STORED
    with database.write() as session:
        assert session.get_one(Run, run_id).state == "running"
        assert sweeping.take_back_lost(session, sweeping.Watch()) == 1  # its process is gone
    with database.write() as session:
        session.get_one(Run, run_id).not_before = None
    assert work(run_id).state == "done"
    assert Shout.calls == [("b/1", 1), ("b/2", 1)]
    after = {key: each.id for key, each in work.rows("bench-perturbed").items()}
    assert len(after) == 3 + 6
    assert before.items() <= after.items()
