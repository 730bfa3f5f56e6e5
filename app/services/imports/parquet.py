"""Parquet files as rows, a few hundred at a time; values as JSON would give them."""

import tempfile
from collections.abc import Iterator
from datetime import date, datetime
from decimal import Decimal
from typing import IO, Any

from app.errors import TooLarge
from app.services.imports.problems import ProblemList
from app.services.imports.sources import Bounded
from app.storage.files import chunks_of
from app.words import gettext, human_number

MAGIC = b"PAR1"
ROWS_AT_ONCE = 500


def read_parquet(stream: Bounded, first: bytes, problems: ProblemList) -> Iterator[dict[str, Any]]:
    """The rows of the file that begins with ``first``. Its end says what it holds, so it is laid down first."""
    # crowd-kit brings pyarrow; it is heavy, and few processes need it.
    import pyarrow as pa  # noqa: PLC0415

    with tempfile.TemporaryFile() as file:
        file.write(first)
        for chunk in chunks_of(stream):  # type: ignore[arg-type]
            file.write(chunk)
        try:
            yield from _rows(file, stream.limit)
        except (pa.ArrowException, OSError) as error:
            problems.stop(
                gettext("The Parquet file can't be read: %(reason)s", reason=str(error).splitlines()[0][:200]),
                remedy=gettext("Write it again, or save it as CSV."),
            )


def _rows(file: IO[bytes], limit: int) -> Iterator[dict[str, Any]]:
    import pyarrow.parquet as pq  # noqa: PLC0415

    size = 0
    for batch in pq.ParquetFile(file).iter_batches(batch_size=ROWS_AT_ONCE):
        size += batch.nbytes  # a value that is stored once may stand in every row
        if size > limit:
            raise TooLarge(
                gettext(
                    "The file unfolds to more than %(limit)s MB. Nothing was stored.", limit=human_number(limit >> 20)
                )
            )
        for row in batch.to_pylist():
            yield {name: _plain(value) for name, value in row.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, datetime | date):
        return value.isoformat()
    return float(value) if isinstance(value, Decimal) else value
