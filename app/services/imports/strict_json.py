"""JSON read strictly: what Python's reader lets pass and a database would change or refuse is an error here."""

import json
import math
from typing import Any, NoReturn

from app.words import gettext

# The largest number of digits that every integer of 64 bits has; longer ones would be cut somewhere.
MAX_DIGITS = 18


class JSONProblem(ValueError):
    """Why the text is not JSON that we take; the message says where and what."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for position, name in enumerate(names) if name in names[:position])
        raise JSONProblem(gettext("The name %(twice)s stands twice in one object.", twice=repr(twice)))
    return result


def _constant(name: str) -> NoReturn:
    raise JSONProblem(gettext("%(name)s is not JSON; write null where there is no value.", name=name))


def _integer(digits: str) -> int:
    if len(digits.lstrip("-")) > MAX_DIGITS:
        raise JSONProblem(
            gettext(
                "The number %(digits)s… has more than %(max_digits)s digits; write it as text.",
                digits=digits[:12],
                max_digits=MAX_DIGITS,
            )
        )
    return int(digits)


def _float(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise JSONProblem(gettext("The number %(digits)s is too large.", digits=digits[:20]))
    return value


_decoder = json.JSONDecoder(
    object_pairs_hook=_object, parse_constant=_constant, parse_int=_integer, parse_float=_float
)


def decode(text: str, start: int = 0) -> tuple[Any, int]:
    """The value that begins at ``start`` and where it ends; JSONProblem says what is wrong."""
    try:
        return _decoder.raw_decode(text, start)
    except json.JSONDecodeError as error:
        raise JSONProblem(
            gettext("Not JSON at character %(pos)s: %(msg)s.", pos=error.pos - start + 1, msg=error.msg)
        ) from error
    except RecursionError as error:
        raise JSONProblem(gettext("The value is nested too deeply.")) from error


def skip_space(text: str, start: int) -> int:
    """The next place that is not JSON's white space."""
    while start < len(text) and text[start] in " \t\n\r":
        start += 1
    return start
