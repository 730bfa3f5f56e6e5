"""The candidate's side of a program in another language: compiled behind the walls, then run in its place."""

import contextlib
import ctypes
import mmap
import os
import secrets
import select
import signal
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from . import libc, seccomp, wire
from .walls import Walls

SOCKET = 3
SAID = 4000  # bytes of a compiler's words that are kept
HIDING_PLACE = 64 << 20


def serve(walls: Walls, home: str, setup: Mapping[str, Any]) -> NoReturn:
    """Write the files, compile them, tell the judge, and become the program.

    Whatever ran the compiler is gone before that; its time and memory are not counted as this process' own.
    """
    runtime = setup["runtime"]
    os.environ.clear()
    os.environ.update({**runtime["environment"], "HOME": home, "TMPDIR": home})
    walls.around_runtime(home, runtime["executables"])
    for name, text in runtime["files"].items():
        Path(home, name).parent.mkdir(exist_ok=True)
        Path(home, name).write_text(text, encoding="utf-8", errors="surrogateescape")
    reply: dict[str, Any] = {"code": 0, "said": ""}
    if runtime["compile"]:
        reply = _compiled(walls, runtime)
    wire.send(SOCKET, wire.pack({"ok": reply}))
    if reply["code"] != 0:
        os._exit(0)
    walls.limit_runtime(runtime["memory"], setup["cpu"])
    os.dup2(SOCKET, 0)
    _become(walls, runtime["run"])


def _compiled(walls: Walls, runtime: Mapping[str, Any]) -> dict[str, Any]:
    """The compiler's exit code (None: stopped by its limit) and words, from a process that waits for it."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # what the compiler used up is then not counted as ours
    ours, theirs = os.pipe()
    if (child := os.fork()) == 0:
        libc.prctl(libc.PDEATHSIG, signal.SIGKILL)
        os.close(ours)
        os.close(SOCKET)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        wire.send(theirs, wire.pack(_watched(walls, runtime)))
        os._exit(0)
    os.close(theirs)
    reply: dict[str, Any] = wire.receive(ours)
    os.close(ours)
    with contextlib.suppress(ChildProcessError):
        os.waitpid(child, 0)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    return reply


def _watched(walls: Walls, runtime: Mapping[str, Any]) -> dict[str, Any]:
    words, theirs = os.pipe()
    if (child := os.fork()) == 0:
        libc.prctl(libc.PDEATHSIG, signal.SIGKILL)
        os.dup2(theirs, 1)
        os.dup2(theirs, 2)
        walls.limit_runtime(runtime["compile_memory"], runtime["compile_seconds"])
        _become(walls, runtime["compile"])
    os.close(theirs)
    said, until = bytearray(), time.monotonic() + runtime["compile_seconds"]
    while (left := until - time.monotonic()) > 0:
        if select.select([words], [], [], left)[0]:
            part = os.read(words, 1 << 16)
            if not part:
                break
            said += part[: max(SAID - len(said), 0)]
    else:
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status) if left > 0 else None
    return {"code": code, "said": said.decode(errors="replace")}


def _become(walls: Walls, command: Sequence[str]) -> NoReturn:
    """The last program that this process may start: its name lies where nobody finds it afterwards."""
    try:
        place = mmap.mmap(-1, HIDING_PLACE)
        name = os.fsencode(command[0]) + b"\0"
        offset = secrets.randbelow(HIDING_PLACE - len(name))
        place[offset : offset + len(name)] = name
        start = ctypes.addressof(ctypes.c_char.from_buffer(place))
        arguments = _strings(os.fsencode(each) for each in command)
        environment = _strings(os.fsencode(f"{key}={value}") for key, value in os.environ.items())
        os.closerange(3, 256)
        if walls.tier != "none":
            seccomp.install_before_program(start + offset)
        libc.call("execve", ctypes.c_void_p(start + offset), arguments, environment)
    except BaseException as error:
        os.write(2, f"it could not be started: {error}\n".encode())
    os._exit(127)


def _strings(parts: Any) -> Any:
    texts = [*parts, None]
    return (ctypes.c_char_p * len(texts))(*texts)
