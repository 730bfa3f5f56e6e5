"""Invitations to a study: what an outsider can learn from a link, and how often one link works."""

import re
import threading
from datetime import timedelta

from fastapi.testclient import TestClient
from sqlalchemy import func, select

from app.clock import utc_now
from app.services import invitation_links
from app.services.studies import find_study
from app.storage.engine import Database
from app.storage.models import Annotator, Invitation
from tests.security.world import World, told


def _accept(client: TestClient, token: str) -> int:
    """Open the link and press the button, with whatever hidden fields the page has."""
    page = client.get(f"/join/{token}").text
    hidden = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', page))
    return client.post(f"/join/{token}", data=hidden).status_code


def _invite(database: Database, **limits: object) -> str:
    with database.write() as session:
        return invitation_links.create_invitation(session, "test", find_study(session, "here"), **limits)  # type: ignore[arg-type]


def _annotators(database: Database) -> int:
    with database.read() as session:
        return session.scalar(select(func.count()).select_from(Annotator)) or 0


def test_unknown_revoked_expired_and_used_up_links_look_the_same(world: World, database: Database) -> None:
    revoked, expired, used_up = _invite(database), _invite(database), _invite(database, max_uses=1)
    assert _accept(world.client("anonymous"), used_up) == 303
    with database.write() as session:
        newest = session.scalars(select(Invitation).order_by(Invitation.id.desc()).limit(3)).all()
        newest[2].revoked_at = utc_now()
        newest[1].expires_at = utc_now() - timedelta(seconds=1)
    client = world.client("anonymous")
    before = _annotators(database)
    pages = [client.get(f"/join/{token}") for token in ("unknown", revoked, expired, used_up)]
    assert {page.status_code for page in pages} == {404}
    assert len({told(page) for page in pages}) == 1
    ticket = {"ticket": "t" * 43}
    posts = [client.post(f"/join/{token}", data=ticket) for token in ("unknown", revoked, expired, used_up)]
    assert {post.status_code for post in posts} == {404}
    assert _annotators(database) == before


def test_twenty_at_once_by_a_link_for_one_make_one_annotator(world: World, database: Database) -> None:
    token = _invite(database, max_uses=1)
    before = _annotators(database)
    clients = [world.client("anonymous") for _ in range(20)]
    barrier, statuses = threading.Barrier(20), []

    def accept(client: TestClient) -> None:
        page = client.get(f"/join/{token}").text
        hidden = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', page))
        barrier.wait()
        statuses.append(client.post(f"/join/{token}", data=hidden).status_code)

    threads = [threading.Thread(target=accept, args=(client,)) for client in clients]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert statuses.count(303) == 1
    assert _annotators(database) == before + 1


def test_opening_a_link_uses_nothing_up(world: World, database: Database) -> None:
    token = _invite(database, max_uses=1)
    before = world.rows()
    for _ in range(3):
        assert world.client("anonymous").get(f"/join/{token}").status_code == 200
    assert world.rows() == before
