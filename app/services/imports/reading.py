"""Files to rows: JSON lines, a JSON list, Parquet, and tables with commas, semicolons or tabs.

Rows count as a person would count them. In JSON lines: the line. In a JSON list and in Parquet: the element, from 1.
In a table: the record as a spreadsheet numbers it, so the head is row 1.
"""

import csv
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any

from app.services.imports.decoding import text_lines
from app.services.imports.own_tables import as_stored, is_own
from app.services.imports.parquet import MAGIC, read_parquet
from app.services.imports.problems import ProblemList
from app.services.imports.sources import Bounded
from app.services.imports.storable import BadValue, check_storable
from app.services.imports.strict_json import JSONProblem, decode, skip_space
from app.words import N_, gettext, ngettext

# Python's default of 131,072 characters a field is less than a long program.
csv.field_size_limit(min(sys.maxsize, 2**31 - 1))
DELIMITERS = (",", "\t", ";")
DELIMITER_NAMES = {",": N_("commas"), "\t": N_("tabs"), ";": N_("semicolons")}


@dataclass(slots=True)
class Row:
    """One record of a file."""

    number: int
    values: dict[str, Any]


def read_rows(stream: Bounded, problems: ProblemList, *, file: str | None = None) -> Iterator[Row]:
    """The rows of a file, whatever its layout; its content decides, not its name."""
    head = stream.read(len(MAGIC))
    if head == MAGIC:
        return _read_parquet(stream, problems, file)
    lines = text_lines(stream, problems, head, file=file)
    number, first = next(((n, line) for n, line in enumerate(lines, start=1) if line.strip()), (0, ""))
    if not first:
        problems.stop(gettext("The file is empty."), file=file)
    start = first.lstrip()[0]
    if start == "[":
        return _read_list(first + "".join(lines), problems, file)
    if start == "{":
        return _read_json_lines(chain([first], lines), number, problems, file)
    return _read_table(chain([first], lines), first, number, problems, file)


def _read_parquet(stream: Bounded, problems: ProblemList, file: str | None) -> Iterator[Row]:
    for number, values in enumerate(read_parquet(stream, MAGIC, problems), start=1):
        yield from _row(number, values, problems, file)


def _read_json_lines(lines: Iterator[str], first: int, problems: ProblemList, file: str | None) -> Iterator[Row]:
    for number, line in enumerate(lines, start=first):
        if line.isspace():
            continue
        try:
            value, end = decode(line, skip_space(line, 0))
            if skip_space(line, end) < len(line):
                raise JSONProblem(gettext("More follows after the object, at character %(end)s.", end=end + 1))
        except JSONProblem as problem:
            problems.add(str(problem), row=number, remedy=_hint(number, line), file=file)
            continue
        yield from _row(number, value, problems, file)


def _hint(number: int, line: str) -> str | None:
    if number == 1 and line.strip() == "{":
        return gettext("A file of JSON lines has one object a line; one long document must be a list of objects.")
    return None


def _row(number: int, value: Any, problems: ProblemList, file: str | None) -> Iterator[Row]:
    if not isinstance(value, dict):
        problems.add(gettext("Expected an object with named values."), row=number, file=file)
        return
    try:
        for name in value:
            check_storable(name)
    except BadValue as error:
        problems.add(
            gettext("A name: %(reason)s", reason=error.message),
            row=number,
            column=name,
            remedy=error.remedy,
            file=file,
        )
        return
    yield Row(number, value)


def _read_list(text: str, problems: ProblemList, file: str | None) -> Iterator[Row]:
    position, number = skip_space(text, skip_space(text, 0) + 1), 0
    while position < len(text) and text[position] != "]":
        number += 1
        try:
            value, position = decode(text, position)
        except JSONProblem as problem:
            problems.stop(str(problem), row=number, file=file)
        yield from _row(number, value, problems, file)
        position = _after_comma(text, skip_space(text, position), number, problems, file)
    if position >= len(text):
        problems.stop(gettext("The list does not end; the file may be cut off."), row=number, file=file)
    if skip_space(text, position + 1) < len(text):
        problems.stop(gettext("More follows after the end of the list."), file=file)


def _after_comma(text: str, position: int, number: int, problems: ProblemList, file: str | None) -> int:
    if position >= len(text) or text[position] == "]":
        return position
    if text[position] != ",":
        problems.stop(
            gettext("Expected a comma or the end of the list, found %(text)s.", text=repr(text[position])),
            row=number,
            file=file,
        )
    position = skip_space(text, position + 1)
    if text[position : position + 1] == "]":
        problems.stop(gettext("A comma stands before the end of the list."), row=number, file=file)
    return position


def _read_table(
    lines: Iterator[str], head_line: str, first: int, problems: ProblemList, file: str | None
) -> Iterator[Row]:
    delimiter = max(DELIMITERS, key=lambda each: (head_line.count(each), -DELIMITERS.index(each)))
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    head: list[str] = []
    own = False
    number = first - 1
    while True:
        number += 1
        try:
            cells = next(reader, None)
        except csv.Error as error:
            _broken_table(error, number, reader.line_num, problems, file)
        if cells is None:
            break
        if not head:
            head = _checked_head(cells, delimiter, problems, file)
            own = is_own(head)
        elif len(cells) == len(head):
            yield Row(number, dict(zip(head, as_stored(cells) if own else cells, strict=True)))
        elif cells:  # a blank line is no record
            problems.add(
                ngettext(
                    "It has %(num)s value, the head has %(head)s.",
                    "It has %(num)s values, the head has %(head)s.",
                    len(cells),
                    head=len(head),
                ),
                row=number,
                remedy=gettext(
                    "Put a value that holds %(delimiter)s or line breaks into double quotes.",
                    delimiter=gettext(DELIMITER_NAMES[delimiter]),
                ),
                file=file,
            )


def _checked_head(head: list[str], delimiter: str, problems: ProblemList, file: str | None) -> list[str]:
    if len(head) < 2:
        problems.stop(
            gettext("The head has one column only, %(head)s.", head=repr(head[0][:80])),
            row=1,
            remedy=gettext("Separate the columns with commas, tabs or semicolons."),
            file=file,
        )
    for name in head:
        if not name.strip():
            problems.stop(gettext("Column %(index)s has no name.", index=head.index(name) + 1), row=1, file=file)
        try:
            check_storable(name)
        except BadValue as error:
            problems.stop(
                gettext("A name: %(reason)s", reason=error.message),
                row=1,
                column=name,
                remedy=error.remedy,
                file=file,
            )
        if head.count(name) > 1:
            problems.stop(
                gettext("Two columns have this name."), row=1, column=name, remedy=gettext("Rename one."), file=file
            )
    return head


def _broken_table(error: csv.Error, row: int, line: int, problems: ProblemList, file: str | None) -> None:
    text = str(error)
    if "unexpected end of data" in text:
        message, remedy = (
            gettext("A double quote opens a value and never closes."),
            gettext("Close it, or double it inside a value."),
        )
    elif "new-line character" in text:
        message, remedy = (
            gettext("A carriage return stands alone in the row."),
            gettext("Let lines end in LF or CRLF."),
        )
    else:
        message, remedy = (
            gettext("The table can't be read here: %(text)s.", text=text),
            gettext("Double the quotes inside a quoted value."),
        )
    problems.stop(gettext("%(reason)s (line %(line)s)", reason=message, line=line), row=row, remedy=remedy, file=file)
