"""Whoever only looks sees an item as those who grade do, its picture included."""

import re

import pytest
from anyio.from_thread import BlockingPortal
from fastapi import FastAPI
from fastapi.testclient import TestClient
from sqlalchemy import select

from app.services.questionnaires.instruments import add_instrument
from app.services.questionnaires.ready_made import CODE_SUMMARY
from app.services.studies import find_study
from app.storage.engine import Database
from app.storage.files import FileStore, add_artifact
from app.storage.models import Item, Problem
from tests.security.world import build
from tests.way.helpers import add_check, counts, invite, open_way

PICTURE = re.compile(r'<img src="([^"]*/image)" alt="([^"]*)"')


@pytest.fixture
def way(client: TestClient, database: Database) -> None:
    """An open study in which each problem has a picture of its own, and practice has none."""
    files = FileStore(client.app.state.settings.artifacts_dir)  # type: ignore[attr-defined]
    with database.write() as session:
        study = open_way(session, forms=False)
        for problem in session.scalars(select(Problem)):
            stored = files.save([b"\x89PNG of %s" % problem.key.encode()])
            names = {"file_name": "gold.png", "media_type": "image/png"}
            problem.image_id = add_artifact(session, stored, kind="image", **names).id
            problem.image_alt = f"Card {problem.key}"
        add_check(session, study, "practice", 1)


def look(client: TestClient, database: Database, base: str) -> None:
    before = counts(database)
    shown = PICTURE.search(client.get(f"{base}/grading").text)
    assert shown
    with database.write() as session:  # somebody takes the item meanwhile: the picture stays that of the page
        for item in session.scalars(select(Item).order_by(Item.shuffle).limit(2)):
            item.load += 1
    picture = client.get(shown[1])
    assert picture.content == b"\x89PNG of %s" % shown[2].removeprefix("Card ").encode()
    assert picture.headers["content-type"] == "image/png"
    assert not {"etag", "last-modified"} & set(picture.headers)
    assert "data-picture-dialog" in client.get(f"{base}/grading").text
    assert not PICTURE.search(client.get(f"{base}/practice").text)
    assert client.get(f"{base}/practice/image").status_code == 404
    assert client.get(f"{base}/consent/image").status_code == 404
    assert counts(database) == before


@pytest.mark.sqlite_is_enough
def test_a_preview_of_mechanical_turk_shows_the_picture(client: TestClient, database: Database, way: None) -> None:
    token = invite(database, "mturk")
    look(client, database, f"/join/{token}/preview")
    assert "set-cookie" not in client.get(f"/join/{token}/preview/grading/image").headers
    other = invite(database, "prolific")
    assert client.get(f"/join/{other}/preview/grading/image").status_code == 404


@pytest.mark.sqlite_is_enough
def test_an_admins_preview_shows_the_picture(
    app: FastAPI, database: Database, portal: BlockingPortal, way: None
) -> None:
    admin = build(app, database, portal).client("admin")
    look(admin, database, "/studies/the-way/way/preview")


@pytest.mark.sqlite_is_enough
def test_a_preview_is_the_grading_page_and_stores_nothing(client: TestClient, database: Database, way: None) -> None:
    with database.write() as session:
        add_instrument(session, find_study(session, "the-way"), CODE_SUMMARY)
    base = f"/join/{invite(database, 'mturk')}/preview"
    before = counts(database)
    page = client.get(f"{base}/grading").text
    for part in ("grading-head", "data-answers", "data-skip-form", "data-flag-form", 'data-key="3"', "data-keys"):
        assert part in page, part
    addresses = set(re.findall(r'(?:action|href)="([^"#]*)"', page))
    assert not [each for each in addresses if each.startswith("/grade")], "these are for those who are signed in"
    for action, then in (("grade", "done"), ("skip", "done"), ("flag", "grading")):
        answer = client.post(f"{base}/grading", data={"action": action, "note": "x"}, follow_redirects=False)
        assert answer.headers["location"] == f"{base}/{then}"
    assert counts(database) == before
