"""As many web processes as there are cores keep to one each; where there are fewer, the system decides."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from app.web.cores import offer_cores

KEEP = """
import os, sys
from pathlib import Path
from app.web.cores import keep_to_a_core

keep_to_a_core(Path(sys.argv[1]))
print(*sorted(os.sched_getaffinity(0)), flush=True)
sys.stdin.read()
"""
CORES = sorted(os.sched_getaffinity(0))


def start(folder: Path) -> tuple[subprocess.Popen[str], list[int]]:
    """A process that looks for its core, and those that it may use then."""
    command = [sys.executable, "-c", KEEP, str(folder)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout
    return process, [int(each) for each in process.stdout.readline().split()]


def test_each_has_its_own_and_who_follows_a_dead_one_has_its(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _pid: set(CORES[:2]))
    offer_cores(tmp_path, 3)
    first, second, third = (start(tmp_path) for _ in range(3))
    assert [cores for _, cores in (first, second, third)] == [[CORES[0]], CORES[1:2] or CORES, [CORES[0]]]
    one_too_many = start(tmp_path)
    assert one_too_many[1] == CORES
    second[0].kill()
    second[0].communicate()
    follower = start(tmp_path)
    assert follower[1] == second[1]
    for process, _ in (first, third, one_too_many, follower):
        process.communicate()


def test_fewer_than_there_are_cores_are_left_to_the_system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _pid: {0, 1, 2})
    offer_cores(tmp_path, 2)
    assert not list(tmp_path.iterdir())
    monkeypatch.delattr(os, "sched_getaffinity")  # a system that knows nothing of the kind
    offer_cores(tmp_path, 8)
    assert not list(tmp_path.iterdir())
