"""Values of the standard library that programs return where tests expect plain ones: as their type and its parts."""

import datetime
from collections import Counter, OrderedDict, defaultdict, deque, namedtuple
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

Parts = tuple[Any, ...]


def _row(fields: list[str], values: tuple[Any, ...]) -> tuple[Any, ...]:
    """A named tuple with these fields, which equals the plain one."""
    return tuple.__new__(namedtuple("Row", fields, rename=True), values)


# What makes the value from its parts.
READERS: dict[str, Callable[..., Any]] = {
    "Counter": Counter,
    "OrderedDict": OrderedDict,
    "defaultdict": defaultdict,
    "deque": deque,
    "range": range,
    "Fraction": Fraction,
    "Decimal": Decimal,
    "date": datetime.date.fromisoformat,
    "datetime": datetime.datetime.fromisoformat,
    "time": datetime.time.fromisoformat,
    "timedelta": datetime.timedelta,
    "namedtuple": _row,
}
_WRITERS: dict[type, Callable[[Any], Parts]] = {
    Counter: lambda value: (dict(value),),
    OrderedDict: lambda value: (list(value.items()),),
    deque: lambda value: (list(value), value.maxlen),
    range: lambda value: (value.start, value.stop, value.step),
    Fraction: lambda value: (value.numerator, value.denominator),
    Decimal: lambda value: (str(value),),
    datetime.date: lambda value: (value.isoformat(),),
    datetime.datetime: lambda value: (value.isoformat(),),
    datetime.time: lambda value: (value.isoformat(),),
    datetime.timedelta: lambda value: (value.days, value.seconds, value.microseconds),
}
FACTORIES = (None, int, float, str, bool, list, tuple, set, dict)

# What a value of a subclass is worth, read by the built-in type's own methods: what the subclass claims of itself
# (that it equals everything, say) stays behind.
_BASES: dict[type, Callable[[Any], Any]] = {
    int: int.__pos__,
    float: float.__pos__,
    complex: complex.__pos__,
    str: str.__str__,
    bytes: lambda value: bytes.__getitem__(value, slice(None)),
    bytearray: lambda value: bytearray.__getitem__(value, slice(None)),
    list: lambda value: list.__getitem__(value, slice(None)),
    tuple: lambda value: tuple.__getitem__(value, slice(None)),
    set: lambda value: set(set.__iter__(value)),
    frozenset: lambda value: frozenset(frozenset.__iter__(value)),
    dict: lambda value: dict(dict.items(value)),
}


def standard(value: Any, kind: type) -> tuple[str, Parts] | None:
    """The name and the parts of a value whose exact type is one of these; None for any other."""
    if kind is defaultdict:
        plain = any(value.default_factory is each for each in FACTORIES)
        return ("defaultdict", (value.default_factory, dict(value))) if plain else None
    if issubclass(kind, tuple) and (fields := _fields(kind)):
        return "namedtuple", (fields, tuple.__getitem__(value, slice(None)))
    return (kind.__name__, _WRITERS[kind](value)) if kind in _WRITERS else None


def _fields(kind: type) -> list[str]:
    """The names of a named tuple's fields; none where it isn't one."""
    fields = kind.__dict__.get("_fields")
    return list(fields) if type(fields) is tuple and all(type(each) is str for each in fields) else []


def plain(value: Any) -> Any:
    """The built-in value under a subclass's (a named tuple, an IntEnum); the value itself where there is none."""
    kind = type(value)
    return next((read(value) for base, read in _BASES.items() if kind is not base and issubclass(kind, base)), value)
