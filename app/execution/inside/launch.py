"""Where a sandbox begins: give up rights, build the walls that the tier is made of, become the fork server."""

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from . import landlock, libc, namespaces, seccomp, wire, zygote
from .walls import Walls

MOUNTED = "/runner"


def main(arguments: Sequence[str]) -> NoReturn:
    """Build what the one argument, as JSON, describes. Whatever fails is told to the worker by name."""
    config: dict[str, Any] = json.loads(arguments[0])
    try:
        _build(config)
    except Exception as error:
        wire.send(zygote.CONNECTION, wire.pack({"failed": f"{type(error).__name__}: {error}"}))
        os._exit(1)


def _build(config: dict[str, Any]) -> NoReturn:
    if not config["inner"]:
        _become(config["uid"], config["gid"])
    tier = config["tier"]
    if tier != "none" and not seccomp.is_known(os.uname().machine):
        raise OSError(f"the system calls of {os.uname().machine} are not known")
    version = landlock.abi()
    if tier == "landlock" and not version:
        raise OSError(f"Landlock is not available (kernel {os.uname().release}, needs 5.13)")
    if tier == "ns" and not config["inner"]:
        if config["bwrap"]:
            _become_bwrap(config)
        namespaces.enter(config["readable"])
    if config["inner"]:
        namespaces.enter_within()
    os.environ.pop("PYTHONPATH", None)
    sys.path[:] = [path for path in sys.path if path not in (MOUNTED, str(Path(__file__).parents[1]))]
    zygote.serve(Walls(tier, tuple(config["readable"]), config["parent"], version, tuple(config["executables"])))


def _become(uid: int | None, gid: int | None) -> None:
    """Root's rights over files would pass through every wall that has a mapped user."""
    if uid is not None and gid is not None:
        os.setgroups([])
        os.setresgid(gid, gid, gid)
        os.setresuid(uid, uid, uid)
        libc.prctl(libc.SET_DUMPABLE, 1)  # else this process' own map of users belongs to root


def _become_bwrap(config: dict[str, Any]) -> NoReturn:
    """As a child, since bwrap's own wish to die with its parent follows the thread that started it."""
    if child := os.fork():
        namespaces.follow(child)
    libc.prctl(libc.PDEATHSIG, 9)
    command = _bwrap(config)
    os.execv(command[0], command)  # noqa: S606 - no shell is wanted  # nosec B606


def _bwrap(config: dict[str, Any]) -> list[str]:
    folders = [part for path in config["readable"] for part in _as_bound(path)]
    variables = [part for name, value in os.environ.items() for part in ("--setenv", name, value)]
    inner = json.dumps({**config, "inner": True})
    return [
        *(config["bwrap"], "--unshare-all", "--unshare-user", "--die-with-parent", "--new-session", "--clearenv"),
        *variables,
        *("--setenv", "PYTHONPATH", MOUNTED, *folders, "--proc", "/proc", "--dev", "/dev", "--dir", "/tmp"),  # noqa: S108  # nosec B108
        *("--ro-bind", config["inside"], f"{MOUNTED}/inside", "--uid", "65534", "--gid", "65534"),
        *(
            "--hostname",
            "sandbox",
            "--chdir",
            "/",
            "--cap-drop",
            "ALL",
            "--remount-ro",
            "/dev",
            "--remount-ro",
            "/",
        ),
        *(sys.executable, "-s", "-P", "-m", "inside.launch", inner),
    ]


def _as_bound(path: str) -> list[str]:
    place = Path(path)
    if place.is_symlink():
        return ["--symlink", str(place.readlink()), path]
    return ["--ro-bind", path, path] if place.is_dir() else []


if __name__ == "__main__":
    main(sys.argv[1:])
