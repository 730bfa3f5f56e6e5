"""What pydantic found wrong, as problems in plain words, each with its place in what was sent."""

from collections.abc import Iterable, Iterator

from pydantic import ValidationError

from app.errors import Problem
from app.words import N_, gettext

# By pydantic's kind of error: the words, and the bound that they tell of.
WORDS = {
    "missing": (N_("This is needed."), ""),
    "string_too_short": (N_("This is needed."), ""),
    "string_too_long": (N_("Use at most %(number)s letters."), "max_length"),
    "string_pattern_mismatch": (N_("This holds a character that can’t stand here."), ""),
    "int_parsing": (N_("Enter a whole number."), ""),
    "int_from_float": (N_("Enter a whole number."), ""),
    "float_parsing": (N_("Enter a number."), ""),
    "float_type": (N_("Enter a number."), ""),
    "finite_number": (N_("Enter a number."), ""),
    "greater_than": (N_("This must be above %(number)s."), "gt"),
    "greater_than_equal": (N_("The least is %(number)s."), "ge"),
    "less_than_equal": (N_("The most is %(number)s."), "le"),
    "literal_error": (N_("Choose one of the answers."), ""),
    "too_short": (N_("At least %(number)s of them are needed."), "min_length"),
    "too_long": (N_("There can be at most %(number)s of them."), "max_length"),
}


def problems_in(error: ValidationError, place: str = "") -> list[Problem]:
    """One problem a place; ``field`` is the dotted way there ("choices.2.key"), below ``place``."""
    found: dict[str, Problem] = {}
    for each in error.errors():
        way = ".".join(filter(None, [place, *_steps(each["loc"])]))
        found[way] = Problem(_words(each["type"], each.get("ctx", {}), each["msg"]), field=way or None)
    return list(found.values())


def _steps(loc: Iterable[int | str]) -> Iterator[str]:
    # A value that may be whole or not is tried as both, and pydantic names each try, the wider one last.
    return (str(part) for part in loc if part not in ("int", "float"))


def _words(kind: str, context: dict[str, object], message: str) -> str:
    if kind not in WORDS:
        return message.removeprefix("Value error, ")
    words, bound = WORDS[kind]
    number = context.get(bound, "")
    return gettext(words, number=format(number, "g") if isinstance(number, float) else number)
