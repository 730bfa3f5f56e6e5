"""`make run`, as a newcomer types it: three addresses, pages that answer, and nothing left after Ctrl-C."""

import os
import re
import signal
import socket
import subprocess
import time
import urllib.request
from pathlib import Path

from app.config import PROJECT_ROOT

PATIENCE = 120


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _until(output: Path, pattern: str) -> str:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        if found := re.search(pattern, output.read_text()):
            return found[1]
        time.sleep(0.1)
    raise AssertionError(f"{pattern} did not come:\n{output.read_text()}")


def test_make_run_prints_the_links_and_stops_cleanly(tmp_path: Path) -> None:
    output, port = tmp_path / "output", _free_port()
    environment = os.environ | {"PORT": str(port), "CODEJURY_DATA_DIR": str(tmp_path / "data")}
    with output.open("w") as file:
        process = subprocess.Popen(
            ["make", "run"],
            cwd=PROJECT_ROOT,
            env=environment,
            stdout=file,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        address = _until(output, r"CodeJury is at (\S+)\n")
        invitation = _until(output, r"Grade the demo study: (\S+)\n")
        setup = _until(output, r"Become the first admin \(once\): (\S+)\n")
        for page in (f"{address}/health", invitation, setup):
            with urllib.request.urlopen(page, timeout=10) as answer:
                assert answer.status == 200
    finally:
        os.killpg(process.pid, signal.SIGINT)  # what Ctrl-C does: everyone in the foreground gets it
        process.wait(PATIENCE)
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", port)) != 0
    assert not _processes_with(str(tmp_path))


def _processes_with(text: str) -> list[str]:
    found = subprocess.run(["ps", "-eo", "pid,args"], capture_output=True, text=True, check=True).stdout
    return [line for line in found.splitlines() if text in line and "pytest" not in line]
