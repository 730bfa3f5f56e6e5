"""Tokens: what opens, what doesn't, and what is left of one in the database."""

from datetime import timedelta

import pytest
import time_machine
from fastapi.testclient import TestClient
from sqlalchemy import select

from app.clock import utc_now
from app.errors import InvalidInput
from app.ids import hash_token
from app.services import api_tokens, users
from app.services.api_tokens import Scope
from app.storage.models import ApiToken, AuditEvent
from tests.api.conftest import Program
from tests.security.world import World

LIST = "/api/v1/runs"


def _token(client: TestClient) -> str:
    return client.headers["authorization"].removeprefix("Bearer ")


def _stored(world: World, token: str) -> ApiToken:
    with world.database.read() as session:
        return session.scalars(select(ApiToken).where(ApiToken.token_hash == hash_token(token))).one()


def test_a_program_reads_by_its_token_and_nothing_keeps_the_secret(world: World, program: Program) -> None:
    client = program("researcher", Scope.STUDIES_READ)
    assert client.get(LIST).status_code == 200
    token = _token(client)
    secret = token.rsplit("_", 1)[0], token.removeprefix("cj_").split("_", 1)[1]
    assert token.startswith("cj_")
    assert len(secret[1]) == 43  # 256 bits
    stored = [str(value) for rows in world.rows().values() for row in rows for value in row]
    assert not [value for value in stored if token in value or secret[1] in value]
    assert _stored(world, token).hint == token.split("_" + secret[1])[0]


def test_unknown_revoked_and_expired_tokens_are_the_same_401(world: World, program: Program) -> None:
    revoked, expired = program("researcher"), program("researcher", days=1)
    with world.database.write() as session:
        stored = session.scalars(select(ApiToken).where(ApiToken.token_hash == hash_token(_token(revoked)))).one()
        api_tokens.revoke_token(session, "user:2", stored.user_id, stored.id)
    unknown = world.client("anonymous", Authorization="Bearer cj_00000000_no-such-token")
    with time_machine.travel(utc_now() + timedelta(days=1, seconds=1)):
        answers = [client.get(LIST) for client in (revoked, expired, unknown)]
    assert {answer.status_code for answer in answers} == {401}
    assert len({answer.text for answer in answers}) == 1
    assert answers[0].headers["www-authenticate"].startswith("Bearer")
    assert answers[0].headers["content-type"] == "application/problem+json"


def test_a_token_never_opens_more_than_its_scopes_or_its_user(world: World, program: Program) -> None:
    reading = program("researcher", Scope.STUDIES_READ)
    refused = reading.post("/api/v1/studies/here/analyses", json={"draws": 100})
    assert refused.status_code == 403
    assert "studies:write" in refused.json()["detail"]
    assert program("researcher", Scope.ADMIN).get(LIST).status_code == 403  # scopes don't imply each other
    every = program("researcher")
    assert every.post("/api/v1/studies/here/analyses", json={"draws": 100}).status_code == 202


def test_a_token_follows_its_user(world: World, program: Program) -> None:
    client = program("other", Scope.STUDIES_READ)
    with world.database.write() as session:
        users.disable(session, "user:1", users.find_by_email(session, "other@example.org").id)
    assert client.get(LIST).status_code == 401


def test_a_token_opens_no_page_and_no_cookie_helps_a_wrong_token(world: World, program: Program) -> None:
    for page in ("/studies", "/account", "/people", "/account/tokens"):
        assert program("admin").get(page).status_code == 403, page
    signed_in = world.client("admin")
    assert signed_in.get(LIST, headers={"Authorization": "Bearer cj_wrong"}).status_code == 401


def test_when_it_was_used_last_is_noted_now_and_then(world: World, program: Program) -> None:
    client = program("researcher")
    client.get(LIST)
    first = _stored(world, _token(client)).last_used_at
    assert first is not None
    client.get(LIST)
    assert _stored(world, _token(client)).last_used_at == first
    with time_machine.travel(utc_now() + timedelta(minutes=6)):
        client.get(LIST)
    assert _stored(world, _token(client)).last_used_at > first


@pytest.mark.parametrize(
    ("name", "scopes", "days", "field"),
    [("", [Scope.STUDIES_READ], 7, "name"), ("n", [], 7, "scopes"), ("n", ["everything"], 7, "scopes")]
    + [("n", [Scope.STUDIES_READ], days, "days") for days in (0, 367)],
)
def test_no_token_without_name_scope_or_end(
    world: World, name: str, scopes: list[str], days: int, field: str
) -> None:
    with world.database.write() as session, pytest.raises(InvalidInput) as refused:
        api_tokens.mint_token(session, "user:1", 1, name, scopes, days=days)
    assert [each.field for each in refused.value.problems] == [field]


def test_the_page_shows_a_token_once_and_revokes_it(world: World) -> None:
    client = world.client("researcher")
    form = {"name": "my notebook", "days": "30", "scope-studies:read": "yes", "scope-grades:read": "yes"}
    made = client.post("/account/tokens", data=form)
    token = made.text.split('id="new-token">')[1].split("<")[0]
    page = client.get("/account/tokens").text
    assert "my notebook" in page
    assert token not in page
    assert world.client("anonymous", Authorization=f"Bearer {token}").get(LIST).status_code == 200
    stored = _stored(world, token)
    assert stored.scopes == ["grades:read", "studies:read"]
    assert client.post(f"/account/tokens/{stored.id}/revoke").status_code == 303
    assert world.client("anonymous", Authorization=f"Bearer {token}").get(LIST).status_code == 401
    assert "revoked" in client.get("/account/tokens").text
    with world.database.read() as session:
        events = session.scalars(select(AuditEvent).where(AuditEvent.action.startswith("API token"))).all()
    assert [event.action for event in events][-2:] == ["API token made", "API token revoked"]
    assert not [event for event in events if token in str(event.details)]


def test_the_page_keeps_what_was_typed(world: World) -> None:
    refused = world.client("admin").post("/account/tokens", data={"name": "typed", "days": "30", "scope-admin": ""})
    assert refused.status_code == 200  # a box that is sent is ticked, whatever its value
    refused = world.client("admin").post("/account/tokens", data={"name": "typed", "days": "30"})
    assert refused.status_code == 422
    assert "at least one of the scopes" in refused.text
    assert 'value="typed"' in refused.text


def test_nobody_revokes_another_ones_token(world: World) -> None:
    theirs = world.parameters["token_id"]  # the researcher's
    assert world.client("admin").post(f"/account/tokens/{theirs}/revoke").status_code == 404


def test_a_researcher_is_offered_no_scope_of_admins(world: World) -> None:
    page = world.client("researcher").get("/account/tokens").text
    assert "scope-studies:read" in page
    assert "scope-admin" not in page
    form = {"name": "n", "days": "7", "scope-admin": "yes"}
    assert world.client("researcher").post("/account/tokens", data=form).status_code == 422
