"""Every command in README.md is run, on the very files that it shows."""

import os
import re
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

from app.config import PROJECT_ROOT
from tests.shared_data import shared_data

README = (PROJECT_ROOT / "README.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(\w+) ?(\S*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PATIENCE = 600  # for one command: all take a minute together, or six on a machine that does much else
# `make run` and `make test` set up this very environment and run these very tests.
ELSEWHERE = {"make run": "tests/test_make_run.py", "make test": "the test run itself"}


def blocks(kind: str) -> list[tuple[str, str]]:
    return [(name, text) for found, name, text in BLOCK.findall(README) if found == kind]


def commands() -> list[str]:
    return [line for _, text in blocks("sh") for line in text.splitlines() if line and line not in ELSEWHERE]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("readme")
    for name, text in [*blocks("csv"), *blocks("jsonl")]:
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def test_the_readme_shows_the_two_commands_first() -> None:
    assert [text.strip() for _, text in blocks("sh")][:2] == ["make run", "make test"]


@pytest.mark.timeout(2 * PATIENCE)
def test_every_command_does_what_it_says(folder: Path) -> None:
    assert len(commands()) >= 6
    shutil.copytree(shared_data("conala"), folder / "conala")
    path = f"{PROJECT_ROOT / '.venv' / 'bin'}{os.pathsep}{os.environ['PATH']}"
    keep = {key: value for key, value in os.environ.items() if not key.startswith("CODEJURY_")}
    keep |= {"PATH": path, "CODEJURY_DATA_DIR": str(folder / "data"), "PYTHONPATH": str(PROJECT_ROOT)}
    for command in commands():
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=folder,
            env=keep,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE,
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    assert (folder / "analysis.json").stat().st_size > 1000
    assert '"verdict": "passed"' in (folder / "samples.jsonl_results.jsonl").read_text(encoding="utf-8")
    with zipfile.ZipFile(folder / "my-study.zip") as bundle:
        assert {"README.txt", "grades.csv", "analysis.json", "SHA256SUMS"} <= set(bundle.namelist())


def test_every_setting_is_documented() -> None:
    source = (PROJECT_ROOT / "app" / "config.py").read_text(encoding="utf-8")
    settings = set(re.findall(r"\"([A-Z][A-Z_]+)\"", source))
    assert settings
    assert [name for name in sorted(settings) if f"`{name}`" not in README and name != "BASE_URL"] == []
