"""Values as tagged plain data. Never pickle: what comes from a candidate is read, not obeyed.

Exact built-in types are data, and so are the containers and numbers of ``standard``. Whatever else (a generator, an
object of the program's own) is left to the caller's ``other``, which makes a handle of it.
"""

import builtins
from collections import deque
from collections.abc import Callable
from typing import Any

from .standard import READERS, standard

DEEPEST = 200
TYPES = {name: value for name, value in vars(builtins).items() if isinstance(value, type)}
TYPE_NAMES = {value: name for name, value in TYPES.items()}
GROUPS: dict[str, Callable[[list[Any]], Any]] = {"l": list, "t": tuple, "s": set, "f": frozenset}
WRITERS: dict[type, tuple[str, Callable[[Any], str]]] = {
    int: ("i", hex),  # decimal would be quadratic
    float: ("r", float.hex),
    complex: ("c", lambda value: f"{value.real.hex()} {value.imag.hex()}"),
    bytes: ("b", bytes.hex),
    bytearray: ("B", bytearray.hex),
}
TAGS: dict[type, str] = {list: "l", tuple: "t", set: "s", frozenset: "f"}


class TooDeep(Exception):
    """A value nested deeper than anyone compares."""


def encode(value: Any, other: Callable[[Any], Any], depth: int = 0) -> Any:
    """The value as JSON can say it."""
    kind = type(value)
    if value is None or kind is bool or kind is str:
        return value
    if scalar := _scalar(value, kind):
        return scalar
    if depth > DEEPEST:
        raise TooDeep(f"a value nested more than {DEEPEST} deep")
    if kind in TAGS:
        return [TAGS[kind], [encode(each, other, depth + 1) for each in list(value)]]
    if kind is dict:
        return ["d", [[encode(key, other, depth + 1), encode(each, other, depth + 1)] for key, each in value.items()]]
    if known := standard(value, kind):
        name, parts = known
        return ["x", name, encode(parts, other, depth + 1)]
    return ["T", TYPE_NAMES[value]] if kind is type and value in TYPE_NAMES else other(value)


def decode(data: Any, handle: Callable[[Any], Any]) -> Any:
    """The value that was encoded; ValueError, KeyError or TypeError where nothing was."""
    if data is None or isinstance(data, bool | str):
        return data
    tag, content, *parts = data
    if tag == "x":
        return READERS[content](*decode(parts[0], handle))
    if tag in GROUPS:
        return GROUPS[tag]([decode(each, handle) for each in content])
    if tag == "d":
        return {decode(key, handle): decode(each, handle) for key, each in content}
    if tag == "h":
        return handle(content)
    return SCALARS[tag](content)


def restore(old: Any, new: Any) -> None:
    """Bring a mutable value to what became of it elsewhere, keeping its identity and that of what it holds."""
    if type(old) is not type(new):
        return
    if type(old) is list:
        for index, (before, after) in enumerate(zip(old, new, strict=False)):
            new[index] = _kept(before, after)
        old[:] = new
    elif isinstance(old, dict):
        merged = {key: _kept(old[key], each) if key in old else each for key, each in new.items()}
        old.clear()
        dict.update(old, merged)
    elif type(old) is set:
        old.clear()
        old.update(new)
    elif type(old) is deque:
        old.clear()
        old.extend(new)
    elif type(old) is bytearray:
        old[:] = new


def _kept(before: Any, after: Any) -> Any:
    if type(before) is type(after) and isinstance(before, list | dict | set | bytearray | deque):
        restore(before, after)
        return before
    return after


def _scalar(value: Any, kind: type) -> list[str] | None:
    if value is ... or value is NotImplemented:
        return ["n", str(value)]
    if kind not in WRITERS:
        return None
    tag, write = WRITERS[kind]
    return [tag, write(value)]


def _complex(text: str) -> complex:
    real, imaginary = text.split()
    return complex(float.fromhex(real), float.fromhex(imaginary))


SCALARS: dict[str, Callable[[Any], Any]] = {
    "i": lambda text: int(text, 16),
    "r": float.fromhex,
    "c": _complex,
    "b": bytes.fromhex,
    "B": bytearray.fromhex,
    "n": {"Ellipsis": ..., "NotImplemented": NotImplemented}.__getitem__,
    "T": TYPES.__getitem__,
}
