"""What an admin is told before annotators would find it: quotas that limit nothing, a consent with blanks."""

import pytest
from anyio.from_thread import BlockingPortal
from fastapi import FastAPI
from fastapi.testclient import TestClient
from sqlalchemy import select

from app.services.questionnaires.form_content import ConsentForm
from app.services.questionnaires.forms import publish_form
from app.services.questionnaires.ready_made_forms import ready_made_form
from app.services.studies import find_study
from app.storage.engine import Database
from app.storage.models import Item
from tests.security.world import build
from tests.way.helpers import open_way, set_options

WAY = "/studies/the-way/way"


@pytest.fixture
def admin(app: FastAPI, database: Database, portal: BlockingPortal) -> TestClient:
    """An admin's browser, and a study without forms."""
    with database.write() as session:
        open_way(session, forms=False)
    return build(app, database, portal).client("admin")


@pytest.mark.sqlite_is_enough
def test_a_quota_of_a_stratum_that_no_item_has_is_told(admin: TestClient, database: Database) -> None:
    set_options(database, quotas={"nominal": 5, "nomnal": 5})
    assert "No item is of these strata, so their quotas limit nothing: nominal, nomnal." in admin.get(WAY).text
    with database.write() as session:
        for item in session.scalars(select(Item)):
            item.stratum = "nominal"
    page = admin.get(WAY).text
    assert "their quotas limit nothing: nomnal." in page
    assert "The study has: nominal." in page
    set_options(database, quotas={"nominal": 5})
    assert "limit nothing" not in admin.get(WAY).text


def test_brackets_are_places_to_fill_in_and_links_are_not() -> None:
    text = "By [names] and [names], see [our page](https://example.org), in [minutes] minutes, [x][1].\n\n[1]: /y"
    assert ConsentForm(text=text).blanks == ["[names]", "[minutes]"]
    assert ConsentForm(text="All is said.").blanks == []


@pytest.mark.sqlite_is_enough
def test_a_consent_that_is_not_filled_in_is_told_wherever_it_matters(admin: TestClient, database: Database) -> None:
    with database.write() as session:
        publish_form(session, "test", find_study(session, "the-way"), "consent", ready_made_form("consent"))
    pages = {
        "/studies/the-way/questionnaire": "[names]",
        "/studies/the-way/questionnaire/forms/consent": "places of the consent are not filled in",
        "/studies/the-way/desk": "places in brackets to fill in",
    }
    for address, words in pages.items():
        assert words in admin.get(address).text
    with database.write() as session:
        publish_form(session, "test", find_study(session, "the-way"), "consent", {"text": "All is said."})
    for address, words in pages.items():
        assert words not in admin.get(address).text
