"""The runner around the programs: it survives what happens to it, and gives the same answers however many run."""

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import CancelledError
from pathlib import Path

import pytest

from app.execution import slot as slots
from app.execution.protocol import Limits, Outcome, Verdict
from app.execution.runner import Sandbox
from app.execution.zygote_process import JOBS_PREFIX, sweep
from tests.execution.conftest import PLANS, sandbox
from tests.execution.hostile_answers import ANSWERS
from tests.execution.hostile_oddities import ODDITIES
from tests.execution.leftovers import connections, descendants, is_settled, soon
from tests.execution.programs import human_eval, program

SLEEPER = program("import time\ndef f():\n    time.sleep(2)\n    return 1\n", "assert f() == 1")


@pytest.mark.parametrize("name", PLANS)
def test_a_killed_worker_leaves_no_process_and_no_file(name: str) -> None:
    sandbox(PLANS[name], 1).close()
    command = [sys.executable, "-m", "tests.execution.worker", name]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as worker:
        assert worker.stdout
        words = worker.stdout.readline().split()
        worker.kill()
    pids = [int(word) for word in words if word.isdigit()]
    folders = [Path(word) for word in words if not word.isdigit()]
    assert len(pids) >= 3
    assert soon(lambda: not any(Path(f"/proc/{pid}").exists() for pid in pids)), "processes outlived their worker"
    assert soon(lambda: not any(folder.exists() for folder in folders)), "files outlived their worker"


def _kill_zygotes(runner: Sandbox, times: int) -> None:
    killed: set[int] = set()
    until = time.monotonic() + 30
    while len(killed) < times and time.monotonic() < until:
        for pid in set(runner.processes()) - killed:
            time.sleep(0.7)  # until its job runs
            os.kill(pid, signal.SIGKILL)
            killed.add(pid)
        time.sleep(0.05)


def _run_while_killing(runner: Sandbox, times: int) -> Outcome:
    killer = threading.Thread(target=_kill_zygotes, args=(runner, times))
    killer.start()
    outcome = runner.run(SLEEPER)
    killer.join()
    return outcome


@pytest.mark.parametrize("name", PLANS)
def test_a_zygote_killed_from_outside_is_replaced_and_the_program_run_again(name: str) -> None:
    with sandbox(PLANS[name], 1) as runner:
        assert _run_while_killing(runner, 1).verdict is Verdict.PASSED
        broken = _run_while_killing(runner, 2)
        assert broken.verdict is Verdict.SANDBOX_ERROR, broken
        assert broken.strength is None
        assert runner.run(ANSWERS[0].program).verdict is Verdict.PASSED
        assert soon(lambda: is_settled(runner))


def test_a_program_finds_nothing_of_the_one_before(tier: Sandbox) -> None:
    before, after = (each for each in ODDITIES if each.name[:3] in ("x2_", "x3_"))
    one = tier.slots[0]
    for _ in range(3):
        assert one.run(before.program).verdict is Verdict.PASSED
        assert one.run(after.program).verdict is Verdict.PASSED


def test_what_only_root_or_this_process_knows_stays_unread(tier: Sandbox, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("planted")
    secret.chmod(0o600)
    source = f"""
import os, glob
def f():
    found = [value for value in os.environ.values() if 'planted' in value]
    others = [*glob.glob('/proc/*/environ'), *glob.glob('/proc/*/root/etc/shadow')]
    for path in [{str(secret)!r}, '/etc/shadow', *others]:
        try:
            found.append(open(path).read())
        except OSError:
            pass
    return found
"""
    outcome = tier.run(program(source, "assert f() == [], f()"))
    assert outcome.verdict is Verdict.PASSED, outcome


def test_a_program_can_not_reach_the_one_that_gets_ready_beside_it(tier: Sandbox) -> None:
    source = """
import glob, os
def f():
    beside = [each for each in glob.glob('../*/') if not os.path.samefile(each, '.')]
    reached = [each for each in beside if os.access(each, os.W_OK)]
    for pid in range(1, 5000):
        for call in (lambda: os.kill(pid, 0), lambda: open(f'/proc/{pid}/mem', 'rb+')):
            try:
                call()
                reached.append(pid)
            except OSError:
                pass
    return [each for each in reached if each != os.getpid()]
"""
    outcome = tier.run(program(source, "assert f() == [], f()"))
    assert outcome.verdict is Verdict.PASSED, outcome


def test_a_worn_zygote_is_replaced(tier: Sandbox) -> None:
    one = tier.slots[0]
    one.run(ANSWERS[0].program)
    assert one.zygote
    pid, one.zygote.jobs = one.zygote.pid, slots.MOST_JOBS
    assert one.run(ANSWERS[0].program).verdict is Verdict.PASSED
    assert one.zygote.pid != pid
    assert not Path(f"/proc/{pid}").exists()


def test_what_was_starved_is_tried_again_when_nothing_else_runs(runner: Sandbox) -> None:
    sleeper = program("import time\ndef f():\n    time.sleep(100)\n", "f()", limits=Limits(cpu=1, wall=0.5))
    busy = program("def f():\n    while True: pass\n", "f()", limits=Limits(cpu=0.3, wall=20))
    one = runner.slots[0]
    jobs = [one.zygote.jobs if one.zygote else 0]
    for each in (sleeper, busy):
        assert one.run(each).verdict is Verdict.TIMEOUT
        assert one.zygote
        jobs.append(one.zygote.jobs)
    assert (jobs[1] - jobs[0], jobs[2] - jobs[1]) == (2, 1)


def test_outcomes_come_in_order_and_are_the_same_at_one_slot_and_at_four() -> None:
    programs = [each.program for each in (*ANSWERS, *ODDITIES)]
    seen = []
    for count in (1, 4):
        with sandbox(PLANS["native"], count) as runner:
            seen.append([(outcome.verdict, outcome.reason) for outcome in runner.run_all(programs)])
    assert seen[0] == seen[1]
    assert [verdict for verdict, _ in seen[0]] == [each.expected for each in (*ANSWERS, *ODDITIES)]


def test_whoever_stops_listening_stops_the_rest() -> None:
    with sandbox(PLANS["native"], 1) as runner:
        asked = []

        def programs():
            for _ in range(1000):
                asked.append(1)
                yield ANSWERS[0].program

        outcomes = runner.run_all(programs())
        assert next(outcomes).verdict is Verdict.PASSED
        outcomes.close()
        assert len(asked) < 10


def test_closing_ends_every_process_and_connection() -> None:
    before = connections()
    runner = sandbox(PLANS["native"], 2)
    assert soon(lambda: is_settled(runner))
    pids = descendants(runner.processes())
    runner.close()
    assert soon(lambda: not any(Path(f"/proc/{pid}").exists() for pid in pids))
    assert connections() == before


@pytest.mark.parametrize("name", PLANS)
def test_closing_ends_what_runs_at_once(name: str) -> None:
    runner = sandbox(PLANS[name], 2)
    hanging = program("import time\ntime.sleep(100)\n", "f()", limits=Limits(cpu=100, wall=100))
    found: list[Outcome] = []

    def listen() -> None:
        with contextlib.suppress(CancelledError):  # those that had not begun
            found.extend(runner.run_all([hanging] * 4))

    listener = threading.Thread(target=listen)
    listener.start()
    time.sleep(1)
    pids = descendants(runner.processes())
    started = time.monotonic()
    runner.close()
    assert time.monotonic() - started < 20  # of the hundred seconds that each of them has
    listener.join(20)
    assert not listener.is_alive()
    assert soon(lambda: not any(Path(f"/proc/{pid}").exists() for pid in pids))
    assert {outcome.verdict for outcome in found} <= {Verdict.SANDBOX_ERROR}


def test_the_folders_of_workers_that_are_gone_are_swept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with subprocess.Popen(["/bin/true"]) as gone:
        gone.wait()
    mine, left = (tmp_path / f"{JOBS_PREFIX}{pid}-x" for pid in (os.getpid(), gone.pid))
    others = tmp_path / f"{JOBS_PREFIX}none-x"
    for folder in (mine, left, others):
        (folder / "job").mkdir(parents=True)
    sweep()
    assert sorted(tmp_path.iterdir()) == sorted([mine, others])


@pytest.mark.slow
def test_a_thousand_programs_leave_memory_and_processes_as_they_were(tier: Sandbox) -> None:
    assert soon(lambda: is_settled(tier))
    before = _memory(tier)
    outcomes = tier.run_all(ANSWERS[0].program for _ in range(1000))
    assert {outcome.verdict for outcome in outcomes} == {Verdict.PASSED}
    assert soon(lambda: is_settled(tier))
    assert _memory(tier) < before + (2 << 20)


def _memory(runner: Sandbox) -> int:
    """Private bytes of all the sandbox's processes together."""
    total = 0
    for pid in descendants(runner.processes()):
        rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
        total += sum(int(line.split()[1]) << 10 for line in rollup.splitlines() if line.startswith("Private_"))
    return total


def test_every_canonical_solution_of_humaneval_passes(tier: Sandbox) -> None:
    outcomes = list(tier.run_all(human_eval()))
    assert [outcome.reason for outcome in outcomes if outcome.verdict is not Verdict.PASSED] == []
    assert len(outcomes) == 164


@pytest.mark.drill
def test_they_pass_ten_times_in_a_row_on_a_loaded_machine(tier: Sandbox) -> None:
    burner = [sys.executable, "-c", "while True: pass"]
    burners = [subprocess.Popen(burner) for _ in range(4 * (os.cpu_count() or 1))]
    try:
        for _ in range(10):
            assert {outcome.verdict for outcome in tier.run_all(human_eval())} == {Verdict.PASSED}
    finally:
        for each in burners:
            each.kill()
            each.wait()
