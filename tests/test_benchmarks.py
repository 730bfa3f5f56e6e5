"""Benchmarks are run by hand (`make bench`); here they are read and type-checked, so that none rots.

A call of a function that is gone shows only when a benchmark runs for minutes, or when its types are checked.
"""

import subprocess
import sys
from importlib import import_module

import pytest

from app.config import PROJECT_ROOT

NAMES = sorted(file.stem for file in (PROJECT_ROOT / "benchmarks").glob("[!_]*.py"))


@pytest.mark.parametrize("name", NAMES)
def test_a_benchmark_can_be_started(name: str) -> None:
    assert callable(import_module(f"benchmarks.{name}").main)


def test_what_benchmarks_call_is_there() -> None:
    command = [sys.executable, "-m", "mypy", "benchmarks"]
    checked = subprocess.run(command, cwd=PROJECT_ROOT, capture_output=True, text=True, check=False, timeout=300)
    assert checked.returncode == 0, checked.stdout
