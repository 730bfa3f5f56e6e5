"""A root of its own: nothing of the machine but the interpreter, read-only, without network and other processes."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import NoReturn

from . import libc

OUTER = libc.NEW_USER | libc.NEW_NS | libc.NEW_PID | libc.NEW_NET | libc.NEW_IPC | libc.NEW_UTS | libc.NEW_CGROUP
JOB = libc.NEW_NS | libc.NEW_PID  # messages between processes need no wall of their own: no job may send any
NOBODY = 65534
TMP_OPTIONS = "size=32m,nr_inodes=2048,mode=1777"
DEVICES = ("null", "zero", "full", "random", "urandom")
# What statvfs calls a mount's flags and what mount does; a bind that leaves one out is refused.
STATVFS_FLAGS = {1: 1, 2: 2, 4: 4, 8: 8, 1024: 1024, 2048: 2048, 4096: 1 << 21}


def enter(prefixes: Iterable[str]) -> None:
    """Leave this machine for a root that holds the folders alone. The caller goes on as its process number one."""
    _unshare_as_nobody(OUTER)
    if child := os.fork():
        follow(child)
    libc.prctl(libc.PDEATHSIG, 9)
    libc.call("sethostname", b"sandbox", 7)
    _new_root(prefixes)


def _unshare_as_nobody(flags: int) -> None:
    uid, gid = os.getuid(), os.getgid()
    libc.unshare(flags)
    Path("/proc/self/setgroups").write_text("deny", encoding="ascii")
    Path("/proc/self/uid_map").write_text(f"{NOBODY} {uid} 1", encoding="ascii")
    Path("/proc/self/gid_map").write_text(f"{NOBODY} {gid} 1", encoding="ascii")


def enter_within() -> None:
    """Inside of bwrap, which keeps its own mounts to itself: the right to mount for each job, and no /proc."""
    _unshare_as_nobody(libc.NEW_USER | libc.NEW_NS)
    libc.mount("none", "/proc", "tmpfs", libc.READ_ONLY | libc.NO_SUID | libc.NO_DEV | libc.NO_EXEC, "size=4k")


def for_job() -> None:
    """What one job has for itself: processes to come, and an empty /tmp of limited size."""
    libc.unshare(JOB)
    libc.mount("none", "/tmp", "tmpfs", libc.NO_SUID | libc.NO_DEV, TMP_OPTIONS)  # noqa: S108 - it is made here  # nosec B108


def follow(child: int) -> NoReturn:
    """The process outside waits, so that whoever started it has one process to wait for and to kill."""
    _, status = os.waitpid(child, 0)
    os._exit(os.waitstatus_to_exitcode(status) & 0xFF)


def _new_root(prefixes: Iterable[str]) -> None:
    libc.mount("none", "/", None, libc.RECURSIVE | libc.PRIVATE)
    base = "/tmp"  # noqa: S108 - any folder will do as the place of a mount that nobody else sees  # nosec B108
    libc.mount("none", base, "tmpfs", libc.NO_SUID | libc.NO_DEV, "size=1m,mode=755")
    for name in ("old", "proc", "tmp", "dev"):
        Path(base, name).mkdir()
    for prefix in prefixes:
        _bind_folder(base, prefix)
    for name in DEVICES:
        _bind_device(base, name)
    os.chdir(base)
    libc.call("pivot_root", b".", b"old")
    os.chdir("/")
    libc.call("umount2", b"/old", libc.DETACH)
    Path("/old").rmdir()
    libc.mount("none", "/", None, libc.REMOUNT | libc.BIND | libc.READ_ONLY | libc.NO_SUID | libc.NO_DEV)


def _bind_folder(base: str, path: str) -> None:
    target = Path(base + path)
    if Path(path).is_symlink():
        target.symlink_to(Path(path).readlink())
        return
    if not Path(path).is_dir() or target.exists():
        return
    target.mkdir(parents=True)
    libc.mount(path, str(target), None, libc.BIND | libc.RECURSIVE)
    kept = os.statvfs(target).f_flag
    flags = sum(mount for statvfs, mount in STATVFS_FLAGS.items() if kept & statvfs)
    libc.mount("none", str(target), None, libc.REMOUNT | libc.BIND | libc.READ_ONLY | libc.NO_SUID | flags)


def _bind_device(base: str, name: str) -> None:
    target = Path(base, "dev", name)
    target.touch()
    libc.mount(f"/dev/{name}", str(target), None, libc.BIND)
