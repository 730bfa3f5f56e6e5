"""What the tests hold in place of the candidate's functions and objects: each use asks the candidate's process."""

import builtins
from collections.abc import Callable, Iterator
from typing import Any

from . import codec, wire

Ask = Callable[[str, dict[str, Any]], dict[str, Any]]


class Unsplittable(BaseException):
    """The tests do what can't cross between processes. No test's own ``except Exception`` may swallow it."""


class CandidateAssertion(Exception):
    """The candidate's own assertion, which must not look like a test's."""


class CandidateExit(Exception):
    """The candidate wanted to leave."""


RENAMED = {"AssertionError": CandidateAssertion}


class Remote:
    """A value that stays with the candidate. It equals no value of the tests, whatever it claims there; whether it
    equals another of the candidate's own is for the candidate to say."""

    __slots__ = ("_ask", "_on")

    def __init__(self, ask: Ask, on: str | int) -> None:
        object.__setattr__(self, "_ask", ask)
        object.__setattr__(self, "_on", on)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        sent = [codec.encode(each, _sent) for each in args]
        named = {name: codec.encode(each, _sent) for name, each in kwargs.items()}
        reply = self._ask("call", {"on": self._on, "args": sent, "kwargs": named})
        if (after := reply.get("args")) is not None:
            for old, new in zip(args, after, strict=True):
                codec.restore(old, self._decode(new))
        return self._decode(reply["ok"])

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self._operate("get", name)

    def __setattr__(self, name: str, value: object) -> None:
        raise Unsplittable(f"the tests set {name} of the candidate's own object")

    def __mro_entries__(self, bases: object) -> Any:
        raise Unsplittable("the tests subclass the candidate's class")

    def __instancecheck__(self, instance: object) -> bool:
        raise Unsplittable("the tests ask whether something is of the candidate's class")

    def __getitem__(self, key: Any) -> Any:
        return self._operate("item", key)

    def __len__(self) -> int:
        return int(self._operate("len"))

    def __bool__(self) -> bool:
        return self._operate("bool") is True

    def __contains__(self, other: Any) -> bool:
        return self._operate("in", other) is True

    def __str__(self) -> str:
        return str(self._operate("str"))

    def __iter__(self) -> Iterator[Any]:
        iterator = self._operate("iter")
        while True:
            try:
                yield iterator._operate("next") if isinstance(iterator, Remote) else next(iterator)
            except StopIteration:
                return

    def __next__(self) -> Any:
        return self._operate("next")

    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        return type(other) is Remote and (self._on == other._on or self._operate("eq", other) is True)

    def _operate(self, name: str, *args: Any) -> Any:
        sent = [codec.encode(each, _sent) for each in args]
        return self._decode(self._ask("operate", {"on": self._on, "name": name, "args": sent})["ok"])

    def _decode(self, data: Any) -> Any:
        return decoded(self._ask, data)


def decoded(ask: Ask, data: Any) -> Any:
    """A value from the candidate; Malformed where it sent none."""
    try:
        return codec.decode(data, lambda content: Remote(ask, int(content)))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise wire.Malformed(f"no value: {type(error).__name__}") from None


def as_exception(reply: dict[str, Any]) -> BaseException:
    """The nearest built-in exception to what the candidate raised, marked as the candidate's."""
    names = [str(name) for name in reply["raise"]]
    kind = next((found for name in names if (found := _exception(name))), CandidateExit)
    error = _made(kind, reply)
    error.candidates_own = reply  # type: ignore[attr-defined]
    return error


def _made(kind: type[BaseException], reply: dict[str, Any]) -> BaseException:
    message = str(reply.get("message", ""))[:1000]
    try:
        if issubclass(kind, OSError) and isinstance(reply.get("errno"), int):
            return kind(reply["errno"], message)
        return kind(message)
    except Exception:
        return ValueError(message)


def _exception(name: str) -> type[BaseException] | None:
    if name in RENAMED:
        return RENAMED[name]
    kind = getattr(builtins, name, None)
    return kind if isinstance(kind, type) and issubclass(kind, Exception) else None


def _sent(value: Any) -> list[Any]:
    if type(value) is Remote:
        return ["h", value._on]
    raise Unsplittable(f"the tests pass a {type(value).__name__} to the candidate")
