"""Grades of prompts and pairs that were collected elsewhere name items as an export of the study does."""

import pytest
from sqlalchemy import select

from app.services.questionnaires.instruments import instrument_named
from app.services.sampling.samples import make_items
from app.services.sampling.spec import SampleSpec
from app.services.studies import find_study
from app.storage.engine import Database
from app.storage.models import Grade, Instrument, Item
from tests.imports.helpers import Importer

VARIANTS = (
    "problem,original,changed,transformation,seed\n"
    "h1,Return it.,Retrun it.,typos,3\n"
    "h1,Return it.,return it.,case,\n"
    "h|2,Stop.,Stpo.,typos,3\n"
)


@pytest.fixture
def study(importer: Importer, database: Database) -> str:
    """Two prompts with three changes, all of them items alone and in pairs."""
    slug = str(importer.good(VARIANTS, "variants")["study"])
    with database.write() as session:
        found = find_study(session, slug)
        for name, source in (("naturalness", "prompts"), ("semantic-similarity", "pairs")):
            spec = SampleSpec(source=source, unchanged=None, changed=None)  # type: ignore[arg-type]
            make_items(session, "test", found, instrument_named(session, found, name), spec)
    return slug


def stored(database: Database) -> list[tuple[str, str, float | None]]:
    with database.read() as session:
        rows = select(Instrument.name, Item.text, Grade.value).join(Item, Item.id == Grade.item_id)
        found = session.execute(rows.join(Instrument, Instrument.id == Item.instrument_id).order_by(Grade.id))
        return [tuple(row) for row in found.all()]  # type: ignore[misc]


def test_by_task(importer: Importer, database: Database, study: str) -> None:
    table = (
        "task,worker,label,question\n"
        "h1|original,ann,1,naturalness\n"
        "h1|typos 3,ann,0,naturalness\n"
        "h1|case,ann,0.5,naturalness\n"
        "h|2|typos 3,ann,0.5,semantic-similarity\n"
    )
    assert importer.good(table, "grades", study=study)["added"]["grades"] == 4
    assert stored(database) == [
        ("naturalness", "Return it.", 1),
        ("naturalness", "Retrun it.", 0),
        ("naturalness", "return it.", 0.5),
        ("semantic-similarity", "Stpo.", 0.5),
    ]


def test_by_columns(importer: Importer, database: Database, study: str) -> None:
    table = "problem,system,worker,label,question\nh1,original,ann,1,naturalness\n"
    importer.good(table, "grades", study=study)
    assert stored(database) == [("naturalness", "Return it.", 1)]


@pytest.mark.sqlite_is_enough
def test_an_unknown_name_says_what_names_there_are(importer: Importer, study: str) -> None:
    table = "task,worker,label,question\nh1|orignal,ann,1,naturalness\n"
    message = importer.bad(table, "grades", study=study)
    assert "naturalness has no item 'h1|orignal'" in message
    assert "problem|original, problem|transformation or problem|transformation seed" in message
    assert "h1|original" in message.split("for example")[1]
    assert "Import its outputs first" not in message
    by_identity = f"item,instrument,worker,label,question\n{'0' * 64},naturalness,ann,1,naturalness\n"
    assert "A prompt or pair is named" in importer.bad(by_identity, "grades", study=study)
