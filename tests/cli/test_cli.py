"""The command line as a whole: quick to start, plain in its failures."""

import subprocess
import sys

import pytest

from app import cli as command_line
from app.config import PROJECT_ROOT
from app.errors import InvalidInput, Problem

HEAVY = {"sqlalchemy", "fastapi", "celery", "numpy", "pandas", "pydantic", "alembic", "torch", "plotly"}


def codejury(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "app.cli", *arguments],
        cwd=PROJECT_ROOT,
        env={"PATH": "/usr/bin:/bin", **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_reading_every_command_loads_nothing_heavy() -> None:
    program = "import sys; from app.cli import make_cli; make_cli(); print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", program], cwd=PROJECT_ROOT, capture_output=True, text=True, check=True
    )
    assert not HEAVY & set(loaded.stdout.split())


def test_help_names_the_commands() -> None:
    answer = codejury("--help")
    assert answer.returncode == 0
    assert {"serve", "worker", "migrate", "doctor"} <= set(answer.stdout.split())


def test_wrong_usage_is_exit_code_2() -> None:
    assert codejury("no-such-command").returncode == 2


def test_a_wrong_setting_is_named() -> None:
    answer = codejury("migrate", PORT="seventy")
    assert answer.returncode == 1
    assert "PORT" in answer.stderr
    assert "Traceback" not in answer.stderr


def test_every_problem_is_printed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def fail() -> None:
        raise InvalidInput("Two rows are bad.", [Problem("no output.", row=2), Problem("no intent.", row=5)])

    monkeypatch.setattr(command_line, "make_cli", lambda: fail)
    with pytest.raises(SystemExit) as stop:
        command_line.main()
    assert stop.value.code == 1
    assert capsys.readouterr().err == "Two rows are bad.\nrow 2: no output.\nrow 5: no intent.\n"
