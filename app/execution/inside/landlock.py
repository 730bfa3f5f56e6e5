"""Landlock: rules on files, TCP and signals that a process without rights lays on itself for good.

Source: https://docs.kernel.org/userspace-api/landlock.html (ABI 1 to 6).
"""

import ctypes
import os
import struct
from collections.abc import Iterable

from . import libc

CREATE, ADD_RULE, RESTRICT = 444, 445, 446
PATH_BENEATH = 1
EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1, 2, 4, 8
READING = READ_FILE | READ_DIR
REFER, TRUNCATE, IOCTL_DEV = 1 << 13, 1 << 14, 1 << 15
FIRST_ABI = (1 << 13) - 1
TCP = 3  # bind and connect
SCOPED = 3  # abstract sockets and signals


def abi() -> int:
    """Which version the kernel offers; 0 without any."""
    try:
        return libc.syscall(CREATE, None, 0, 1)
    except OSError:
        return 0


def restrict(
    version: int,
    readable: Iterable[str],
    writable: Iterable[str],
    devices: Iterable[str],
    executable: Iterable[str] = (),
) -> None:
    """From now on: read there, do everything with files there, read and write those devices, start those programs,
    and nothing else."""
    everything = _file_rights(version)
    rules = struct.pack("QQQ", everything, TCP if version >= 4 else 0, SCOPED if version >= 6 else 0)
    rules = rules[: 8 if version < 4 else 16 if version < 6 else 24]
    ruleset = libc.syscall(CREATE, ctypes.create_string_buffer(rules, len(rules)), len(rules), 0)
    for path in readable:
        _allow(ruleset, path, READING)
    for path in writable:
        _allow(ruleset, path, everything & ~EXECUTE & ~IOCTL_DEV)
    for path in devices:
        _allow(ruleset, path, READ_FILE | WRITE_FILE)
    for path in executable:
        _allow(ruleset, path, READ_FILE | EXECUTE)
    libc.prctl(libc.SET_NO_NEW_PRIVS, 1)
    libc.syscall(RESTRICT, ruleset, 0)
    os.close(ruleset)


def _file_rights(version: int) -> int:
    rights = FIRST_ABI
    for since, right in ((2, REFER), (3, TRUNCATE), (5, IOCTL_DEV)):
        rights |= right if version >= since else 0
    return rights


def _allow(ruleset: int, path: str, rights: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    rule = struct.pack("=Qi", rights, place)
    libc.syscall(ADD_RULE, ruleset, PATH_BENEATH, ctypes.create_string_buffer(rule, len(rule)), 0)
    os.close(place)
