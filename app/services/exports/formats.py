"""Rows as CSV and JSONL."""

import csv
import io
import json
from collections.abc import Iterable, Iterator, Sequence

from app.services.exports.tables import Row

# A cell that starts with one of these is a formula to a spreadsheet; an apostrophe makes it text again.
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\0")


def csv_lines(columns: Sequence[str], rows: Iterable[Row]) -> Iterator[bytes]:
    """UTF-8 CSV with a header, lines ending in CRLF as RFC 4180 has it."""
    yield _csv_line(columns)
    for row in rows:
        yield _csv_line([_cell(row[column]) for column in columns])


def jsonl_lines(rows: Iterable[Row]) -> Iterator[bytes]:
    """One JSON object a line; text as it is, byte for byte."""
    for row in rows:
        yield (json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n").encode()


def _csv_line(cells: Sequence[object]) -> bytes:
    buffer = io.StringIO()
    csv.writer(buffer).writerow(cells)
    return buffer.getvalue().encode()


def _cell(value: object) -> object:
    if isinstance(value, str) and value.startswith(FORMULA_STARTS):
        return "'" + value
    return value
