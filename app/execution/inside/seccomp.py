"""A filter of system calls, written as the kernel's own small machine code (no library is needed for it)."""

import ctypes
import errno
import os
import struct
from collections.abc import Sequence
from functools import lru_cache

from . import libc
from .syscalls import AARCH64_ARCH, CONDITIONAL, NEWEST, NUMBERS, X86_64_ARCH

LOAD, RETURN, JUMP_EQUAL, JUMP_AT_LEAST, JUMP_BITS, ALWAYS = 0x20, 0x06, 0x15, 0x35, 0x45, 0x05
ALLOW, KILL, ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
NUMBER_AT, ARCH_AT, ARGUMENTS_AT = 0, 4, 16
CLONE_THREAD, X32_BIT, AF_UNIX = 0x00010000, 0x40000000, 1
FILTER_MODE = 2

Instruction = tuple[int, int, int, int]


def is_known(machine: str) -> bool:
    """Whether the numbers of this machine's calls are known."""
    return machine in ("x86_64", "aarch64")


@lru_cache
def _refusals(machine: str) -> bytes:
    """The part that is the same for every process; the fork server's children inherit it ready-made."""
    column = 0 if machine == "x86_64" else 1
    code: list[Instruction] = []
    for numbers in NUMBERS.values():
        if (number := numbers[column]) is not None:
            code += [(JUMP_EQUAL, 0, 1, number), _deny(errno.EPERM)]
    return _packed(code)


def warm() -> None:
    """Make now what every process will need."""
    _refusals(os.uname().machine)


def program(machine: str, own: int, killable: Sequence[int] = (), program_at: int = 0) -> bytes:
    """The filter for process ``own``, which may signal itself and those ``killable``.

    ``program_at``: the one address at which a program's name may lie that it starts; 0: it may start none.
    """
    column = 0 if machine == "x86_64" else 1
    first = _prologue(X86_64_ARCH if column == 0 else AARCH64_ARCH)
    if program_at:
        first += _only_at(NUMBERS["execve"][column] or 0, program_at)
    conditional = {name: numbers[column] for name, numbers in CONDITIONAL.items()}
    code = _unless(conditional["socket"], 0, [AF_UNIX])
    code += _unless(conditional["kill"], 0, [own, *killable])
    code += _unless(conditional["tgkill"], 0, [own])
    # It names a thread without its process, and nobody needs it.
    code += _unless(conditional["tkill"], 0, [own])
    code += _unless(conditional["prlimit64"], 0, [0, own])
    code += [(JUMP_EQUAL, 0, 1, conditional["clone3"]), _deny(errno.ENOSYS)]
    code += _threads_only(conditional["clone"])
    code += _when(conditional["prctl"], 0, libc.PDEATHSIG)
    code += [(RETURN, 0, 0, ALLOW)]
    return _packed(first) + _refusals(machine) + _packed(code)


def _packed(code: Sequence[Instruction]) -> bytes:
    return b"".join(struct.pack("HBBI", *each) for each in code)


def install(filter_: bytes) -> None:
    """Put the filter on this process for good. It needs no rights, but gives up ever gaining any."""
    buffer = ctypes.create_string_buffer(filter_, len(filter_))
    described = struct.pack("HxxxxxxP", len(filter_) // 8, ctypes.addressof(buffer))
    libc.prctl(libc.SET_NO_NEW_PRIVS, 1)
    pointer = ctypes.create_string_buffer(described, len(described))
    libc.call("prctl", ctypes.c_int(libc.SET_SECCOMP), ctypes.c_ulong(FILTER_MODE), pointer, 0, 0)


def install_here(killable: Sequence[int] = ()) -> None:
    """The filter for this very process."""
    install(program(os.uname().machine, os.getpid(), killable))


def install_before_program(program_at: int) -> None:
    """The filter for a process that is about to become another program, whose name lies at that address.

    The address is gone with the process' memory, so that the new program can't start a third.
    """
    install(program(os.uname().machine, os.getpid(), program_at=program_at))


def _prologue(arch: int) -> list[Instruction]:
    """Another architecture's numbers mean other calls, so whoever uses them is killed."""
    return [
        (LOAD, 0, 0, ARCH_AT),
        (JUMP_EQUAL, 1, 0, arch),
        (RETURN, 0, 0, KILL),
        (LOAD, 0, 0, NUMBER_AT),
        (JUMP_AT_LEAST, 0, 1, X32_BIT),
        (RETURN, 0, 0, KILL),
        (JUMP_AT_LEAST, 0, 1, NEWEST + 1),
        _deny(errno.ENOSYS),
    ]


def _deny(number: int) -> Instruction:
    return (RETURN, 0, 0, ERRNO | number)


def _argument(index: int) -> Instruction:
    return (LOAD, 0, 0, ARGUMENTS_AT + 8 * index)


def _unless(number: int, argument: int, allowed: Sequence[int]) -> list[Instruction]:
    """Refuse the call unless the argument is one of the allowed."""
    checks: list[Instruction] = []
    for value in allowed:
        checks += [(JUMP_EQUAL, 0, 1, value & 0xFFFFFFFF), (RETURN, 0, 0, ALLOW)]
    body = [_argument(argument), *checks, _deny(errno.EPERM)]
    return [(JUMP_EQUAL, 0, len(body), number), *body]


def _only_at(number: int, address: int) -> list[Instruction]:
    """Allow the call if its first argument is that address, both halves of it."""
    low, high = address & 0xFFFFFFFF, address >> 32
    body = [
        _argument(0),
        (JUMP_EQUAL, 0, 3, low),
        (LOAD, 0, 0, ARGUMENTS_AT + 4),
        (JUMP_EQUAL, 0, 1, high),
        (RETURN, 0, 0, ALLOW),
        _deny(errno.EPERM),
    ]
    return [(JUMP_EQUAL, 0, len(body), number), *body]


def _when(number: int, argument: int, refused: int) -> list[Instruction]:
    body = [_argument(argument), (JUMP_EQUAL, 0, 1, refused), _deny(errno.EPERM), (RETURN, 0, 0, ALLOW)]
    return [(JUMP_EQUAL, 0, len(body), number), *body]


def _threads_only(clone: int) -> list[Instruction]:
    body = [_argument(0), (JUMP_BITS, 1, 0, CLONE_THREAD), _deny(errno.EPERM), (RETURN, 0, 0, ALLOW)]
    return [(JUMP_EQUAL, 0, len(body), clone), *body]
