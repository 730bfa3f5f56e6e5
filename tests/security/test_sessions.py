"""Sessions: cookies, rotation, ends, and what the database knows of secrets."""

import re
from datetime import timedelta

import pytest
import time_machine
from anyio.from_thread import BlockingPortal
from fastapi.testclient import TestClient
from sqlalchemy import select

from app.clock import utc_now
from app.config import Settings
from app.ids import hash_token
from app.main import create_app
from app.services import invitation_links, setup_links, users
from app.storage.engine import Database
from app.storage.models import SignIn
from tests.security import world as worlds
from tests.security.world import PASSWORD, World


def _sign_in(client: TestClient, email: str = "admin@example.org", password: str = PASSWORD) -> None:
    answer = client.post("/sign-in", data={"email": email, "password": password})
    assert answer.status_code == 303, answer.text


def _cookie(client: TestClient) -> str:
    return client.cookies["codejury"]


def _may_enter(world: World, cookie: str, path: str = "/studies") -> bool:
    client = world.client("anonymous")
    world.carry(client, cookie)
    return client.get(path).status_code == 200


def test_the_cookie_is_out_of_reach_of_scripts_and_other_sites(world: World) -> None:
    client = world.client("anonymous")
    answer = client.post("/sign-in", data={"email": "admin@example.org", "password": PASSWORD})
    header = answer.headers["set-cookie"].lower()
    assert "httponly" in header
    assert "samesite=lax" in header
    assert "path=/" in header
    assert "domain" not in header
    assert len(_cookie(client)) >= 43  # 256 bits


def test_behind_tls_the_cookie_is_secure_and_host_bound(
    database: Database, database_url: str, tmp_path: object, portal: BlockingPortal
) -> None:
    settings = Settings(CODEJURY_DATA_DIR=tmp_path, DATABASE_URL=database_url, CODEJURY_HTTPS=True)  # type: ignore[call-arg]
    world = worlds.build(create_app(settings, database), database, portal)
    client = world.client("anonymous")
    answer = client.post("/sign-in", data={"email": "admin@example.org", "password": PASSWORD})
    assert answer.headers["set-cookie"].startswith("__Host-codejury=")
    assert "; secure" in answer.headers["set-cookie"].lower()
    tossed = world.client("anonymous")
    world.carry(tossed, world.cookies["admin"], "codejury")  # a sibling domain can't set a __Host- cookie
    assert tossed.get("/studies").status_code == 303


def test_a_planted_cookie_is_useless_after_signing_in(world: World) -> None:
    client = world.client("anonymous")
    world.carry(client, "planted-by-somebody")
    _sign_in(client)
    assert _cookie(client) != "planted-by-somebody"
    assert not _may_enter(world, "planted-by-somebody")


def test_signing_in_again_ends_the_session_that_the_browser_carried(world: World) -> None:
    client = world.client("researcher")
    _sign_in(client)
    assert not _may_enter(world, world.cookies["researcher"])
    first = _cookie(client)
    _sign_in(client)
    assert _cookie(client) != first
    assert not _may_enter(world, first)


def test_signing_out_ends_the_session_on_the_server(world: World) -> None:
    answer = world.client("admin").post("/sign-out")
    assert answer.status_code == 303
    assert 'codejury=""' in answer.headers["set-cookie"]
    assert answer.headers["clear-site-data"] == '"cache"'
    assert not _may_enter(world, world.cookies["admin"])  # a second tab that still has the cookie


def test_signing_out_everywhere(world: World) -> None:
    one, two = world.client("anonymous"), world.client("anonymous")
    _sign_in(one)
    _sign_in(two)
    assert one.post("/account/sign-out-everywhere").status_code == 303
    assert not _may_enter(world, _cookie(two))
    assert not _may_enter(world, world.cookies["admin"])
    assert _may_enter(world, world.cookies["researcher"])


FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
PHONE = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
    "Version/18.5 Mobile/15E148 Safari/604.1"
)
NONSENSE = "<script>alert(1)</script>" * 100


def test_the_account_lists_ones_sessions_and_ends_another(world: World) -> None:
    clients = []
    for agent in (FIREFOX, PHONE, NONSENSE):
        client = world.client("anonymous")
        client.headers["User-Agent"] = agent
        _sign_in(client)
        clients.append(client)
    here, phone, strange = clients
    page = here.get("/account").text
    assert page.count("(this one)") == 1
    assert "Safari, iPhone" in page
    assert "Firefox, Linux" in page
    assert "alert(1)" not in page
    rows = re.findall(r"<tr>(.*?)</tr>", page, re.DOTALL)
    row = next(row for row in rows if "Safari, iPhone" in row)
    ending = re.search(r'action="(/account/sessions/\d+/end)"', row)
    assert ending
    others = world.client("researcher").post(ending[1])
    assert others.status_code == 404
    assert _may_enter(world, _cookie(phone))
    assert here.post(ending[1]).headers["location"] == "/account?done=session"
    assert not _may_enter(world, _cookie(phone))
    assert _may_enter(world, _cookie(here))
    assert _may_enter(world, _cookie(strange))
    assert "Safari, iPhone" not in here.get("/account").text


def test_disabling_and_changing_a_role_take_effect_with_the_next_request(world: World, database: Database) -> None:
    with database.write() as session:
        users.change_role(session, "test", 2, "admin")
    assert not _may_enter(world, world.cookies["researcher"])
    client = world.client("anonymous")
    _sign_in(client, "researcher@example.org")
    assert _may_enter(world, _cookie(client), "/people")
    with database.write() as session:
        users.disable(session, "test", 2)
    assert not _may_enter(world, _cookie(client))
    assert client.post("/sign-in", data={"email": "researcher@example.org", "password": PASSWORD}).status_code == 422


def test_a_new_password_ends_every_session_but_the_own_new_one(world: World) -> None:
    client = world.client("admin")
    fresh = "another purple battery"
    answer = client.post("/account/password", data={"current_password": PASSWORD, "password": fresh})
    assert answer.status_code == 303
    assert not _may_enter(world, world.cookies["admin"])
    assert client.get("/account").status_code == 200
    _sign_in(world.client("anonymous"), password=fresh)


def test_the_old_password_is_asked_for(world: World) -> None:
    answer = world.client("admin").post(
        "/account/password", data={"current_password": "wrong, quite wrong", "password": "another purple battery"}
    )
    assert answer.status_code == 422
    assert "not your current password" in answer.text
    assert _may_enter(world, world.cookies["admin"])


@pytest.mark.parametrize(
    ("principal", "path", "after", "lives"),
    [
        ("admin", "/studies", timedelta(hours=11), True),
        ("admin", "/studies", timedelta(hours=13), False),
        ("annotator", "/", timedelta(days=80), True),
        ("annotator", "/", timedelta(days=91), False),
    ],
)
def test_sessions_idle_out_and_expire(world: World, principal: str, path: str, after: timedelta, lives: bool) -> None:
    with time_machine.travel(utc_now() + after, tick=False):
        answer = world.client(principal).get(path)
    entered = answer.status_code == 200 if principal == "admin" else answer.headers.get("location") == "/grade"
    assert entered == lives


def test_use_keeps_a_session_alive_but_not_for_ever(world: World) -> None:
    start = utc_now()
    reached = []
    for hours in range(10, 24 * 8, 10):
        with time_machine.travel(start + timedelta(hours=hours), tick=False):
            if _may_enter(world, world.cookies["admin"]):
                reached.append(hours)
    assert reached[-1] < 24 * 7 <= reached[-1] + 10


def test_last_seen_is_not_written_with_every_request(world: World, database: Database) -> None:
    def last_seen() -> object:
        with database.read() as session:
            return session.scalars(
                select(SignIn.last_seen_at).where(SignIn.token_hash == hash_token(world.cookies["admin"]))
            ).one()

    first = last_seen()
    with time_machine.travel(utc_now() + timedelta(minutes=4), tick=False):
        world.client("admin").get("/studies")
        assert last_seen() == first
    with time_machine.travel(utc_now() + timedelta(minutes=6), tick=False):
        world.client("admin").get("/studies")
        assert last_seen() != first


def test_no_secret_is_stored_as_it_is(world: World, database: Database) -> None:
    client = world.client("anonymous")
    _sign_in(client)
    with database.write() as session:
        secrets = [
            _cookie(client),
            *world.cookies.values(),
            *(values["token"] for values in world.by_path.values() if "token" in values),
            setup_links.reset_link(session, "user:1", 2),
            setup_links.invite_user(session, "user:1", "admin"),
            PASSWORD,
        ]
    stored = str(world.rows())
    assert all(secret not in stored for secret in secrets)
    assert "argon2id" in stored


def test_a_cookie_of_the_database_is_no_cookie(world: World, database: Database) -> None:
    with database.read() as session:
        hashed = session.get_one(SignIn, 1).token_hash
    assert not _may_enter(world, hashed)


def test_a_new_personal_link_ends_the_annotators_sessions(world: World, database: Database) -> None:
    with database.write() as session:
        from app.services.studies import find_study

        invitation_links.renew_personal_link(session, "user:1", find_study(session, "here"), 1)
    assert world.client("annotator").get("/").status_code == 200  # a stranger again: no redirect to grading
    assert world.client("annotator_elsewhere").get("/").headers["location"] == "/grade"
