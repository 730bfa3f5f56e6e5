"""A corpus of bad files: each names its row, its column, the cause, and leaves nothing behind."""

import gzip
from pathlib import Path

import pytest
from sqlalchemy import func, select

from app.config import Settings
from app.storage.engine import Database
from app.storage.models import Item, Output, Problem, Reference, Study, System
from tests.imports.helpers import Importer

LONG = "problem,system,output\n"
GOOD_LINE = '{"problem": "a", "system": "m", "output": "x"}\n'


def line(output: str) -> str:
    return GOOD_LINE + '{"problem": "b", "system": "m", "output": ' + output + "}\n"


BAD: dict[str, tuple[bytes | str, list[str]]] = {
    "empty": (b"", ["The file is empty."]),
    "blank": (b"\n \n\n", ["The file is empty."]),
    "a byte-order mark alone": (b"\xef\xbb\xbf", ["The file is empty."]),
    "head only": (LONG, ["The file has a head and no rows."]),
    "an empty list": ("[]", ["no rows"]),
    "wrong delimiter": ("problem|system|output\na|m|x\n", ["row 1", "one column only", "commas, tabs or semicolons"]),
    "too few values": (LONG + "a,m,x\nb,m\n", ["row 3", "2 values, the head has 3"]),
    "too many values": (LONG + "a,m,f(1, 2)\n", ["row 2", "4 values", "double quotes"]),
    "an open quote": (LONG + 'a,m,x\nb,m,"never\nclosed\n', ["row 3", "never closes"]),
    "text after a quote": (LONG + 'a,m,"x"y\n', ["row 2", "can't be read here"]),
    "carriage returns alone": (b"problem,system,output\ra,m,x\r", ["row 1", "carriage return"]),
    "two columns of a name": ("problem,system,output,output\na,m,x,y\n", ["row 1", "'output'", "Two columns"]),
    "a column without a name": ("problem,,output\na,m,x\n", ["row 1", "Column 2 has no name"]),
    "no column for the output": (
        "problem,system,gibberish\na,m,x\n",
        ["No column holds the field 'output'", "problem, system, gibberish"],
    ),
    "an empty problem id": (LONG + ",m,x\n", ["row 2", "'problem'", "empty"]),
    "an empty system": (LONG + "a, ,x\n", ["row 2", "'system'", "empty"]),
    "a long id": (LONG + "a" * 201 + ",m,x\n", ["row 2", "'problem'", "201 characters"]),
    "a line break in a name": (LONG + '"a\nb",m,x\n', ["row 2", "'problem'", "control character"]),
    "the same output twice": (LONG + "a,m,x\nb,m,y\na,m,x\n", ["row 4", "Row 2", "'m'", "'a'"]),
    "two intents of a problem": (
        "problem,system,output,intent\na,m,x,one\na,n,y,two\n",
        ["row 3", "'intent'", "row 2", "'a'"],
    ),
    "NUL in a table": (LONG + "a,m,x\0y\n", ["row 2", "'output'", "Character 2 is NUL"]),
    "NUL in JSON": (line('"x\\u0000"'), ["row 2", "'output'", "NUL"]),
    "half a surrogate pair": (line('"ab\\ud800"'), ["row 2", "'output'", "Character 3", "U+D800"]),
    "NaN": (line("NaN"), ["row 2", "NaN is not JSON"]),
    "Infinity": (line("-Infinity"), ["row 2", "-Infinity is not JSON"]),
    "1e999": (line("1e999"), ["row 2", "too large"]),
    "a huge integer": (line("1" * 5000), ["row 2", "more than 18 digits"]),
    "a name twice": (GOOD_LINE + '{"problem": "b", "problem": "c"}\n', ["row 2", "'problem' stands twice"]),
    "nested too deeply": (line("[" * 100_000 + "]" * 100_000), ["row 2", "nested too deeply"]),
    "cut off": (GOOD_LINE + '{"problem": "b", "sys', ["row 2", "Not JSON at character"]),
    "two objects on a line": (GOOD_LINE.strip() + GOOD_LINE, ["row 1", "More follows"]),
    "a trailing comma": (f"[{GOOD_LINE},]", ["row 1", "comma stands before the end"]),
    "a list cut off": (f"[{GOOD_LINE}", ["row 1", "may be cut off"]),
    "more after a list": (f"[{GOOD_LINE}] x", ["More follows after the end"]),
    "a number in a list": (f"[{GOOD_LINE}, 5]", ["row 2", "Expected an object"]),
    "one long document": ("{\n" + GOOD_LINE + "}", ["row 1", "one object a line"]),
    "output is a number": (line("5"), ["row 2", "'output'", "Expected text, found a number"]),
    "output is null": (line("null"), ["row 2", "'output'", "There is no value"]),
    "output is an object": (line('{"a": 1}'), ["row 2", "'output'", "an object"]),
    "Latin-1": (LONG.encode() + b"a,m,x\nb,m,caf\xe9\n", ["row 3", "Byte 36 (0xe9) is not UTF-8", "Latin-1"]),
    "UTF-16 without a mark": ((LONG + "a,m,x\n").encode("utf-16-le"), ["UTF-16 without a byte-order mark"]),
    "UTF-16 cut in a character": (
        b"\xff\xfe" + (LONG + "a,m,x\n").encode("utf-16-le") + b"\x00",
        ["row 3", "not UTF-16-LE"],
    ),
    "UTF-32": ((LONG + "a,m,x\n").encode("utf-32"), ["UTF-32", "Save the file as UTF-8"]),
    "gzip cut off": (gzip.compress((LONG + "a,m,x\n" * 9000).encode())[:-20], ["damaged or cut off"]),
    "gzip of nothing": (gzip.compress(b""), ["The file is empty."]),
    "not a zip": (b"PK\x03\x04 and then something else", ["damaged"]),
}


def counts(database: Database) -> list[int]:
    with database.read() as session:
        tables = (Study, Problem, Reference, System, Output, Item)
        return [session.scalar(select(func.count()).select_from(table)) or 0 for table in tables]


@pytest.mark.parametrize("name", BAD)
@pytest.mark.fault("F24", "F25", "F26", "F27", "F28", "F29", "F30", "F31", "F33")
def test_a_bad_file_is_named_and_nothing_is_stored(importer: Importer, database: Database, name: str) -> None:
    content, expected = BAD[name]
    message = importer.bad(content)
    for part in expected:
        assert part in message
    assert counts(database) == [0] * 6


def test_every_bad_row_is_listed(importer: Importer) -> None:
    message = importer.bad(LONG + "a,m,x\n,m,y\nc,,z\nd,m\ne,m,v\ne,m,w\n")
    assert "Found 4 errors" in message
    assert [f"row {row}," in message or f"row {row}:" in message for row in range(2, 8)] == [
        False, True, True, True, False, True
    ]  # fmt: skip


def test_many_problems_are_counted_and_the_first_thousand_listed(importer: Importer) -> None:
    message = importer.bad(LONG + ",m,y\n" * 1500)
    assert "Found 1,500 errors" in message
    assert message.count("\nrow ") == 1000
    assert "… and 500 more." in message


def test_good_rows_alone_when_that_is_wanted(importer: Importer, database: Database) -> None:
    result = importer.good(LONG + "a,m,x\n,m,y\nc,m,z\n", good_rows_only=True)
    assert result["added"]["outputs"] == 2
    assert result["left_out"] == 1
    assert "row 3" in result["problems_found"][0]
    assert "1 row with an error was left out" in result["message"]
    with database.read() as session:
        assert set(session.scalars(select(Output.text))) == {"x", "z"}


@pytest.mark.fault("F24")
def test_a_gzip_bomb_stops_early(importer: Importer) -> None:
    bomb = gzip.compress(LONG.encode() + b"a" * (200 << 20))
    assert "unfolds to more than 58 MB, 300 times what was sent" in importer.bad(bomb)


def test_a_gz_that_is_not_gzip_is_read_as_text_and_says_so(importer: Importer) -> None:
    said = "isn't gzip: it was read as plain text"
    assert said in importer.bad({"a.csv.gz": LONG.encode() + b"a,,x\n"})
    assert said in importer.good({"a.csv.gz": LONG.encode() + b"a,m,x\n"})["message"]


def test_an_upload_beyond_the_limit_is_refused(database: Database, settings: Settings, tmp_path: Path) -> None:
    small = settings.model_copy(update={"max_upload_mb": 1})
    with pytest.raises(Exception, match="larger than 1 MB"):
        Importer(database, small).run(b"x" * (1 << 20) + b"y")
    assert not [path for path in (tmp_path / "artifacts").rglob("*") if path.is_file()]
