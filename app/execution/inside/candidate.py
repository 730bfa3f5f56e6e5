"""The candidate's process: it runs the program and does what the judge asks, and knows of no tests."""

import contextlib
import linecache
import sys
import traceback
import types
from typing import Any

from . import codec, wire
from .standard import plain
from .suite import run_suite

SOCKET = 3
NAME = "candidate"
OUT_OF_MEMORY = wire.pack({"raise": ["MemoryError", "Exception"], "message": "", "errno": None})


class Candidate:
    """The program's names, and whatever of its values the judge holds by number."""

    def __init__(self) -> None:
        self.module = types.ModuleType(NAME)
        self.held: list[Any] = []

    def serve(self) -> None:
        """Answer until the judge has had enough; it ends this process."""
        while True:
            wire.send(SOCKET, self._answer(wire.receive(SOCKET)))

    def _answer(self, request: dict[str, Any]) -> bytes:
        try:
            reply = wire.pack(getattr(self, "do_" + request["do"])(**request["with"]))
        except MemoryError as error:
            error.__traceback__ = None  # its frames hold what filled the memory
            reply = OUT_OF_MEMORY
        except BaseException as error:
            reply = wire.pack(describe(error))
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(Exception):
                stream.flush()
        return reply

    def do_load(self, source: str) -> dict[str, Any]:
        """Run the program itself."""
        sys.modules[NAME] = self.module
        remember(f"{NAME}.py", source)
        exec(compile(source, f"{NAME}.py", "exec", dont_inherit=True), self.module.__dict__)  # noqa: S102  # nosec B102
        return {"ok": None}

    def do_names(self, names: list[str]) -> dict[str, Any]:
        """Which of the names the program defines."""
        return {"ok": ["l", [name for name in names if name in self.module.__dict__]]}

    def do_call(self, on: str | int, args: list[Any], kwargs: dict[str, Any]) -> dict[str, Any]:
        """Call something, and tell what became of the arguments if they changed."""
        values = [codec.decode(each, self._held) for each in args]
        named = {name: codec.decode(each, self._held) for name, each in kwargs.items()}
        result = self._found(on)(*values, **named)
        after = [codec.encode(each, self._hold) for each in values]
        return {"ok": codec.encode(result, self._hold), "args": after if after != args else None}

    def do_operate(self, on: str | int, name: str, args: list[Any]) -> dict[str, Any]:
        """Something that Python does to a value: its length, its next element, whether it is true."""
        values = [codec.decode(each, self._held) for each in args]
        return {"ok": codec.encode(OPERATIONS[name](self._found(on), *values), self._hold)}

    def do_suite(self, **suite: Any) -> dict[str, Any]:
        """The weaker way: run the tests here, beside the program."""
        reply: dict[str, Any] = run_suite(self.module.__dict__, **suite)
        return reply

    def _found(self, on: str | int) -> Any:
        return self.module.__dict__[on] if isinstance(on, str) else self.held[on]

    def _held(self, content: str | int) -> Any:
        return self._found(content)

    def _hold(self, value: Any) -> Any:
        """A handle, unless the value is a built-in one under a subclass's name."""
        if (bare := plain(value)) is not value:
            return codec.encode(bare, self._hold)
        self.held.append(value)
        return ["h", len(self.held) - 1]


OPERATIONS: dict[str, Any] = {
    "get": getattr,
    "item": lambda value, key: value[key],
    "len": len,
    "iter": iter,
    "next": next,
    "bool": bool,
    "eq": lambda value, other: value == other,
    "in": lambda value, other: other in value,
    "str": str,
}


def remember(name: str, source: str) -> None:
    """So that a traceback can show the lines of a program that lies in no file."""
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)


def describe(error: BaseException) -> dict[str, Any]:
    """What the judge hears of an exception; its traceback goes where people read it."""
    names = [kind.__name__ for kind in type(error).__mro__ if kind.__module__ == "builtins"]
    with contextlib.suppress(Exception):
        traceback.print_exception(error, limit=-20)
    number = getattr(error, "errno", None)
    return {
        "raise": names,
        "class": type(error).__name__[:100],
        "message": _text(error),
        "errno": number if type(number) is int else None,
    }


def _text(error: BaseException) -> str:
    try:
        return str(error)[:1000]
    except BaseException:
        return ""
