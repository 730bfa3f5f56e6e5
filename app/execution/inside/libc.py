"""The kernel's calls that Python has no name for, and nothing else."""

import ctypes
import os

LIBC = ctypes.CDLL(None, use_errno=True)

NEW_NS, NEW_CGROUP, NEW_UTS, NEW_IPC = 0x00020000, 0x02000000, 0x04000000, 0x08000000
NEW_USER, NEW_PID, NEW_NET = 0x10000000, 0x20000000, 0x40000000
READ_ONLY, NO_SUID, NO_DEV, NO_EXEC, REMOUNT, BIND, RECURSIVE, PRIVATE = 1, 2, 4, 8, 32, 4096, 16384, 1 << 18
DETACH = 2
PDEATHSIG, SET_NO_NEW_PRIVS, SET_SECCOMP, BOUNDING_DROP, SET_DUMPABLE = 1, 38, 22, 24, 4
CAP_VERSION_3 = 0x20080522
LAST_CAPABILITY = 40


def call(name: str, *arguments: object) -> int:
    """One function of the C library; OSError with its name where it fails."""
    result: int = getattr(LIBC, name)(*arguments)
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")
    return result


def syscall(number: int, *arguments: object) -> int:
    """One system call by its number; OSError where it fails."""
    longs = [ctypes.c_long(each) if isinstance(each, int) else each for each in arguments]
    return call("syscall", ctypes.c_long(number), *longs)


def unshare(flags: int) -> None:
    """Leave the namespaces that the flags name for new ones."""
    call("unshare", ctypes.c_int(flags))


def mount(source: str, target: str, kind: str | None, flags: int, options: str = "") -> None:
    """Mount, remount or bind."""
    names = (os.fsencode(source), os.fsencode(target), kind.encode() if kind else None)
    call("mount", *names, ctypes.c_ulong(flags), options.encode() or None)


def prctl(option: int, value: int) -> None:
    """One property of this process."""
    call(
        "prctl", ctypes.c_int(option), ctypes.c_ulong(value), ctypes.c_ulong(0), ctypes.c_ulong(0), ctypes.c_ulong(0)
    )


def drop_capabilities() -> None:
    """Give up every right, those that could be had again too."""
    for number in range(LAST_CAPABILITY + 1):
        # A kernel that doesn't know the number has nothing to drop.
        LIBC.prctl(BOUNDING_DROP, ctypes.c_ulong(number), ctypes.c_ulong(0), ctypes.c_ulong(0), ctypes.c_ulong(0))
    header = (ctypes.c_uint32 * 2)(CAP_VERSION_3, 0)
    call("capset", header, (ctypes.c_uint32 * 6)())
