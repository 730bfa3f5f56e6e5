"""The judge's side of a program in another language: its tests run beside it, so a pass takes a secret's return.

The judge makes the secret when the program has been compiled. What wraps the tests takes it from standard input
before anything of the program runs, and gives it back there when the tests are through. No exit code and no output
says it.
"""

import os
import secrets
import socket
import time
from collections.abc import Mapping
from typing import Any, NoReturn

from . import wire
from .watch import Watch, end_of, of_death

NONCE_BYTES = 16
COMPILE_GRACE = 5.0
MOST_REPORT = 64 << 10
FORBIDDEN = ("Operation not permitted", "Permission denied", "EPERM", "EACCES")
FORBIDDEN_CLASSES = ("java.nio.file.AccessDeniedException",)


def judge_runtime(watch: Watch, job: Mapping[str, Any]) -> NoReturn:
    """Compile and run one program."""
    try:
        _judge(watch, job)
    except wire.Malformed as error:
        watch.conclude("error", f"it sent {error}")


def _judge(watch: Watch, job: Mapping[str, Any]) -> NoReturn:
    watch.strength = "in_process"
    runtime, limits = job["runtime"], dict(watch.limits)
    patience = runtime["compile_seconds"] + COMPILE_GRACE
    watch.begin({**limits, "wall": patience, "cpu": patience})
    _compile(watch, runtime)
    watch.sought = tuple(each.encode() for each in runtime["memory_words"])
    watch.begin(limits)
    nonce = secrets.token_hex(NONCE_BYTES)
    connection = socket.socket(fileno=os.dup(watch.child.socket))
    try:
        connection.sendall(nonce.encode())
        connection.shutdown(socket.SHUT_WR)  # whatever the program reads itself, it finds the end
    except OSError:
        pass  # it has gone already
    _conclude(watch, runtime, nonce, watch.rest(MOST_REPORT))


def _compile(watch: Watch, runtime: Mapping[str, Any]) -> None:
    reply = wire.unpack(watch.frame())["ok"]
    said = reply["said"].strip()
    if reply["code"] is None:
        watch.conclude("timeout", f"compiling took more than {runtime['compile_seconds']:g} s", limit="compile")
    if reply["code"] == 127 and "it could not be started" in said:
        watch.conclude("sandbox_error", said)
    if reply["code"] != 0:
        watch.errors = bytearray(said.encode()[:1536])
        watch.conclude("error", f"it does not compile: {said or 'the compiler gave no reason'}")


def _conclude(watch: Watch, runtime: Mapping[str, Any], nonce: str, report: bytes) -> NoReturn:
    """Exactly here a program passes: the secret came back, and it left with code 0."""
    end = _end(watch)
    given, _, told = report.decode(errors="replace").partition(" ")
    if given != nonce:
        watch.drain_all()
        _conclude_dead(watch, end)
    if told == "passed" and end == (False, 0):
        watch.conclude("passed", "")
    kind, _, rest = told.partition(" ")
    if kind != "raised":
        watch.conclude(*of_death(end))
    watch.conclude(*_of_error(runtime, rest))


def _end(watch: Watch) -> tuple[bool, int] | None:
    """How it ended, where it does so soon after it let go of its connection."""
    until = time.monotonic() + 1
    while (end := end_of(watch.child.pid)) is None and time.monotonic() < until:
        time.sleep(0.002)
    return end


def _conclude_dead(watch: Watch, end: tuple[bool, int] | None) -> NoReturn:
    if watch.has_said_them and end != (False, 0):
        watch.conclude("memory", "it wanted more memory than it may have")
    words = watch.errors.decode(errors="replace")
    if end == (False, 127) and "it could not be started" in words:
        watch.conclude("sandbox_error", words)
    watch.conclude(*of_death(end))


def _of_error(runtime: Mapping[str, Any], told: str) -> tuple[str, str]:
    """From "LINE CLASS MESSAGE": the line of the file that an exception came from (0: none), and what it was."""
    line, _, what = told.partition(" ")
    name, _, message = what.partition(" ")
    reason = f"{name}: {message}" if message.strip() else name
    if name in runtime["memory_errors"]:
        return "memory", f"{name}: it wanted more memory than it may have"
    if name in runtime["assertions"] and line.isdigit() and int(line) >= runtime["tests_begin"]:
        return "failed", f"line {int(line) - runtime['tests_begin'] + 1} of the tests: {reason}"
    if name in FORBIDDEN_CLASSES or any(each in message for each in FORBIDDEN):
        return "blocked", reason
    return "error", reason
