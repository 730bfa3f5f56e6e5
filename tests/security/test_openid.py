"""Signing in through an OpenID Connect provider: a real one at a port of its own, well-behaved and not."""

import base64
import json
import re
from collections.abc import Callable, Iterator
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest
from fastapi.testclient import TestClient
from joserfc.jwk import RSAKey
from pydantic import ValidationError
from sqlalchemy import select

from app.config import Settings
from app.services import users
from app.services.rate_limits import SIGN_IN_ADDRESS
from app.storage.engine import Database
from app.storage.models import AuditEvent, User, UserIdentity
from tests.security.openid_provider import CLIENT, SECRET, Claims, Provider, running
from tests.security.world import PASSWORD, World


@pytest.fixture
def provider() -> Iterator[Provider]:
    with running(Provider()) as provider:
        yield provider


@pytest.fixture
def openid(world: World, settings: Settings, provider: Provider) -> World:
    """The world, whose people may come by the provider."""
    known = {"CODEJURY_DATA_DIR": settings.data_dir, "DATABASE_URL": settings.database_url}
    names = {
        "CODEJURY_OIDC_ISSUER": provider.issuer,
        "CODEJURY_OIDC_CLIENT_ID": CLIENT,
        "CODEJURY_OIDC_CLIENT_SECRET": SECRET,
        "CODEJURY_OIDC_DOMAIN": "lab.example",
        "CODEJURY_OIDC_NAME": "The Lab",
        "CODEJURY_BASE_URL": "http://localhost",
    }
    world.app.state.settings = Settings(**known, **names)  # type: ignore[arg-type]
    return world


def _go(client: TestClient, onward: str = "") -> str:
    """Off to the provider and through its page; the address to which it sends the browser back."""
    away = client.get("/sign-in/openid", params={"next": onward} if onward else None)
    assert away.status_code == 302, away.text
    back = httpx2.get(away.headers["location"])
    assert back.status_code == 302, back.text
    return back.headers["location"].removeprefix("http://localhost")


def _identities(database: Database) -> list[tuple[int, str]]:
    with database.read() as session:
        return [tuple(row) for row in session.execute(select(UserIdentity.user_id, UserIdentity.subject))]


def test_a_known_address_signs_in_and_is_tied(openid: World, provider: Provider, database: Database) -> None:
    client = openid.client("anonymous")
    planted = "planted-by-somebody"
    openid.carry(client, planted)
    assert "Sign in with The Lab" in client.get("/sign-in?next=/people").text
    answer = client.get(_go(client, "/people"))
    assert (answer.status_code, answer.headers["location"]) == (303, "/people")
    assert client.cookies["codejury"] != planted
    assert client.get("/people").status_code == 200
    assert _identities(database) == [(1, "person-1")]
    with database.read() as session:
        told = session.scalars(select(AuditEvent.action).where(AuditEvent.actor == "user:1")).all()
    assert told[-2:] == ["provider tied", "signed in"]


def test_who_was_tied_is_known_by_the_subject_and_the_address_is_nobody_elses(
    openid: World, provider: Provider, database: Database
) -> None:
    first = openid.client("anonymous")
    first.get(_go(first))
    provider.person["email"] = "married@example.org"
    second = openid.client("anonymous")
    assert second.get(_go(second)).status_code == 303
    assert "admin@example.org" in second.get("/account").text
    provider.person |= {"sub": "person-2", "email": "admin@example.org"}  # the address was given to a newcomer
    third = openid.client("anonymous")
    refused = third.get(_go(third))
    assert refused.status_code == 403
    assert "belongs to another person" in refused.text
    assert _identities(database) == [(1, "person-1")]


def test_a_domain_makes_researchers_and_no_one_else_is_let_in(
    openid: World, provider: Provider, database: Database
) -> None:
    for number, email in enumerate(
        ("eve@other.example", "eve@lab.example.evil", "lab.example", "eve@sub.lab.example")
    ):
        provider.person |= {"sub": f"stranger-{number}", "email": email}
        client = openid.client("anonymous")
        refused = client.get(_go(client))
        assert refused.status_code == 403
        assert "There is no account here for" in refused.text
        assert client.get("/studies").status_code == 303
    provider.person |= {"sub": "new", "email": "New@LAB.example", "name": "<b>New</b>"}
    client = openid.client("anonymous")
    assert client.get(_go(client)).status_code == 303
    assert client.get("/studies").status_code == 200
    assert client.get("/people").status_code == 403
    with database.read() as session:
        user = session.scalars(select(User).where(User.email == "new@lab.example")).one()
        assert (user.role, user.name) == ("researcher", "<b>New</b>")
        assert session.scalar(select(AuditEvent.action).where(AuditEvent.actor == "system")) == "user added"
    again = openid.client("anonymous")
    for guess in ("", "new@lab.example", "nobody has this password"):
        answer = again.post("/sign-in", data={"email": "new@lab.example", "password": guess})
        assert answer.status_code == 422


def test_whom_an_admin_added_gets_in(openid: World, provider: Provider) -> None:
    added = {"name": "Bo", "email": "Bo@elsewhere.example", "role": "researcher"}
    admin = openid.client("admin")
    assert admin.post("/people", data=added).status_code == 303
    again = admin.post("/people", data=added)
    assert again.status_code == 422
    assert "There is an account with this address already." in again.text
    provider.person |= {"sub": "bo", "email": "bo@elsewhere.example"}
    client = openid.client("anonymous")
    assert client.get(_go(client)).status_code == 303
    assert client.get("/studies").status_code == 200


def test_a_disabled_account_stays_out(openid: World, provider: Provider, database: Database) -> None:
    provider.person["email"] = "researcher@example.org"
    client = openid.client("anonymous")
    assert client.get(_go(client)).status_code == 303
    with database.write() as session:
        users.disable(session, "test", 2)
    assert client.get("/studies").status_code == 303
    refused = client.get(_go(client))
    assert refused.status_code == 403
    assert "is disabled" in refused.text


@pytest.mark.parametrize("verified", [False, None, "true", 1])
def test_an_address_that_nobody_confirmed_is_nobodys(openid: World, provider: Provider, verified: object) -> None:
    provider.person["email_verified"] = verified
    if verified is None:
        del provider.person["email_verified"]
    client = openid.client("anonymous")
    refused = client.get(_go(client))
    assert refused.status_code == 403
    assert "confirmed" in refused.text


def test_an_address_may_be_told_on_asking(openid: World, provider: Provider) -> None:
    provider.tells_address_on_asking = True
    client = openid.client("anonymous")
    assert client.get(_go(client)).status_code == 303
    provider.on_asking = {"sub": "somebody else"}
    other = openid.client("anonymous")
    assert other.get(_go(other)).status_code == 403


BENT: dict[str, Callable[[Claims], None]] = {
    "another nonce": lambda claims: claims.update(nonce="another"),
    "no nonce": lambda claims: claims.pop("nonce"),
    "another audience": lambda claims: claims.update(aud="another client"),
    "another audience, through us": lambda claims: claims.update(aud="another client", azp=CLIENT),
    "another issuer": lambda claims: claims.update(iss="https://evil.example"),
    "no issuer": lambda claims: claims.pop("iss"),
    "of yesterday": lambda claims: claims.update(exp=claims["exp"] - 86_400, iat=claims["iat"] - 86_400),
    "without an end": lambda claims: claims.pop("exp"),
    "about nobody": lambda claims: claims.pop("sub"),
}


@pytest.mark.parametrize("name", BENT)
def test_a_token_that_is_not_right_in_all_parts_lets_nobody_in(openid: World, provider: Provider, name: str) -> None:
    provider.bend = BENT[name]
    client = openid.client("anonymous")
    refused = client.get(_go(client))
    assert refused.status_code == 403
    assert "work, or took too long" in refused.text
    assert client.get("/studies").status_code == 303


def test_a_token_that_the_provider_did_not_sign_lets_nobody_in(openid: World, provider: Provider) -> None:
    provider.signing_key = RSAKey.generate_key(2048, {"kid": "first"})
    client = openid.client("anonymous")
    assert client.get(_go(client)).status_code == 403
    provider.signing_key, provider.algorithm = None, "none"
    assert client.get(_go(client)).status_code == 403
    provider.algorithm = "RS256"
    assert client.get(_go(client)).status_code == 303  # it was not the client


def test_a_new_key_of_the_provider_is_fetched(openid: World, provider: Provider) -> None:
    client = openid.client("anonymous")
    assert client.get(_go(client)).status_code == 303
    provider.key = RSAKey.generate_key(2048, {"kid": "second"})
    assert client.get(_go(client)).status_code == 303


def test_only_the_browser_that_left_comes_back_and_once(openid: World, provider: Provider) -> None:
    victim, attacker = openid.client("anonymous"), openid.client("anonymous")
    address = _go(attacker)
    assert victim.get(address).status_code == 403  # signing somebody in as oneself
    state = re.sub("state=[^&]*", "state=guessed", address)
    assert attacker.get(state).status_code == 403
    assert attacker.get(address).status_code == 403  # the way back was used up by the wrong state
    address = _go(attacker)
    assert attacker.get(address).status_code == 303
    assert attacker.get(address).status_code == 403
    for query in ("", "?code=x", "?state=x", "?error=access_denied&error_description=<script>alert(1)</script>"):
        answer = victim.get(f"/sign-in/openid/callback{query}")
        assert answer.status_code == 403
        assert "<script>alert" not in answer.text
        assert "access_denied" not in answer.text


def test_a_code_of_another_try_is_of_no_use(openid: World, provider: Provider) -> None:
    """PKCE: whoever steals a code lacks the verifier, which never left the browser's cookie."""
    thief, owner = openid.client("anonymous"), openid.client("anonymous")
    stolen = parse_qs(urlsplit(_go(owner)).query)["code"][0]
    own = parse_qs(urlsplit(_go(thief)).query)["state"][0]
    assert thief.get("/sign-in/openid/callback", params={"code": stolen, "state": own}).status_code == 403


@pytest.mark.parametrize("onward", ["//evil.example", "https://evil.example", "/\\evil", "javascript:alert(1)"])
def test_the_way_on_is_our_own(openid: World, onward: str) -> None:
    client = openid.client("anonymous")
    assert client.get(_go(client, onward)).headers["location"] == "/"
    tampered = openid.client("anonymous")
    address = _go(tampered)
    name = "codejury-openid"
    remembered = json.loads(base64.urlsafe_b64decode(tampered.cookies[name])) | {"next": onward}
    tampered.cookies.delete(name)
    openid.carry(tampered, base64.urlsafe_b64encode(json.dumps(remembered).encode()).decode(), name)
    assert tampered.get(address).headers["location"] == "/"


@pytest.mark.parametrize("cookie", ["", "%%%", "bnVsbA==", "W10=", "W1tbW1tb", "e30=", "x" * 5000])
def test_a_cookie_of_nonsense_is_no_way_back(openid: World, cookie: str) -> None:
    client = openid.client("anonymous")
    openid.carry(client, cookie, "codejury-openid")
    assert client.get("/sign-in/openid/callback?code=x&state=y").status_code == 403


def test_a_provider_that_is_away_is_told_without_its_words(openid: World, provider: Provider) -> None:
    client = openid.client("anonymous")
    address = _go(client)
    provider.is_down = True
    answer = client.get(address)
    assert answer.status_code == 503
    assert "doesn&#39;t answer" in answer.text
    assert "secret details" not in answer.text
    assert client.post("/sign-in", data={"email": "admin@example.org", "password": PASSWORD}).status_code == 303


def test_failures_are_counted_for_the_address(openid: World) -> None:
    openid.app.state.limit_clock = lambda _: 1000.0
    client = openid.client("anonymous")
    back = "/sign-in/openid/callback?code=x&state=y"
    statuses = [client.get(back).status_code for _ in range(SIGN_IN_ADDRESS.free + 1)]
    assert statuses == [403] * SIGN_IN_ADDRESS.free + [429]


def test_what_is_asked_of_the_provider(openid: World, provider: Provider) -> None:
    client = openid.client("anonymous")
    client.get(_go(client))
    client.get(_go(client))
    first, second = provider.requests
    assert first["redirect_uri"] == "http://localhost/sign-in/openid/callback"
    assert set(first["scope"].split()) == {"openid", "email", "profile"}
    for secret in ("state", "nonce", "code_challenge"):
        assert len(first[secret]) >= 20
        assert first[secret] != second[secret]


def test_without_a_provider_there_is_no_way_to_one(world: World) -> None:
    client = world.client("anonymous")
    assert "/sign-in/openid" not in client.get("/sign-in").text
    for path in ("/sign-in/openid", "/sign-in/openid/callback?code=x&state=y"):
        assert client.get(path).headers["location"] == "/sign-in"


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"CODEJURY_OIDC_ISSUER": "https://id.example"}, "set all three or none"),
        ({"CODEJURY_OIDC_CLIENT_ID": "x", "CODEJURY_OIDC_CLIENT_SECRET": "y"}, "set all three or none"),
        ({"CODEJURY_OIDC_ISSUER": "http://id.example"}, "must begin with https"),
    ],
)
def test_half_a_provider_stops_the_start(given: dict[str, str], words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        Settings(**given)  # type: ignore[arg-type]


def test_the_clients_secret_is_not_shown(openid: World) -> None:
    assert SECRET not in repr(openid.app.state.settings)
    assert SECRET not in repr(openid.app.state.settings.openid)
