"""Text goes through our CSV exactly, and no cell of it is a formula to a spreadsheet."""

import csv
import io

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.services.exports.formats import csv_lines
from app.services.exports.grade_table import GRADE_COLUMNS
from app.services.imports.problems import ProblemList
from app.services.imports.reading import read_rows
from app.services.imports.sources import Bounded
from app.services.spreadsheets import neutralise, restore

# What begins a formula, what stands before it, what a CSV reader trips over, and anything that a database can hold.
NASTY = st.sampled_from(
    ["=", "+", "-", "@", "\t", "\r", "\n", "\r\n", "'", '"', ",", ";", "＝", "＠", "1", "\u202e", " "]
)
STORABLE = st.characters(blacklist_characters="\0", blacklist_categories=("Cs",))
TEXTS = st.lists(NASTY | STORABLE, max_size=8).map("".join)
STARTS = tuple("=+-@\t\r\n＝＋－＠")


@given(TEXTS)
@example("''=x")
@example("-1")
@example("=cmd|' /C calc'!A0")
def test_a_cell_is_harmless_and_can_be_undone(text: str) -> None:
    cell = neutralise(text)
    assert not cell.startswith(STARTS)
    assert restore(cell) == text


@given(st.lists(TEXTS, min_size=2, max_size=2))
def test_text_comes_back_from_our_own_table(texts: list[str]) -> None:
    row: dict[str, object] = dict.fromkeys(GRADE_COLUMNS, "") | {"text": texts[0], "reason": texts[1], "label": -1.5}
    data = b"".join(csv_lines(tuple(GRADE_COLUMNS), [row]))
    assert b",-1.5," in data  # a number stays a number
    problems = ProblemList()
    found = list(read_rows(Bounded(io.BytesIO(data), limit=1 << 20), problems))  # type: ignore[arg-type]
    assert problems.count == 0
    assert [(each.values["text"], each.values["reason"]) for each in found] == [tuple(texts)]


def test_only_our_own_tables_lose_an_apostrophe() -> None:
    data = b"task,worker,label,text\r\np|m,'=w,1,'=x\r\n"
    [row] = read_rows(Bounded(io.BytesIO(data), limit=1 << 20), ProblemList())  # type: ignore[arg-type]
    assert (row.values["worker"], row.values["text"]) == ("'=w", "'=x")
    assert next(csv.reader(io.StringIO(data.decode()))) == list(row.values)


@pytest.mark.parametrize("more", ["", ",label"])
def test_a_table_of_scores_from_before_it_had_labels_is_our_own(more: str) -> None:
    data = f"problem,system,metric,score,signature,imported{more}\r\n'=p,m,new,1,new|v:2,True{more}\r\n".encode()
    [row] = read_rows(Bounded(io.BytesIO(data), limit=1 << 20), ProblemList())  # type: ignore[arg-type]
    assert row.values["problem"] == "=p"
