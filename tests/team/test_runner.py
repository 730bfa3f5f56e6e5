"""The sandbox's host knows no secrets, and runs what it is asked to."""

import subprocess
import sys
from pathlib import Path

import pytest

from app.config import PROJECT_ROOT
from app.errors import Conflict, NotFound
from tests.cli.test_cli import codejury
from tests.workers.process import Launched
from workers.runner import ask, refuse_secrets


@pytest.mark.parametrize(
    "name",
    ["DATABASE_URL", "BROKER_URL", "PGPASSWORD", "AWS_SECRET_ACCESS_KEY", "CODEJURY_OIDC_CLIENT_SECRET"],
)
def test_secrets_are_refused_by_name(name: str) -> None:
    with pytest.raises(Conflict) as refusal:
        refuse_secrets({name: "hunter2", "PATH": "/bin"})
    assert refusal.value.remedy == f"Start it without {name}."


def test_what_is_no_secret_is_left_alone() -> None:
    refuse_secrets({"PATH": "/bin", "CODEJURY_DATA_DIR": "/data", "DATABASE_URL": "", "HOME": "/"})


def test_it_answers_and_makes_way_for_the_next(tmp_path: Path) -> None:
    place = tmp_path / "runner" / "socket"
    with pytest.raises(NotFound, match="No host"):
        ask(place, {})
    hosts = []
    try:
        for _ in range(2):  # the second finds what the first, killed, left behind
            hosts.append(Launched("runner", CODEJURY_RUNNER_SOCKET=str(place)))
            assert hosts[-1].process.stdout
            assert str(place) in hosts[-1].process.stdout.readline()
            assert ask(place, {}).keys() == {"tier", "slots"}
            assert ask(place, {"program": "print(1)"}).keys() == {"error"}
            assert place.stat().st_mode & 0o777 == 0o600
            hosts[-1].kill()
    finally:
        for each in hosts:
            each.end()


def test_a_place_that_can_not_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    answer = codejury("runner", CODEJURY_DATA_DIR=str(tmp_path / "file"))
    assert (answer.returncode, answer.stdout) == (1, "")
    first, second = answer.stderr.splitlines()
    assert first == f"The sandbox's host can't listen at {tmp_path}/file/runner/socket: Not a directory."
    assert second.endswith("CODEJURY_RUNNER_SOCKET.")


def test_it_needs_no_database_library() -> None:
    """What isn't loaded can't be misused: programs of strangers run next to this process."""
    program = (
        "import sys, workers.runner; print(*sorted({'sqlalchemy', 'celery', 'redis', 'boto3'} & set(sys.modules)))"
    )
    command = [sys.executable, "-c", program]
    assert subprocess.run(command, cwd=PROJECT_ROOT, capture_output=True, text=True, check=True).stdout == "\n"
