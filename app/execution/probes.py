"""Eight programs that prove each wall through the real path, before anybody relies on it."""

import os
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from app.execution.interpreter import ENVIRONMENT
from app.execution.protocol import Limits, Program, Tier, Verdict
from app.execution.slot import Slot
from app.execution.turns import Turns
from app.execution.zygote_process import BrokenSandbox, Plan

LIMITS = Limits(cpu=5, wall=20, memory=512 << 20)
KNOWN = (*ENVIRONMENT, "HOME", "TMPDIR", "PWD")  # whatever else a program finds in its environment has leaked
TESTS = "assert probe() == 'held'"

READ = """
def probe():
    import os
    from glob import glob
    found = [name for name in os.environ if name not in {known!r}]
    for path in [{path!r}, '/etc/shadow', *glob('/proc/[0-9]*/environ'), '/proc/self/environ']:
        try:
            found.append(open(path, 'rb').read(1) and path)
        except OSError:
            pass
    return str([each for each in found if each] or 'held')
"""
CONNECT = """
def probe():
    import socket
    try:
        socket.create_connection(('127.0.0.1', {port}), 2)
    except OSError:
        return 'held'
    return 'connected'
"""
WRITE = """
def probe():
    written = []
    for folder in ('/', '/dev/shm', '/var/tmp', {folder!r}):
        try:
            open(folder + '/codejury-probe', 'w').close()
            written.append(folder)
        except OSError:
            pass
    return str(written or 'held')
"""
FORK = """
def probe():
    import os
    try:
        if os.fork() == 0:
            os._exit(0)
    except OSError:
        return 'held'
    return 'forked'
"""
KILL = """
def probe():
    import os
    try:
        os.kill({pid}, 0)
    except OSError:
        return 'held'
    return 'reached'
"""


@dataclass(frozen=True)
class Probe:
    """A program and what it must come to."""

    name: str
    source: str
    expected: Verdict = Verdict.PASSED


def proven(plan: Plan) -> Slot:
    """A slot whose walls were tried; BrokenSandbox says which did not hold."""
    slot = Slot(plan, Turns())
    try:
        with _planted() as probes:
            for probe in probes if plan.tier is not Tier.NONE else probes[:3]:
                _try(slot, probe)
    except BaseException:
        slot.close()
        raise
    return slot


def _try(slot: Slot, probe: Probe) -> None:
    outcome = slot.run(Program(source=probe.source, tests=TESTS, entry_point="probe", limits=LIMITS))
    if outcome.verdict is Verdict.SANDBOX_ERROR:
        raise BrokenSandbox(outcome.reason)
    if outcome.verdict is not probe.expected:
        told = f"{outcome.verdict}: {outcome.reason}" + (f" ({outcome.stderr[-200:]})" if outcome.stderr else "")
        raise BrokenSandbox(f"the probe '{probe.name}' came to {told}; expected was {probe.expected}")


@contextmanager
def _planted() -> Iterator[list[Probe]]:
    """A secret file, a secret variable and a listener, all of which must stay out of reach."""
    with (
        tempfile.TemporaryDirectory(prefix="codejury-probe-") as folder,
        socket.create_server(("127.0.0.1", 0)) as line,
    ):
        Path(folder).chmod(0o777)  # only the sandbox may be what keeps the candidate out
        path = Path(folder, "secret")
        path.write_text("secret", encoding="ascii")
        path.chmod(0o644)
        yield [
            Probe("a correct program", "def probe():\n    return 'held'\n"),
            Probe("a wrong program", "def probe():\n    return 'something else'\n", Verdict.FAILED),
            Probe("a program that leaves", "def probe():\n    import os\n    os._exit(0)\n", Verdict.ERROR),
            Probe("read a secret", READ.format(known=KNOWN, path=str(path))),
            Probe("connect", CONNECT.format(port=line.getsockname()[1])),
            Probe("write outside", WRITE.format(folder=folder)),
            Probe("fork", FORK),
            Probe("signal the worker", KILL.format(pid=os.getpid())),
        ]
