"""Benchmarks are run by hand (`make bench`); here they are at least read, so that none rots."""

from importlib import import_module

import pytest

from app.config import PROJECT_ROOT

NAMES = sorted(file.stem for file in (PROJECT_ROOT / "benchmarks").glob("[!_]*.py"))


@pytest.mark.parametrize("name", NAMES)
def test_a_benchmark_can_be_started(name: str) -> None:
    assert callable(import_module(f"benchmarks.{name}").main)
