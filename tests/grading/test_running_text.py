"""Summaries of code are shown as running text, code in numbered lines, and all outputs of an instrument alike."""

import re

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from app.services.kept import forget
from app.services.running_text import reads_like_sentences
from app.services.way.check_items import copy_of
from app.storage.engine import Database
from app.storage.models import Assignment, Item
from tests.grading.test_kinds import enter
from tests.grading.test_pages import current_id
from tests.shared_data import load_json

BLOCK = re.compile(r'<pre class="code [^"]*"[^>]*>')


def shown(client: TestClient) -> str:
    """How the item's text is shown: the opening tag of its block."""
    found = BLOCK.search(client.get("/grade").text)
    assert found
    return found[0]


@pytest.mark.parametrize(
    ("text", "is_text"),
    [
        ("Adds up the values that are larger than 3.", True),
        ("Calls get_items() on the list and keeps what isn’t empty", True),
        ("Summe aller Werte, die größer als drei sind.", True),
        ("Returns the sum.\n\nThe list may be empty, in which case it is zero.", True),
        ("sum(values[1:]) > 3", False),
        ("total = 0\ntotal += value", False),
        ("while there are values:\n    take the next one", False),
        ("import os", False),
        ("", False),
    ],
)
def test_what_reads_like_sentences(text: str, is_text: bool) -> None:
    assert reads_like_sentences(text) is is_text


def test_people_s_words_and_code_are_told_apart() -> None:
    rows = load_json("conala", "conala.json")
    code = [row[name] for row in rows for name in ("snippet", "codex", "best-tranx", "baseline")]
    assert sum(map(reads_like_sentences, code)) < 0.1 * len(code)
    assert sum(reads_like_sentences(row["intent"]) for row in rows) > 0.9 * len(rows)


def test_a_summary_is_text_and_code_is_code(client: TestClient, database: Database) -> None:
    enter(client, database, ["code-summary"])
    tag = shown(client)
    assert " prose" in tag
    assert 'aria-label="Text"' in tag


def test_outputs_of_code_are_code(client: TestClient, database: Database) -> None:
    enter(client, database, ["helpfulness"])
    tag = shown(client)
    assert " prose" not in tag
    assert 'aria-label="Code"' in tag


@pytest.mark.parametrize(
    ("name", "odd", "is_text"),
    [("helpfulness", "Use the sorted function with the key parameter.", False), ("code-summary", "xs.sort()", True)],
)
def test_an_odd_one_looks_like_the_others(
    client: TestClient, database: Database, name: str, odd: str, is_text: bool
) -> None:
    enter(client, database, [name], items=4)
    mine = current_id(client.get("/grade").text)
    with database.write() as session:
        item = session.scalar(
            select(Item).join(Assignment, Assignment.item_id == Item.id).where(Assignment.public_id == mine)
        )
        assert item
        item.text = odd
    assert reads_like_sentences(odd) is not is_text
    assert (" prose" in shown(client)) is is_text


def test_copies_for_checks_turn_no_code_into_text(client: TestClient, database: Database) -> None:
    """They are made while people grade, of whatever item, and often come before the others of their problem."""
    enter(client, database, ["helpfulness"], items=4)
    with database.write() as session:
        odd = session.scalars(select(Item).order_by(Item.id)).first()
        assert odd
        odd.text = "Use the sorted function with the key parameter."
        session.add_all(copy_of(odd, role="repeat", identity=f"0{n}") for n in range(8))
    forget(database.engine)  # what is kept is worked out again sooner or later
    assert " prose" not in shown(client)
