"""A worker that is busy for ever; test_worker_killed.py starts and kills it. Prints the processes of its sandbox."""

import sys
import threading
import time

from app.execution.protocol import Limits
from app.execution.runner import Sandbox
from tests.execution.conftest import PLANS
from tests.execution.leftovers import descendants
from tests.execution.programs import program

if __name__ == "__main__":
    sandbox = Sandbox(PLANS[sys.argv[1]], 1)
    limits = Limits(cpu=100, wall=100)
    source = "open('mine', 'w').write('x')\nimport time\ntime.sleep(100)\n"
    threading.Thread(target=sandbox.run, args=(program(source, "f()", limits=limits),), daemon=True).start()
    while not sandbox.processes():
        time.sleep(0.05)
    time.sleep(1)
    folders = [slot.zygote.folder or "" for slot in sandbox.slots if slot.zygote]
    print(*folders, *sorted(descendants(sandbox.processes())), flush=True)  # noqa: T201
    time.sleep(100)
