"""JSONL files as rows with their numbers, plain or compressed with gzip; what is wrong is collected by row."""

import gzip
import json
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, NoReturn, cast

from app.errors import InvalidInput, Problem
from app.words import gettext, human_number

GZIP_MAGIC = b"\x1f\x8b"
MOST_PROBLEMS = 20


@dataclass
class Rows:
    """The rows of one file, read once; ``problems`` fills while they are read."""

    name: str
    problems: list[Problem] = field(default_factory=list)

    def read(self, lines: Iterable[bytes]) -> Iterator[tuple[int, dict[str, Any]]]:
        """Each row that is a JSON object, with its number from 1; blank lines are no rows but are counted."""
        for number, line in enumerate(_readable(lines, self.name), start=1):
            if not line.strip():
                continue
            row = self._parse(number, line)
            if row is not None:
                yield number, row

    def _parse(self, number: int, line: bytes) -> dict[str, Any] | None:
        try:
            row = json.loads(line.decode("utf-8-sig" if number == 1 else "utf-8"))
        except (ValueError, RecursionError) as error:
            self.refuse(number, gettext("This is no JSON: %(error)s.", error=str(error).rstrip(".")))
            return None
        if not isinstance(row, dict):
            self.refuse(number, gettext("This is no JSON object with named fields."))
            return None
        return cast("dict[str, Any]", row)

    def text(self, number: int, row: dict[str, Any], key: str) -> str | None:
        """The text of a field; None, with a problem noted, where there is none that can be used."""
        value = row.get(key)
        if not isinstance(value, str):
            is_there = key in row
            said = gettext("This is no text.") if is_there else gettext("There is no such field.")
            self.refuse(number, said, key)
            return None
        try:
            value.encode()
        except UnicodeEncodeError:
            self.refuse(number, gettext("This holds half a surrogate pair, which no file can hold."), key)
            return None
        return value

    def refuse(self, number: int, message: str, column: str | None = None, remedy: str | None = None) -> None:
        """Note what is wrong with a row."""
        self.problems.append(Problem(message, row=number, column=column, remedy=remedy))

    def stop_if_refused(self) -> None:
        """InvalidInput with what was noted, if anything was."""
        if not self.problems:
            return
        shown, more = self.problems[:MOST_PROBLEMS], len(self.problems) - MOST_PROBLEMS
        if more > 0:
            shown = [*shown, Problem(gettext("… and %(number)s more.", number=human_number(more)))]
        raise InvalidInput(gettext("%(file)s can't be used:", file=self.name), shown)


def open_lines(path: Path) -> BinaryIO:
    """A file to be read line by line; one that begins as gzip does is unpacked. InvalidInput if it can't be."""
    try:
        with path.open("rb") as start:
            is_packed = start.read(2) == GZIP_MAGIC
        return cast("BinaryIO", gzip.open(path, "rb")) if is_packed else path.open("rb")
    except OSError as error:
        _unreadable(path.name, error)


def _readable(lines: Iterable[bytes], name: str) -> Iterator[bytes]:
    try:
        yield from lines
    except (OSError, EOFError, zlib.error) as error:
        _unreadable(name, error)


def _unreadable(name: str, error: Exception) -> NoReturn:
    why = getattr(error, "strerror", None) or str(error)
    raise InvalidInput(gettext("%(file)s can't be read: %(error)s.", file=name, error=why.rstrip("."))) from error
