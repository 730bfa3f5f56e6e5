"""Bytes to lines of text: UTF-8, or UTF-16 with a byte-order mark. Nothing is guessed, nothing is replaced."""

import codecs
import io
from collections.abc import Iterator
from typing import Any

from app.services.imports.problems import ProblemList
from app.services.imports.sources import Bounded
from app.words import N_, gettext, human_number

# The longer marks first: UTF-32's begins with UTF-16's.
MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
SAVE_AS_UTF8 = N_("Save the file as UTF-8.")


def text_lines(stream: Bounded, problems: ProblemList, head: bytes, *, file: str | None = None) -> Iterator[str]:
    """Lines with their ends, split at \\n alone: \\r, U+0085 and U+2028 are text. ``head``: the first four bytes."""
    encoding, mark = _encoding_of(head, problems, file)
    rest = _Rest(head[len(mark) :], stream)
    text = io.TextIOWrapper(rest, encoding=encoding, errors="strict", newline="\n")  # type: ignore[type-var]
    text._CHUNK_SIZE = 1 << 16  # type: ignore[attr-defined]
    row = 0
    while True:
        try:
            line = text.readline()
        except UnicodeDecodeError as error:
            problems.stop(**_undecodable(error, read=stream.count, rows=row, encoding=encoding), file=file)
        if not line:
            return
        row += 1
        yield line


class _Rest(io.BufferedIOBase):
    """A stream whose first bytes were read already."""

    def __init__(self, first: bytes, stream: Bounded) -> None:
        self._first = first
        self._stream = stream

    def readable(self) -> bool:
        return True

    def read(self, size: int | None = -1, /) -> bytes:
        if self._first:
            first, self._first = self._first, b""
            return first
        return self._stream.read(size)

    read1 = read


def _encoding_of(head: bytes, problems: ProblemList, file: str | None) -> tuple[str, bytes]:
    for mark, encoding in MARKS:
        if head.startswith(mark):
            if encoding == "utf-32":
                problems.stop(
                    gettext("The file is in UTF-32, which is not read."), remedy=gettext(SAVE_AS_UTF8), file=file
                )
            return encoding, mark
    if b"\0" in head:
        problems.stop(
            gettext("The file seems to be UTF-16 without a byte-order mark, or not text at all."),
            row=1,
            remedy=gettext(SAVE_AS_UTF8),
            file=file,
        )
    return "utf-8", b""


def _undecodable(error: UnicodeDecodeError, *, read: int, rows: int, encoding: str) -> dict[str, Any]:
    offset = read - len(error.object) + error.start
    row = rows + 1 + error.object[: error.start].decode(encoding, "ignore").count("\n")
    shown = error.object[error.start : error.start + 1].hex()
    return {
        "message": gettext(
            "Byte %(number)s (0x%(byte)s) is not %(encoding)s text.",
            number=human_number(offset + 1),
            byte=shown,
            encoding=encoding.upper(),
        ),
        "row": row,
        "remedy": gettext("If the file is in another encoding (Latin-1, Windows-1252), save it as UTF-8."),
    }
