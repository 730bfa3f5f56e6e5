"""Set-up: the locks agree with each other and with pyproject.toml; make explains itself and what it lacks."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def locked(name: str) -> dict[str, str]:
    """Return the versions that the lock gives this machine, by package."""
    lines = (ROOT / "requirements" / f"{name}.lock").read_text(encoding="utf-8").splitlines()
    pins = [Requirement(line.removesuffix("\\").strip()) for line in lines if re.match(r"[a-z]", line)]
    return {pin.name: str(pin.specifier) for pin in pins if pin.marker is None or pin.marker.evaluate()}


@pytest.mark.parametrize(
    ("lock", "wanted"),
    [
        ("run", PROJECT["project"]["dependencies"]),
        ("run", PROJECT["dependency-groups"]["build"]),
        ("dev", PROJECT["dependency-groups"]["dev"]),
        ("models", PROJECT["project"]["optional-dependencies"]["models"]),
    ],
)
def test_the_lock_satisfies_the_project(lock: str, wanted: list[str]) -> None:
    pins = locked(lock)
    for requirement in map(Requirement, wanted):
        assert requirement.name in pins, "make lock"
        assert requirement.specifier.contains(pins[requirement.name].removeprefix("==")), "make lock"


@pytest.mark.parametrize("lock", ["dev", "models"])
def test_other_locks_agree_with_the_one_for_running(lock: str) -> None:
    run, other = locked("run"), locked(lock)
    assert {name: other[name] for name in run if name in other} == {name: run[name] for name in run if name in other}


def test_the_lock_for_tests_contains_the_one_for_running() -> None:
    assert locked("run").keys() <= locked("dev").keys()


@pytest.mark.parametrize("lock", ["run", "dev"])
def test_every_pin_has_hashes(lock: str) -> None:
    text = (ROOT / "requirements" / f"{lock}.lock").read_text(encoding="utf-8")
    pins = re.split(r"\n(?=[a-z])", text)
    assert not [pin for pin in pins if "--hash=sha256:" not in pin]


def test_running_needs_no_torch() -> None:
    assert not {"torch", "transformers"} & locked("dev").keys()


def test_make_alone_explains_every_target() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    phony = re.search(r"^\.PHONY: (.+)$", makefile, re.MULTILINE)
    assert phony is not None
    answer = subprocess.run(["make"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert re.findall(r"^  make ([a-z-]+) ", answer, re.MULTILINE) == phony[1].split()


def test_a_chosen_python_is_taken() -> None:
    command = ["/bin/sh", "scripts/find_python.sh", sys.executable]
    assert (
        subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip() == sys.executable
    )


def test_without_a_fit_python_the_remedy_is_named(tmp_path: Path) -> None:
    (tmp_path / "cat").symlink_to("/bin/cat")
    old = tmp_path / "python3"
    old.write_text("#!/bin/sh\nexit 1\n")  # as a Python before 3.11 answers, or a shim without one behind it
    old.chmod(0o755)
    command = ["/bin/sh", "scripts/find_python.sh", ""]
    result = subprocess.run(
        command, cwd=ROOT, env={"PATH": str(tmp_path)}, capture_output=True, text=True, check=False
    )
    assert (result.returncode, result.stdout) == (1, "")
    assert "Python 3.11 or newer" in result.stderr
    assert "apt-get install python3 python3-venv" in result.stderr
