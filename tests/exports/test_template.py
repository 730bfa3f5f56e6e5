"""A study without answers, and the study that is made of it."""

import json

import pytest
from sqlalchemy import func, select

from app.services.studies import change_state, find_study
from app.storage.models import Annotator, FormVersion, Item, Output, Study
from tests.exports.rich import OPTIONS, SLUG
from tests.exports.steps import exported, members
from tests.imports.helpers import Importer

pytestmark = pytest.mark.postgres


def test_a_template_holds_no_answers_and_comes_back(here: Importer, empty: Importer) -> None:
    data = exported(here, form="template")
    files = members(data)
    everything = b"".join(files.values())
    for word in (b"A01", b"agreed", b"skip_reason", b"5f0ab1"):
        assert word not in everything
    assert empty.good({"t.zip": data}, "bundle", title="Next year")["study"] == "next-year"
    with empty.database.write() as session:
        study = find_study(session, "next-year")
        assert (study.state, study.options["retire_after"]) == ("draft", OPTIONS["retire_after"])
        assert session.scalar(select(func.sum(Item.load + Item.skips))) == 0
        assert session.scalars(select(Annotator)).all() == []
        assert set(session.scalars(select(Item.role))) == {"main", "practice", "loud", "silent", "repeat"}
        assert session.scalars(select(Item).where(Item.retired_at.is_not(None))).all() == []
        kinds = dict(session.execute(select(FormVersion.kind, FormVersion.content)).all())
        assert kinds.keys() == {"consent", "profile"}
        assert kinds["consent"]["text"] == "# Second version"
        change_state(session, study, "open")
    again = members(exported(empty, "next-year", form="template"))
    about, other = (json.loads(each.pop("study.json")) for each in (files, again))
    assert about | {"slug": "next-year", "title": "Next year"} == other
    for name in ("README.txt", "SHA256SUMS"):
        files.pop(name), again.pop(name)
    assert again == files


def test_a_template_without_material(here: Importer, empty: Importer) -> None:
    data = exported(here, form="template", material=False)
    assert set(members(data)) == {"README.txt", "study.json", "forms.jsonl", "SHA256SUMS"}
    result = empty.good({"t.zip": data}, "bundle", title=None, seed=None)
    assert result["study"] == SLUG
    with empty.database.read() as session:
        assert session.scalars(select(Output)).all() == []
        assert session.scalars(select(Study.title)).all() == ["A study"]
        assert len(find_study(session, SLUG).options) > 0
