"""The drill of docs/drill.md, followed line by line on a machine that has nothing of CodeJury yet."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from secrets import token_hex
from urllib.parse import urlsplit

import pytest

from app.config import PROJECT_ROOT
from tests.services import programs
from tests.services.process import free_port
from tests.shared_data import shared_data
from tests.team import drill

PATIENCE = 1200  # it takes three minutes; on a machine that does much else, ten
PAGE = drill.PAGE.read_text(encoding="utf-8")


@pytest.fixture
def settings(new_postgres_url: Callable[[], str]) -> dict[str, str]:
    """The names of the page's first block, as they are here."""
    server = urlsplit(new_postgres_url())
    return {
        "PGHOST": str(server.hostname),
        "PGPORT": str(server.port),
        "PGUSER": str(server.username),
        "PGPASSWORD": token_hex(24),  # which the tests' server asks nobody for
        "REDIS_PORT": str(free_port()),
        "PORT": str(free_port()),
        "CONALA": str(shared_data("conala")),
    }


def follow(folder: Path, commands: str, settings: Mapping[str, str]) -> tuple[int, str]:
    """Type it all into one shell: its exit code, and all that it printed. Nothing is left running."""
    places = [Path(sys.executable).parent, *(each.find().parent for each in (programs.POSTGRES, programs.REDIS))]
    path = os.pathsep.join([*map(str, places), os.environ["PATH"]])
    log = folder / "drill.log"
    with log.open("w", encoding="utf-8") as output:
        shell = subprocess.Popen(
            ["bash", "-c", commands],
            cwd=folder,
            env={"PATH": path, "HOME": str(folder), "PYTHONPATH": str(PROJECT_ROOT), **settings},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            with suppress(subprocess.TimeoutExpired):  # then it is killed, which its exit code tells
                shell.wait(PATIENCE)
        finally:
            with suppress(ProcessLookupError):  # nothing may be left
                os.killpg(shell.pid, signal.SIGKILL)
            shell.wait()
    return shell.returncode, log.read_text(encoding="utf-8")


def test_each_command_is_run_or_says_why_not() -> None:
    run, left = ([each for each in drill.blocks(PAGE) if bool(each.reason) is is_left] for is_left in (False, True))
    assert len(run) >= 10
    assert all(len(each.reason) > 40 for each in left)
    commands = "\n".join(each.commands for each in run)
    assert "# Not run" not in commands, "it stands in the first line of a block, or nowhere"
    assert [name for name in drill.files(PAGE) if f"python {name}" not in commands] == []
    for deed in ("migrate", "web", "worker", "import", "analyse", "backup", "restore"):
        assert f"codejury {deed} " in commands.replace("\n", " ")
    assert commands.count("kill -9") == 4


def test_lines_that_do_not_come_are_missed() -> None:
    assert drill.is_printed(("a", "b … d"), "a\nx\nb c d\n")
    assert not drill.is_printed(("a", "b … d"), "b c d\na\n")
    assert not drill.is_printed(("a.c",), "abc\n")


def test_the_reader_sets_what_the_test_sets(settings: dict[str, str]) -> None:
    assert drill.names_of_settings(PAGE) == set(settings)


@pytest.mark.slow
@pytest.mark.timeout(PATIENCE + 60)
@pytest.mark.usefixtures("redis_url")  # where there is no Redis, it says so
@pytest.mark.xdist_group("team")
def test_the_drill(settings: dict[str, str], tmp_path: Path) -> None:
    drill.write_files(PAGE, tmp_path)
    run = [block for block in drill.blocks(PAGE) if not block.reason]
    code, log = follow(tmp_path, drill.script(run), settings)
    assert code == 0, log
    for block, output in zip(run, drill.outputs(log), strict=True):
        assert drill.is_printed(block.prints, output), f"{block.commands}\n{output}"
