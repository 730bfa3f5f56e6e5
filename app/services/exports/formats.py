"""Rows as CSV, JSONL and Parquet, a piece at a time: however many rows, little of them is in memory."""

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import islice
from typing import Any, BinaryIO

from app.services.spreadsheets import neutralise

Row = dict[str, Any]
ROWS_AT_ONCE = 20_000  # of a Parquet file: a row group
EXACT = 2**53  # up to here each whole number is a float
_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode  # dumps would make one for each row


def csv_lines(columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> Iterator[bytes]:
    """UTF-8 CSV with a header, lines ending in CRLF as RFC 4180 has it."""
    yield _csv_line([_cell(column) for column in columns])  # a model's name can head a column
    for row in rows:
        yield _csv_line([_cell(row[column]) for column in columns])


def jsonl_lines(rows: Iterable[Row]) -> Iterator[bytes]:
    """One JSON object a line; text as it is, byte for byte, and whole numbers that a float can't hold as text."""
    for row in rows:
        yield (_encode({name: exactly(value) for name, value in row.items()}) + "\n").encode()


def exactly(value: Any) -> Any:
    """A whole number that readers of JSON would round, as text; everything else as it is."""
    return str(value) if type(value) is int and abs(value) > EXACT else value


def write_parquet(file: BinaryIO, columns: Mapping[str, str], rows: Iterable[Row]) -> None:
    """A Parquet file; ``columns``: their names and types. A "time" is given as ISO 8601, and stored as one."""
    # crowd-kit brings pyarrow; it is heavy, and few processes need it.
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.parquet as pq  # noqa: PLC0415

    time = pa.timestamp("us", tz="UTC")
    types = {name: time if kind == "time" else pa.type_for_alias(kind) for name, kind in columns.items()}
    schema = pa.schema(list(types.items()))
    times = [name for name, kind in columns.items() if kind == "time"]
    iterator = iter(rows)
    with pq.ParquetWriter(file, schema, compression="zstd") as writer:
        while chunk := list(islice(iterator, ROWS_AT_ONCE)):
            writer.write_table(pa.Table.from_pylist([_with_times(row, times) for row in chunk], schema))


def iso(at: datetime | None) -> str | None:
    """ISO 8601 with Z."""
    return None if at is None else at.isoformat().replace("+00:00", "Z")


def sorted_keys(value: Any) -> Any:
    """JSON with the keys of its objects in one order: PostgreSQL keeps its own."""
    if isinstance(value, dict):
        return {name: sorted_keys(value[name]) for name in sorted(value)}
    return [sorted_keys(each) for each in value] if isinstance(value, list) else value


def _with_times(row: Row, times: Sequence[str]) -> Row:
    return row | {name: datetime.fromisoformat(row[name]) for name in times if row[name]}


def _csv_line(cells: Sequence[object]) -> bytes:
    buffer = io.StringIO()
    csv.writer(buffer).writerow(cells)
    return buffer.getvalue().encode()


def _cell(value: object) -> object:
    if isinstance(value, float):
        return value + 0.0  # never "-0.0"
    if isinstance(value, list):
        value = json.dumps(value, ensure_ascii=False)
    return neutralise(value) if isinstance(value, str) else value
