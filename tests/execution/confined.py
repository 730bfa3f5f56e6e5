"""What ``open_runner`` finds where the kernel refuses parts of the walls; test_tiers.py runs it as a process.

The refusals are real: a filter of system calls like that of a container's engine.
"""

import errno
import os
import struct
import sys

from app.execution import NoSandbox, open_runner
from app.execution.inside import libc, seccomp, syscalls

REFUSED = {
    "namespaces": ("unshare",),
    "everything": ("unshare", "landlock_create_ruleset"),
}


def refuse(names: tuple[str, ...]) -> None:
    """As Docker's default profile does, and older kernels."""
    column = 0 if os.uname().machine == "x86_64" else 1
    code = [(seccomp.LOAD, 0, 0, seccomp.NUMBER_AT)]
    for name in names:
        number = syscalls.NUMBERS[name][column] or 0
        code += [(seccomp.JUMP_EQUAL, 0, 1, number), (seccomp.RETURN, 0, 0, seccomp.ERRNO | errno.EPERM)]
    # bwrap clones into its namespaces.
    code += [(seccomp.JUMP_EQUAL, 0, 3, syscalls.CONDITIONAL["clone"][column]), (seccomp.LOAD, 0, 0, 16)]
    code += [(seccomp.JUMP_BITS, 0, 1, libc.NEW_USER), (seccomp.RETURN, 0, 0, seccomp.ERRNO | errno.EPERM)]
    code += [(seccomp.RETURN, 0, 0, seccomp.ALLOW)]
    seccomp.install(b"".join(struct.pack("HBBI", *each) for each in code))


if __name__ == "__main__":
    refuse(REFUSED[sys.argv[1]])
    try:
        with open_runner(1, allow_unsafe=sys.argv[2] == "unsafe") as runner:
            print(runner.tier, *(name for name, _ in runner.tried), sep="\n")  # noqa: T201
    except NoSandbox as error:
        print(error.in_words())  # noqa: T201
