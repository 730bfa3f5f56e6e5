"""Which interpreter runs the programs, and which of this machine's folders it needs."""

import os
import subprocess  # started with fixed arguments only  # nosec B404
import sys
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

NOBODY = 65534
SYSTEM = ("/usr/local/bin/python3", "/usr/bin/python3")
ENVIRONMENT = {
    "PATH": "/usr/bin",
    "LANG": "C.UTF-8",
    "TZ": "UTC",
    "PYTHONHASHSEED": "0",
    "OMP_NUM_THREADS": "1",
    "PYTHONDONTWRITEBYTECODE": "1",
}
SYSTEM_FOLDERS = ("/usr", "/bin", "/lib", "/lib64")
ASK = "import sys; print(sys.base_prefix); print(sys.version_info >= (3, 11))"


@dataclass(frozen=True)
class Interpreter:
    """A Python that the sandbox's user may read."""

    program: str
    readable: tuple[str, ...]


def user() -> tuple[int, int] | None:
    """Whom to become: nobody, where this process is root; else who it is."""
    return (NOBODY, NOBODY) if os.geteuid() == 0 else None


@lru_cache
def find() -> Interpreter | None:
    """This process' own interpreter, unless the sandbox's user can't reach it; then the system's."""
    own = str(Path(getattr(sys, "_base_executable", None) or sys.executable).resolve())
    for program in (own, *SYSTEM):
        prefix = _prefix(program)
        if prefix is not None:
            folders = SYSTEM_FOLDERS if prefix.startswith("/usr") else (*SYSTEM_FOLDERS, prefix)
            return Interpreter(str(Path(program).resolve()), folders)
    return None


def _prefix(program: str) -> str | None:
    """Where its library lies; None where it is missing, too old, or out of that user's reach."""
    uid, gid = user() or (None, None)
    try:
        answer = subprocess.run(  # noqa: S603 - a fixed program and question  # nosec B603
            [program, "-I", "-S", "-c", ASK],
            capture_output=True,
            text=True,
            timeout=30,
            user=uid,
            group=gid,
            extra_groups=[] if uid is not None else None,
            env=ENVIRONMENT,
            cwd="/",
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    prefix, is_new_enough = answer.stdout.splitlines()
    return prefix if is_new_enough == "True" else None
