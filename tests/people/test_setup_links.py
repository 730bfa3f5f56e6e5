"""The first admin, invited users, lost passwords: each link works once."""

import threading
from datetime import timedelta

import pytest
import time_machine
from fastapi.testclient import TestClient
from sqlalchemy import func, select
from typer.testing import CliRunner

from app import cli as command_line
from app.clock import utc_now
from app.config import Settings, get_settings
from app.errors import AppError, NotFound
from app.services import setup_links, users
from app.storage.engine import Database
from app.storage.models import User
from tests.security.world import PASSWORD, World, make_user, told

ADA = {"name": "Ada", "email": " Ada@Example.ORG ", "password": "purple monkey dishwasher"}


def _first_link(database: Database) -> str:
    with database.write() as session:
        token = setup_links.first_admin_link(session)
    assert token
    return token


def test_the_first_admin_is_made_once(client: TestClient, database: Database) -> None:
    token = _first_link(database)
    assert "one-time link" in client.get("/").text
    assert "first admin" in client.get(f"/setup/{token}").text
    answer = client.post(f"/setup/{token}", data=ADA)
    assert answer.url.path == "/studies"
    assert "Ada" in answer.text
    for method in ("GET", "POST"):
        assert client.request(method, f"/setup/{token}", data=ADA if method == "POST" else None).status_code == 404
    with database.read() as session:
        user = session.scalars(select(User)).one()
        assert (user.email, user.role) == ("ada@example.org", "admin")
    with database.write() as session:
        assert setup_links.first_admin_link(session) is None


def test_an_admin_who_is_alone_gets_in_again_by_the_command_line(
    world: World, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CODEJURY_DATA_DIR", str(settings.data_dir))
    monkeypatch.setenv("DATABASE_URL", settings.effective_database_url)
    get_settings.cache_clear()
    with world.database.read() as session:
        email = session.scalars(select(User.email).where(User.role == "admin")).first()
    assert email is not None
    result = CliRunner().invoke(command_line.make_cli(), ["reset-password", email.upper()])
    assert result.exit_code == 0, result.output
    token = result.stdout.strip().rsplit("/setup/", 1)[1]
    with world.database.read() as session:
        assert setup_links.find_link(session, token).user_id is not None
    unknown = CliRunner().invoke(command_line.make_cli(), ["reset-password", "nobody@example.org"])
    assert isinstance(unknown.exception, NotFound)
    assert "nobody@example.org" in unknown.exception.message
    get_settings.cache_clear()


def test_each_start_ends_the_earlier_link(client: TestClient, database: Database) -> None:
    earlier, later = _first_link(database), _first_link(database)
    assert client.get(f"/setup/{earlier}").status_code == 404
    assert client.get(f"/setup/{later}").status_code == 200


def test_everything_that_is_wrong_is_told_at_once(world: World) -> None:
    wrong = {"name": "A", "email": "a", "password": "short"}
    page = world.client("anonymous").post(world.address("/setup/{token}"), data=wrong).text
    assert 'id="email-error"' in page
    assert 'id="password-error"' in page
    assert 'data-shows="password"' in page  # one may look at a password that one sets


def test_a_refused_form_does_not_use_the_link_up(world: World, database: Database) -> None:
    address = world.address("/setup/{token}")
    client = world.client("anonymous")
    taken = client.post(address, data=ADA | {"email": "admin@example.org"})
    assert taken.status_code == 422
    assert "There is an account with this address already." in taken.text
    assert 'aria-invalid="true"' in taken.text
    assert 'value="Ada"' in taken.text
    weak = client.post(address, data=ADA | {"password": "password123"})
    assert weak.status_code == 422
    assert "password123" not in weak.text
    assert client.post(address, data=ADA).status_code == 303
    assert client.get("/studies").status_code == 200
    assert client.get("/people").status_code == 403  # invited as a researcher


def test_a_role_can_not_be_chosen_by_the_invited(world: World) -> None:
    before = world.rows()
    for extra in ({"role": "admin"}, {"id": "1"}, {"user_id": "1"}, {"disabled_at": ""}):
        answer = world.client("anonymous").post(world.address("/setup/{token}"), data=ADA | extra)
        assert answer.status_code == 422
        assert "has no field" in answer.text
    assert world.rows() == before


def test_twenty_at_once_make_one_account(database: Database) -> None:
    token = _first_link(database)
    barrier, made, refused = threading.Barrier(20), [], []

    def press(number: int) -> None:
        barrier.wait()
        try:
            with database.write() as session:
                setup_links.make_account(session, token, email=f"a{number}@b.c", name="A", password_hash="x")
            made.append(number)
        except NotFound:
            refused.append(number)

    threads = [threading.Thread(target=press, args=(n,)) for n in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(made), len(refused)) == (1, 19)
    with database.read() as session:
        assert session.scalar(select(func.count()).select_from(User)) == 1


def test_unknown_used_revoked_and_expired_links_look_the_same(world: World, database: Database) -> None:
    with database.write() as session:
        used, revoked, expired = (setup_links.invite_user(session, "test", "researcher") for _ in range(3))
        setup_links.make_account(session, used, email="x@y.z", name="X", password_hash="x")
        setup_links.revoke(session, "test", setup_links.find_link(session, revoked).id)
        setup_links.find_link(session, expired).expires_at = utc_now() - timedelta(seconds=1)
    client = world.client("anonymous")
    pages = [client.get(f"/setup/{token}") for token in ("unknown", used, revoked, expired)]
    assert {page.status_code for page in pages} == {404}
    assert len({told(page) for page in pages}) == 1


@pytest.mark.parametrize(("days", "status"), [(6, 200), (8, 404)])
def test_invitations_run_out(world: World, days: int, status: int) -> None:
    with time_machine.travel(utc_now() + timedelta(days=days), tick=False):
        assert world.client("anonymous").get(world.address("/setup/{token}")).status_code == status


def test_a_lost_password_is_set_anew_once(world: World, database: Database) -> None:
    page = world.client("admin").post("/people/2/password-link").text
    token = page.split("/setup/")[1].split("<")[0]
    assert "researcher sets a new password" in page
    client = world.client("anonymous")
    form = client.get(f"/setup/{token}").text
    assert "researcher@example.org" in form
    assert 'name="email"' not in form
    fresh = "an entirely new one"
    assert client.post(f"/setup/{token}", data={"password": fresh}).status_code == 303
    assert world.client("researcher").get("/studies").status_code == 303  # signed out elsewhere
    assert client.get("/studies").status_code == 200
    assert client.get(f"/setup/{token}").status_code == 404
    signing = {"email": "researcher@example.org"}
    assert world.client("anonymous").post("/sign-in", data=signing | {"password": PASSWORD}).status_code == 422
    assert world.client("anonymous").post("/sign-in", data=signing | {"password": fresh}).status_code == 303


def test_a_second_password_link_ends_the_first(world: World, database: Database) -> None:
    with database.write() as session:
        first, second = setup_links.reset_link(session, "test", 2), setup_links.reset_link(session, "test", 2)
    client = world.client("anonymous")
    assert client.get(f"/setup/{first}").status_code == 404
    assert client.get(f"/setup/{second}").status_code == 200


def test_a_disabled_user_gets_in_by_no_link(world: World, database: Database) -> None:
    with database.write() as session:
        token = setup_links.reset_link(session, "test", 2)
        users.disable(session, "test", 2)
    assert world.client("anonymous").get(f"/setup/{token}").status_code == 404


def test_the_kinds_of_link_are_not_mixed_up(world: World, database: Database) -> None:
    with database.write() as session:
        invitation, reset = setup_links.invite_user(session, "t", "admin"), setup_links.reset_link(session, "t", 2)
    with pytest.raises(AppError), database.write() as session:
        setup_links.make_account(session, reset, email="x@y.z", name="X", password_hash="x")
    with pytest.raises(AppError), database.write() as session:
        setup_links.use_reset_link(session, invitation, password_hash="x")


def test_an_installation_whose_admins_are_all_disabled_can_be_recovered(database: Database) -> None:
    with database.write() as session:
        make_user(session, "admin").disabled_at = utc_now()
    assert _first_link(database)
