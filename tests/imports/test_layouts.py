"""Each layout in each encoding gives the same study; texts come through byte for byte."""

import csv
import gzip
import io
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from app.storage.engine import Database
from app.storage.models import Item, Output, Problem, Reference, Study, System
from tests.imports.helpers import Importer

HARD = 'def f(x):\r\n\treturn x  \r\n\r\n  # a "quote", an é, a 🎲 and a \u2028 line separator\t\n'
ROWS = [
    {"problem": "p1", "intent": 'Say, "it"', "reference": "r\n", "system": "m", "output": HARD},
    {"problem": "p1", "intent": 'Say, "it"', "reference": "r\n", "system": "n", "output": ""},
    {"problem": "p2", "intent": "Next\nline", "reference": "s", "system": "m", "output": "  x  "},
    {"problem": "p2", "intent": "Next\nline", "reference": "s", "system": "n", "output": "\ty"},
]
WIDE = [
    {"problem": "p1", "intent": 'Say, "it"', "reference": "r\n", "m": HARD, "n": ""},
    {"problem": "p2", "intent": "Next\nline", "reference": "s", "m": "  x  ", "n": "\ty"},
]


def table(rows: list[dict[str, str]], delimiter: str) -> str:
    target = io.StringIO(newline="")
    writer = csv.DictWriter(target, list(rows[0]), delimiter=delimiter)
    writer.writeheader()
    writer.writerows(rows)
    return target.getvalue()


def texts(rows: list[dict[str, str]]) -> dict[str, str]:
    return {
        "jsonl": "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows),
        "json": json.dumps(rows, indent=1),
        "csv": table(rows, ","),
        "semicolons": table(rows, ";"),
        "tsv": table(rows, "\t"),
        "jsonl with blank lines and CRLF": "\n\r\n" + "".join(json.dumps(row) + "\r\n\r\n" for row in rows),
        "jsonl without a last line end": "\n".join(json.dumps(row) for row in rows),
    }


ENCODINGS = {
    "utf-8": lambda text: text.encode(),
    "utf-8 with a mark": lambda text: b"\xef\xbb\xbf" + text.encode(),
    "utf-16-le": lambda text: b"\xff\xfe" + text.encode("utf-16-le"),
    "utf-16-be": lambda text: b"\xfe\xff" + text.encode("utf-16-be"),
    "gzip": lambda text: gzip.compress(text.encode()),
}


def stored(database: Database) -> dict[tuple[str, str], str]:
    with database.read() as session:
        rows = session.execute(
            select(Problem.key, System.name, Output.text)
            .join(Output, Output.problem_id == Problem.id)
            .join(System, System.id == Output.system_id)
        )
        return {(key, name): text for key, name, text in rows}


EXPECTED = {("p1", "m"): HARD, ("p1", "n"): "", ("p2", "m"): "  x  ", ("p2", "n"): "\ty"}


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("rows", [ROWS, WIDE], ids=["long", "wide"])
@pytest.mark.fault("F25", "F31")
def test_every_layout_in_every_encoding(
    importer: Importer, database: Database, rows: list[dict[str, str]], encoding: str
) -> None:
    for number, (name, text) in enumerate(texts(rows).items()):
        where = {"title": "Study", "seed": 1} if number == 0 else {"study": "study"}
        result = importer.good(ENCODINGS[encoding](text), **where)
        # The first file makes the study; every other one must say exactly the same.
        assert result["added"]["outputs"] == (4 if number == 0 else 0), name
    assert stored(database) == EXPECTED
    with database.read() as session:
        assert set(session.scalars(select(Problem.intent))) == {'Say, "it"', "Next\nline"}
        assert set(session.scalars(select(Reference.text))) == {"r\n", "s"}


SYSTEM_TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(outputs=st.lists(SYSTEM_TEXT, min_size=1, max_size=6), form=st.sampled_from(["jsonl", "json", "csv", "tsv"]))
@pytest.mark.fault("F31")
def test_texts_come_through_byte_for_byte(
    importer: Importer, database: Database, outputs: list[str], form: str
) -> None:
    # csv.writer can't write a lone carriage return so that a strict reader takes it; quoting everything can.
    rows = [{"problem": f"p{n}", "system": "m", "output": text} for n, text in enumerate(outputs)]
    if form in ("csv", "tsv"):
        target = io.StringIO(newline="")
        writer = csv.DictWriter(
            target, list(rows[0]), delimiter="," if form == "csv" else "\t", quoting=csv.QUOTE_ALL
        )
        writer.writeheader()
        writer.writerows(rows)
        data = target.getvalue().encode()
    else:
        data = texts(rows)[form].encode()
    with database.read() as session:
        title = f"Study {len(session.scalars(select(Study.id)).all())}"
    slug = importer.good(data, title=title)["study"]
    with database.read() as session:
        got = session.scalars(
            select(Output.text).join(Problem).join(Study, Study.id == Problem.study_id).where(Study.slug == slug)
            .order_by(Problem.position)
        ).all()  # fmt: skip
    assert list(got) == outputs


@pytest.mark.fault("F32")
def test_a_field_of_ten_megabytes(importer: Importer, database: Database) -> None:
    long = "x = 1\n" * (10 << 20 >> 3)
    importer.good(table([{"problem": "p", "system": "m", "output": long}], ","))
    assert stored(database) == {("p", "m"): long}


def test_columns_by_other_names(importer: Importer, database: Database) -> None:
    importer.good('{"task_id": 7, "completion": "x", "model_name": "m"}\n')
    importer.good(
        "nr,who,what,extra\n7,m,x,\n8,m,y,\n",
        study="study",
        mapping={"nr": "problem", "who": "system", "what": "output", "extra": "ignore"},
    )
    assert stored(database) == {("7", "m"): "x", ("8", "m"): "y"}


def test_a_mapping_that_cannot_be(importer: Importer) -> None:
    assert "no such column" in importer.bad("a,b\n1,2\n", mapping={"c": "output"})
    assert "'nonsense' is not a field" in importer.bad("a,b\n1,2\n", layout="long", mapping={"a": "nonsense"})
    message = importer.bad("a,b,c\n1,2,3\n", layout="long", mapping={"a": "output", "b": "output"})
    assert "Several columns hold the field 'output'" in message


def test_several_references(importer: Importer, database: Database) -> None:
    importer.good("problem,reference_1,reference_2,m\np,one,two,x\nq,one,,x\n")
    with database.read() as session:
        rows = session.execute(select(Problem.key, Reference.position, Reference.text).join(Reference)).all()
    assert sorted(tuple(row) for row in rows) == [("p", 0, "one"), ("p", 1, "two"), ("q", 0, "one")]


def test_a_column_that_comes_late_in_json_is_not_lost(importer: Importer, database: Database) -> None:
    rows = [{"problem": str(n), "m": "x"} for n in range(200)]
    rows[150] |= {"n": "late", "intent": "late, too"}
    importer.good("\n".join(map(json.dumps, rows)))
    assert stored(database)["150", "n"] == "late"
    with database.read() as session:
        assert session.scalar(select(Problem.intent).where(Problem.key == "150")) == "late, too"


def test_wide_tables_without_ids_are_numbered_and_null_is_no_output(importer: Importer, database: Database) -> None:
    importer.good('[{"intent": "a", "m": "x", "n": null}, {"intent": "b", "m": "", "n": "y"}]')
    assert stored(database) == {("0", "m"): "x", ("1", "m"): "", ("1", "n"): "y"}


def test_identical_outputs_share_an_item_and_the_seed_alone_decides_the_order(
    importer: Importer, database: Database
) -> None:
    data = "problem,reference,m,n,o\np,same,same,same ,same\nq,r,x,y,x\n"
    for title in ("One", "Two"):
        importer.good(data, title=title, seed=11)
    with database.read() as session:
        items = session.execute(select(Study.slug, Item.text, Item.shuffle).join(Study).order_by(Item.id)).all()
    one = [(text, shuffle) for slug, text, shuffle in items if slug == "one"]
    two = [(text, shuffle) for slug, text, shuffle in items if slug == "two"]
    assert sorted(text for text, _ in one) == ["r", "same", "same ", "x", "y"]
    assert one == two
