"""A command that was cut, with no server about: the very same command goes on, and says what it waits for."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import select, update
from typer.testing import CliRunner, Result

from app.cli import make_cli
from app.clock import utc_now
from app.config import get_settings
from app.errors import Conflict
from app.storage.engine import Database
from app.storage.models import Run
from tests.perturbing.conftest import Shout, Work, make_parent

pytestmark = pytest.mark.sqlite_is_enough

ONLY = ["--seeds", "2", "--transformations", "docstring/Shout"]
BOTH_NAMES = pytest.mark.parametrize("name", ["bench", "bench-perturbed"])
Cut = Callable[[int, str], subprocess.CompletedProcess[str]]


@pytest.fixture
def cut(tmp_path: Path, database: Database, database_url: str, work: Work, monkeypatch: pytest.MonkeyPatch) -> Cut:
    """Has the command meet a signal at a step, in a process of its own."""
    monkeypatch.setenv("CODEJURY_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("DATABASE_URL", database_url)
    get_settings.cache_clear()
    with database.write() as session:
        make_parent(session)
        session.execute(update(Run).values(state="done"))  # the benchmark's own canonical solutions

    def cut(number: int, step: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "tests.perturbing.cut", str(int(number)), step, "perturb", "bench", *ONLY]
        return subprocess.run(command, env=dict(os.environ), capture_output=True, text=True, check=False, timeout=120)

    return cut


def again(name: str = "bench") -> Result:
    """The same command, uncut."""
    return CliRunner().invoke(make_cli(), ["perturb", name, *ONLY])


def states(database: Database) -> list[tuple[str, str]]:
    """All runs but the benchmark's own."""
    with database.read() as session:
        found = session.execute(select(Run.kind, Run.state).order_by(Run.id).offset(1))
        return [(kind, state) for kind, state in found]


@BOTH_NAMES
def test_sigterm_cancels_and_the_command_goes_on(cut: Cut, work: Work, database: Database, name: str) -> None:
    done = cut(signal.SIGTERM, "perturbing")
    assert (done.returncode, done.stderr.splitlines()[-1]) == (1, "Cancelled. What was stored before stays.")
    assert states(database) == [("perturbing", "cancelled")]
    stored = len(work.rows("bench-perturbed"))
    told = again(name)
    assert told.exit_code == 0, (told.output, told.exception)
    assert len(Shout.calls) == 9 - stored
    assert len(work.rows("bench-perturbed")) == 9


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_who_insists_leaves_at_once(cut: Cut, work: Work, database: Database, number: int) -> None:
    done = cut(number, "insisting")
    assert (done.returncode, done.stderr.splitlines()[-1]) == (130, "Left at once. What was stored before stays.")
    told = again()
    assert told.exit_code == 0, (told.output, told.exception)
    assert len(work.rows("bench-perturbed")) == 9
    assert states(database)[0] == ("perturbing", "cancelled")


@BOTH_NAMES
def test_what_was_killed_is_gone_on_with(cut: Cut, work: Work, database: Database, name: str) -> None:
    assert cut(signal.SIGKILL, "perturbing").returncode == -signal.SIGKILL
    assert states(database) == [("perturbing", "running")]
    told = again(name)
    assert told.exit_code == 0, (told.output, told.exception)
    assert Shout.calls == [("b/1", 1), ("b/2", 1)]
    assert states(database) == [("perturbing", "done"), ("execution", "done")]


@pytest.mark.parametrize("by", [signal.SIGTERM, signal.SIGKILL])
def test_canonical_solutions_that_were_cut_are_run(cut: Cut, work: Work, database: Database, by: int) -> None:
    assert cut(by, "judging").returncode == (1 if by == signal.SIGTERM else -by)
    told = again()
    assert told.exit_code == 0, (told.output, told.exception)
    assert "docstring/Shout: 4 changed, 33.3% unchanged; canonical solutions pass 4 of 4\n" in told.output
    assert states(database)[-1] == ("execution", "done")
    before = states(database)
    assert again().exit_code == 0
    assert states(database) == before  # nothing is left to be run


def test_another_machines_run_is_waited_for_as_long_as_its_lease_lasts(
    cut: Cut, work: Work, database: Database
) -> None:
    cut(signal.SIGKILL, "perturbing")
    until = utc_now() + timedelta(seconds=80)
    held = update(Run).where(Run.state == "running")
    with database.write() as session:
        session.execute(held.values(worker="elsewhere:1", lease_until=until))
    refused = again("bench-perturbed").exception
    assert isinstance(refused, Conflict)
    assert refused.message == "The set is being made already."
    assert f"ask again after {until:%H:%M:%S} UTC" in refused.remedy
    with database.write() as session:
        session.execute(held.values(lease_until=utc_now() - timedelta(seconds=1)))
    assert again("bench-perturbed").exit_code == 0
    assert states(database) == [("perturbing", "done"), ("execution", "done")]
