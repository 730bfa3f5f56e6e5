"""A bundle's versions of forms are forms of their kind, and what their hash names; their page shows even odd ones."""

import json
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from app.services.questionnaires.version_texts import lines_of
from app.services.questionnaires.versions import content_sha256, publish
from app.storage.engine import Database
from app.storage.models import FormVersion, Study
from tests.exports.steps import members
from tests.exports.test_bent_bundles import bent
from tests.factories import make_study
from tests.imports.helpers import Importer
from tests.imports.test_web import sign_in

pytestmark = pytest.mark.sqlite_is_enough
FIELD = {"name": "years", "label": "Years?", "kind": "number"}
QUESTION = {"name": "q", "text": "?", "kind": "choice", "help": "", "required": True}
INSTRUMENT = {"name": "i", "title": "I", "kind": "output", "instructions": ""}
ODD: list[tuple[str, dict[str, Any], str]] = [
    ("consent", {"text": 5, "agree": "Yes", "decline": "No"}, "no consent: text: "),
    ("profile", {"fields": [{"x": 1}]}, "no profile: fields.0.name: This is needed."),
    ("profile", {"fields": [FIELD | {"most": "60"}]}, "no profile: fields.0.most: Enter a number."),
    ("questionnaire", {"x": 1}, "no questionnaire: instructions: It is missing."),
    ("questionnaire", {}, "no questionnaire: instructions: It is missing."),
    ("questionnaire", {"instructions": "", "instruments": [{"x": 1}]}, "instruments.0.name: It is missing."),
    (
        "questionnaire",
        {"instructions": "", "instruments": [INSTRUMENT | {"questions": [QUESTION | {"scale": {"choices": [5]}}]}]},
        "instruments.0.questions.0: The scale can't be used",
    ),
]


def with_content(bundle: bytes, kind: str, content: dict[str, Any]) -> tuple[bytes, int]:
    change = {"content": content, "sha256": content_sha256(kind, content)}
    return bent(bundle, "forms.jsonl", lambda row: row["kind"] == kind, change)


@pytest.mark.parametrize(("kind", "content", "message"), ODD)
def test_what_is_no_form_is_refused(
    importer: Importer, whole_bundle: bytes, kind: str, content: dict[str, Any], message: str
) -> None:
    data, number = with_content(whole_bundle, kind, content)
    told = importer.bad({"b.zip": data}, "bundle", title="Bent")
    assert f"forms.jsonl, row {number}: The content is " in told
    assert message in told
    assert "Export the study again." in told
    assert "Found one error:" in told
    with importer.database.read() as session:
        assert session.scalars(select(Study.slug)).all() == []


@pytest.mark.parametrize("kind", ["consent", "profile", "questionnaire"])
def test_a_text_that_was_changed_under_its_hash_is_refused(
    importer: Importer, whole_bundle: bytes, kind: str
) -> None:
    rows = [json.loads(line) for line in members(whole_bundle)["forms.jsonl"].splitlines()]
    content = next(row["content"] for row in rows if row["kind"] == kind)
    changed = content | {{"consent": "text", "profile": "intro"}.get(kind, "instructions"): "Another text."}
    data, number = bent(whole_bundle, "forms.jsonl", lambda row: row["kind"] == kind, {"content": changed})
    told = importer.bad({"b.zip": data}, "bundle", title="Bent")
    assert f"forms.jsonl, row {number}: The content is not the one that sha256 names" in told


def test_a_form_that_was_dropped_comes_back(importer: Importer, whole_bundle: bytes) -> None:
    data, _ = with_content(whole_bundle, "profile", {})
    importer.good({"b.zip": data}, "bundle", title="Bent")
    with importer.database.read() as session:
        assert {} in session.scalars(select(FormVersion.content).where(FormVersion.kind == "profile")).all()


def test_odd_content_is_shown_as_it_is_stored(client: TestClient, database: Database) -> None:
    """Bundles brought such content in before it was looked at."""
    with database.write() as session:
        study = make_study(session)
        versions = [(content, publish(session, study, kind, content).id) for kind, content, _ in ODD]
    sign_in(database, client, "admin")
    for content, version_id in versions:
        page = client.get(f"/studies/{study.slug}/questionnaire/versions/{version_id}")
        assert page.status_code == 200, content
        assert "asks nothing" not in page.text or not content
    assert "&#34;x&#34;: 1" in client.get(f"/studies/{study.slug}/questionnaire/versions/{versions[3][1]}").text


def test_content_that_can_not_be_read_is_told_as_json() -> None:
    lines = lines_of(FormVersion(kind="questionnaire", content={"x": 1}))
    assert json.loads("\n".join(lines)) == {"x": 1}


def test_what_a_form_leaves_out_is_shown_as_people_see_it() -> None:
    assert lines_of(FormVersion(kind="consent", content={"text": "Hm?", "agree": "Ja"})) == [
        "Hm?",
        "[Ja] [I don’t agree]",
    ]
