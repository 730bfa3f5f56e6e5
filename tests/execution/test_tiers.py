"""Which tier is chosen, and what is said where none holds."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from app.config import PROJECT_ROOT, Settings
from app.execution import Tier, open_runner
from app.execution.inside import landlock
from app.execution.probes import proven
from app.execution.protocol import Verdict
from app.execution.runner import Sandbox, plans
from app.execution.zygote_process import INSIDE_PREFIX, Plan
from tests.execution.programs import program

PROGRAM = program("def f():\n    return 1\n", "assert f() == 1")


def _confined(how: str, unsafe: str = "safe") -> str:
    command = [sys.executable, "-m", "tests.execution.confined", how, unsafe]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout


def test_the_strongest_tier_that_holds_is_chosen(tier: Sandbox) -> None:
    with open_runner(1) as runner:
        assert runner.tier in (tier.tier, Tier.NAMESPACES)
        assert runner.run(PROGRAM).tier is runner.tier


CLOSED = """
import os
from app.execution.probes import proven
from app.execution.protocol import Tier
from app.execution.zygote_process import Plan
proven(Plan(Tier.NAMESPACES, {bwrap!r})).close()
print(os.getpid())
"""


@pytest.mark.parametrize("bwrap", [None, shutil.which("bwrap")])
def test_a_project_in_a_folder_that_only_root_reads_has_its_walls(tmp_path: Path, bwrap: str | None) -> None:
    """The sandbox's user could not reach its own code there."""
    shutil.copytree(PROJECT_ROOT / "app", tmp_path / "app", ignore=shutil.ignore_patterns("__pycache__"))
    tmp_path.chmod(0o700)
    command = [sys.executable, "-c", CLOSED.format(bwrap=bwrap)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    assert list(Path(tempfile.gettempdir()).glob(f"{INSIDE_PREFIX}{int(done.stdout)}-*")) == []


def test_without_namespaces_landlock_holds() -> None:
    if not landlock.abi():
        pytest.skip("this kernel has no Landlock")
    tier, *tried = _confined("namespaces").splitlines()
    assert tier == "landlock"
    assert "ns (native)" in tried


def test_where_nothing_holds_one_message_says_why_and_what_to_do() -> None:
    said = _confined("everything")
    assert said.startswith("Code execution is off: no working sandbox on this host.\n  ns (")
    assert "ns (native): PermissionError: [Errno 1] unshare" in said
    assert "landlock: OSError: Landlock is not available (kernel " in said
    for part in ("docker-compose.yml", "AppArmor", "CODEJURY_SANDBOX=none", "CODEJURY_ACCEPT_NO_ISOLATION=yes"):
        assert part in said


def test_root_is_refused_what_others_may_choose() -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can be refused as root")
    assert "none: refused to root" in _confined("everything", "unsafe")


def test_without_isolation_every_outcome_says_so() -> None:
    with Sandbox(Plan(Tier.NONE), 1) as runner:
        outcome = runner.run(PROGRAM)
    assert (outcome.verdict, outcome.tier) == (Verdict.PASSED, Tier.NONE)
    proven(Plan(Tier.NONE)).close()


def test_only_whoever_asks_for_it_gets_no_isolation() -> None:
    assert Tier.NONE not in [plan.tier for plan in plans(allow_unsafe=False)]
    assert plans(allow_unsafe=True)[-1].tier is Tier.NONE
    assert bool(shutil.which("bwrap")) == any(plan.bwrap for plan in plans(allow_unsafe=False))


@pytest.mark.parametrize(
    ("sandbox", "accept", "allowed"),
    [("", "", False), ("none", "", False), ("", "yes", False), ("none", "yes", True)],
)
def test_no_isolation_takes_two_settings(
    monkeypatch: pytest.MonkeyPatch, sandbox: str, accept: str, allowed: bool
) -> None:
    monkeypatch.setenv("CODEJURY_SANDBOX", sandbox)
    monkeypatch.setenv("CODEJURY_ACCEPT_NO_ISOLATION", accept)
    assert Settings().allows_no_isolation is allowed


def test_slots_are_counted_from_one() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        Sandbox(Plan(Tier.LANDLOCK), 0)
