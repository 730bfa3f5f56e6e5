"""The worker that an embedded server starts, watches, and starts again when it dies."""

import os
import subprocess
import sys
import threading
import time

from app.config import PROJECT_ROOT, Settings

RESTART_SECONDS = 1.0
LONGEST_PAUSE_SECONDS = 30.0
STOP_SECONDS = 10.0
# One machine for all: models run here, too, on its graphics card or without one.
QUEUES = ("--queue", "cpu", "--queue", "gpu")


class Companion:
    """A worker process beside this one."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._stopping = threading.Event()
        self._process = self._start()
        self._thread = threading.Thread(target=self._watch, name="companion", daemon=True)
        self._thread.start()

    def _start(self) -> subprocess.Popen[bytes]:
        # A session of its own: Ctrl-C reaches the server alone, which then stops the worker in order.
        return subprocess.Popen(  # noqa: S603 - our own program
            [sys.executable, "-P", "-m", "app.cli", "worker", *QUEUES, "--parent", str(os.getpid())],
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join([str(PROJECT_ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]),
                "CODEJURY_DATA_DIR": str(self.settings.data_dir.resolve()),
            },
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            start_new_session=True,
        )

    def _watch(self) -> None:
        pause = RESTART_SECONDS
        started_at = time.monotonic()
        while True:
            code = self._process.wait()
            if self._stopping.is_set():
                return
            # One that dies at once will most likely do so again: wait longer each time.
            pause = RESTART_SECONDS if time.monotonic() - started_at > 60 else min(2 * pause, LONGEST_PAUSE_SECONDS)
            print(f"The worker ended ({code}); a new one starts.", file=sys.stderr, flush=True)  # noqa: T201
            if self._stopping.wait(pause):
                return
            started_at = time.monotonic()
            self._process = self._start()

    def stop(self) -> None:
        """Stop the worker: politely, then not."""
        self._stopping.set()
        self._process.terminate()
        try:
            self._process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
        self._thread.join()
