"""JSON read strictly: what Python's reader lets pass and a database would change or refuse is an error here."""

import json
import math
from typing import Any, NoReturn

# The largest number of digits that every integer of 64 bits has; longer ones would be cut somewhere.
MAX_DIGITS = 18


class JSONProblem(ValueError):
    """Why the text is not JSON that we take; the message says where and what."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for position, name in enumerate(names) if name in names[:position])
        raise JSONProblem(f"The name {twice!r} stands twice in one object.")
    return result


def _constant(name: str) -> NoReturn:
    raise JSONProblem(f"{name} is not JSON; write null where there is no value.")


def _integer(digits: str) -> int:
    if len(digits.lstrip("-")) > MAX_DIGITS:
        raise JSONProblem(f"The number {digits[:12]}… has more than {MAX_DIGITS} digits; write it as text.")
    return int(digits)


def _float(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise JSONProblem(f"The number {digits[:20]} is too large.")
    return value


_decoder = json.JSONDecoder(
    object_pairs_hook=_object, parse_constant=_constant, parse_int=_integer, parse_float=_float
)


def decode(text: str, start: int = 0) -> tuple[Any, int]:
    """The value that begins at ``start`` and where it ends; JSONProblem says what is wrong."""
    try:
        return _decoder.raw_decode(text, start)
    except json.JSONDecodeError as error:
        raise JSONProblem(f"Not JSON at character {error.pos - start + 1}: {error.msg}.") from error
    except RecursionError as error:
        raise JSONProblem("The value is nested too deeply.") from error


def skip_space(text: str, start: int) -> int:
    """The next place that is not JSON's white space."""
    while start < len(text) and text[start] in " \t\n\r":
        start += 1
    return start
