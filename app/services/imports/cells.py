"""Values of one row, checked: text that a database can hold, names, numbers, times."""

import math
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from functools import partial
from typing import Any

from app.services.imports.problems import ProblemList
from app.services.imports.reading import Row
from app.services.imports.storable import BadValue, check_storable
from app.words import N_, gettext

MAX_NAME = 200
FIRST_YEAR, LAST_YEAR = 2, 9998  # a year from the ends of the calendar, so that each zone can show it
FLAGS = {"": None, "true": True, "1": True, "false": False, "0": False}
NO_VALUE = N_("There is no value.")


def text_of(value: Any) -> str:
    """The text, byte for byte; BadValue when it isn't text or no database can hold it."""
    if not isinstance(value, str):
        raise BadValue(gettext("Expected text, found %(kind)s.", kind=_kind(value)))
    check_storable(value)
    return value


def name_of(value: Any, most: int = MAX_NAME) -> str:
    """A short name on one line; whole numbers are taken as they are written."""
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    name = text_of(value)
    if not name.strip():
        raise BadValue(gettext("It is empty."))
    if len(name) > most:
        raise BadValue(
            gettext("It has %(length)s characters; names have at most %(most)s.", length=len(name), most=most)
        )
    if any(ord(letter) < 32 or ord(letter) == 127 for letter in name):
        raise BadValue(gettext("It holds a line break or another control character."))
    return name


def texts_of(value: Any) -> tuple[str, ...]:
    """One text or a list of texts; nothing at all is no text."""
    if value is None or value == "":
        return ()
    if isinstance(value, list):
        return tuple(text_of(each) for each in value)
    return (text_of(value),)


def number_of(value: Any) -> float:
    """A finite number, also written as text."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise BadValue(gettext("Expected a number, found %(kind)s.", kind=_kind(value)))
    try:
        number = float(value)
    except ValueError:
        raise BadValue(gettext("%(value)s is not a number.", value=repr(str(value)[:40]))) from None
    if not math.isfinite(number):
        raise BadValue(gettext("%(value)s is not a finite number.", value=str(value)[:40]))
    return number


def flag_of(value: Any) -> bool | None:
    """True or false, however written; nothing is None."""
    written = "" if value is None else str(value).strip().lower()
    if written not in FLAGS:
        raise BadValue(
            gettext("%(value)s is neither true nor false.", value=repr(str(value)[:40])),
            gettext("Write true or false."),
        )
    return FLAGS[written]


def time_of(value: Any) -> datetime | None:
    """ISO 8601 (UTC where no zone is given) or seconds since 1970; nothing is None."""
    if value is None or value == "":
        return None
    try:
        if isinstance(value, int | float) and not isinstance(value, bool):
            at = datetime.fromtimestamp(value, UTC)
        else:
            at = datetime.fromisoformat(text_of(value))
    except (ValueError, OverflowError, OSError):
        raise BadValue(
            gettext("%(value)s is not a time.", value=repr(str(value)[:40])),
            gettext("Write it as 2026-11-27T14:05:00Z."),
        ) from None
    return in_utc(at)


def in_utc(at: datetime) -> datetime:
    """The same moment in UTC, which is meant where no zone is given; BadValue where no database or zone holds it."""
    try:
        moment = at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    except OverflowError:
        moment = datetime.max.replace(tzinfo=UTC)
    if not FIRST_YEAR <= moment.year <= LAST_YEAR:
        raise BadValue(gettext("%(value)s lies too far from today.", value=at.isoformat()))
    return moment


def _kind(value: Any) -> str:
    if value is None:
        return gettext("nothing")
    names = {
        dict: N_("an object"),
        list: N_("a list"),
        bool: N_("true or false"),
        int: N_("a number"),
        float: N_("a number"),
    }
    return gettext(names.get(type(value), N_("text")))


class Cells:
    """One row seen through the mapping of columns to fields; problems go to the list, and ``bad`` tells of them."""

    def __init__(
        self, row: Row, columns: Mapping[str, list[str]], problems: ProblemList, file: str | None = None
    ) -> None:
        self.row = row
        self.columns = columns
        self.problems = problems
        self.file = file
        self.bad = False

    def column(self, field: str) -> str:
        """The column that holds the field; the field's own name where none does."""
        columns = self.columns.get(field)
        return columns[0] if columns else field

    def fail(self, message: str, column: str | None = None, remedy: str | None = None) -> None:
        """Note a problem of this row."""
        self.bad = True
        self.problems.add(message, row=self.row.number, column=column, remedy=remedy, file=self.file)

    def name(self, field: str, most: int = MAX_NAME) -> str:
        """A name that must be there."""
        return str(self._convert(field, partial(name_of, most=most), missing=NO_VALUE) or "")

    def text(self, field: str) -> str:
        """A text that must be there, and may be empty."""
        return str(self._convert(field, text_of, missing=NO_VALUE) or "")

    def optional_name(self, field: str, most: int = MAX_NAME) -> str | None:
        """A name, or None."""
        return None if self._value(field) in (None, "") else self.name(field, most)

    def optional_text(self, field: str) -> str | None:
        """A text; nothing and empty are None."""
        return None if self._value(field) in (None, "") else self.text(field)

    def texts(self, field: str) -> tuple[str, ...]:
        """The texts of all columns of that field."""
        return tuple(self._each_text(field))

    def number(self, field: str) -> float:
        """A number that must be there."""
        value = self._convert(field, number_of, missing=NO_VALUE)
        return float("nan") if value is None else float(value)

    def flag(self, field: str) -> bool | None:
        """True or false, or None where the column is empty."""
        flag: bool | None = self._convert(field, flag_of) if field in self.columns else None
        return flag

    def time(self, field: str) -> datetime | None:
        """A time, or None."""
        at: datetime | None = self._convert(field, time_of)
        return at

    def _each_text(self, field: str) -> Iterator[str]:
        for column in self.columns.get(field, ()):
            try:
                yield from texts_of(self.row.values.get(column))
            except BadValue as error:
                self.fail(error.message, column, error.remedy)

    def _value(self, field: str) -> Any:
        return self.row.values.get(self.column(field)) if field in self.columns else None

    def _convert(self, field: str, convert: Any, missing: str | None = None) -> Any:
        column = self.column(field)
        value = self.row.values.get(column)
        if value is None and missing:
            self.fail(gettext(missing), column)
            return None
        try:
            return convert(value)
        except BadValue as error:
            self.fail(error.message, column, error.remedy)
            return None
