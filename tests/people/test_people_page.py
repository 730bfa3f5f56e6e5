"""The admin's list of users, and the trail that each deed leaves."""

import threading

import pytest
from sqlalchemy import select

from app.errors import Conflict
from app.services import users
from app.storage.engine import Database
from app.storage.models import AuditEvent, User
from tests.security.world import PASSWORD, World, make_user


def _events(database: Database) -> list[tuple[str, str]]:
    with database.read() as session:
        return [(event.actor, event.action) for event in session.scalars(select(AuditEvent).order_by(AuditEvent.id))]


def test_the_page_lists_users_and_open_invitations(world: World) -> None:
    page = world.client("admin").get("/people").text
    for text in ("admin@example.org", "researcher@example.org", "other@example.org", "(you)", "still open"):
        assert text in page


def test_deeds_leave_an_event_each(world: World, database: Database) -> None:
    before = len(_events(database))
    client = world.client("admin")
    client.post("/people/invitations", data={"role": "researcher"})
    client.post("/people/invitations/1/revoke")
    client.post("/people/2/role", data={"role": "admin"})
    client.post("/people/2/disable")
    client.post("/people/2/enable")
    client.post("/people/2/password-link")
    assert _events(database)[before:] == [
        ("user:1", "user invited"),
        ("user:1", "user invitation revoked"),
        ("user:1", "role changed"),
        ("user:1", "user disabled"),
        ("user:1", "user enabled"),
        ("user:1", "password link made"),
    ]


def test_a_deed_that_changes_nothing_leaves_no_event(world: World, database: Database) -> None:
    before = _events(database)
    client = world.client("admin")
    client.post("/people/2/enable")
    client.post("/people/2/role", data={"role": "researcher"})
    assert _events(database) == before


@pytest.mark.parametrize(("path", "form"), [("/people/1/disable", {}), ("/people/1/role", {"role": "researcher"})])
def test_the_last_admin_stays(world: World, path: str, form: dict[str, str]) -> None:
    answer = world.client("admin").post(path, data=form)
    assert answer.status_code == 409
    assert "the only admin" in answer.text
    assert world.client("admin").get("/people").status_code == 200


def test_two_admins_who_demote_each_other_leave_one(database: Database) -> None:
    with database.write() as session:
        ids = [make_user(session, "admin", name).id for name in ("one", "two")]
    barrier, conflicts = threading.Barrier(2), []

    def demote(user_id: int) -> None:
        barrier.wait()
        try:
            with database.write() as session:
                users.change_role(session, "test", user_id, "researcher")
        except Conflict as conflict:
            conflicts.append(conflict)

    threads = [threading.Thread(target=demote, args=(user_id,)) for user_id in ids]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(conflicts) == 1
    with database.read() as session:
        assert len(session.scalars(select(User).where(User.role == "admin")).all()) == 1


@pytest.mark.parametrize("role", ["owner", "annotator", "", "ADMIN"])
def test_there_are_two_roles(world: World, role: str) -> None:
    before = world.rows()
    assert world.client("admin").post("/people/invitations", data={"role": role}).status_code == 422
    assert world.client("admin").post("/people/2/role", data={"role": role}).status_code == 422
    assert world.rows() == before


def test_names_are_shown_as_they_are(world: World, database: Database) -> None:
    hostile = "<script>alert(1)</script>{{7*7}}\"'"
    with database.write() as session:
        make_user(session, "researcher", hostile)
    page = world.client("admin").get("/people").text
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;{{7*7}}" in page


def test_signing_in_says_the_same_for_everything_that_is_wrong(world: World, database: Database) -> None:
    with database.write() as session:
        users.disable(session, "test", 3)
    tries = [
        ("nobody@example.org", PASSWORD),
        ("admin@example.org", "wrong password"),
        ("other@example.org", PASSWORD),
    ]
    answers = [world.client("anonymous").post("/sign-in", data={"email": e, "password": p}) for e, p in tries]
    assert {answer.status_code for answer in answers} == {422}
    assert len({answer.text.replace(email, "") for answer, (email, _) in zip(answers, tries, strict=True)}) == 1
    assert ("anonymous", "sign-in refused") in _events(database)


def test_an_address_is_compared_without_case_and_spaces(world: World) -> None:
    answer = world.client("anonymous").post("/sign-in", data={"email": " ADMIN@example.ORG ", "password": PASSWORD})
    assert answer.status_code == 303


def test_guessing_is_slowed_down(world: World) -> None:
    world.app.state.limit_clock = lambda _: 1000.0  # however slow the machine, no wait is over
    client = world.client("anonymous")
    wrong = {"email": "admin@example.org", "password": "wrong password"}
    statuses = [client.post("/sign-in", data=wrong).status_code for _ in range(8)]
    assert statuses == [422] * 5 + [429] * 3
    answer = client.post("/sign-in", data=wrong | {"password": PASSWORD})
    assert answer.status_code == 429
    assert int(answer.headers["retry-after"]) >= 1
    assert "Too many tries" in answer.text
    spoofed = client.post("/sign-in", data=wrong, headers={"X-Forwarded-For": "9.9.9.9"})
    assert spoofed.status_code == 429
    other = client.post("/sign-in", data={"email": "researcher@example.org", "password": PASSWORD})
    assert other.status_code == 303


def test_an_old_hash_is_renewed_when_its_owner_signs_in(world: World, database: Database) -> None:
    from argon2 import PasswordHasher

    from app.services import passwords

    with database.write() as session:
        session.get_one(User, 1).password_hash = PasswordHasher(time_cost=1, memory_cost=8192).hash(PASSWORD)
    form = {"email": "admin@example.org", "password": PASSWORD}
    assert world.client("anonymous").post("/sign-in", data=form).status_code == 303
    with database.read() as session:
        hashed = session.get_one(User, 1).password_hash
    assert not passwords.is_outdated(hashed)
    assert passwords.verify(hashed, PASSWORD)


@pytest.mark.parametrize("target", ["//evil.example", "/\\evil.example", "https://evil.example", "/%0aevil"])
def test_signing_in_never_leads_away(world: World, target: str) -> None:
    form = {"email": "admin@example.org", "password": PASSWORD, "next": target}
    location = world.client("anonymous").post("/sign-in", data=form).headers["location"]
    assert location in ("/", "/%0aevil")
    assert "evil.example" not in world.client("anonymous").get("/sign-in", params={"next": target}).text


def test_signing_in_leads_back_to_where_one_wanted(world: World) -> None:
    client = world.client("anonymous")
    sent = client.get("/people?sort=name")
    assert sent.headers["location"] == "/sign-in?next=/people%3Fsort%3Dname"
    assert 'value="/people?sort=name"' in client.get(sent.headers["location"]).text
    form = {"email": "admin@example.org", "password": PASSWORD, "next": "/people?sort=name"}
    assert client.post("/sign-in", data=form).headers["location"] == "/people?sort=name"


def test_an_unknown_page_knows_who_asks(world: World) -> None:
    page = world.client("admin").get("/no-such-page").text
    assert "Sign out" in page
    assert "Sign out" not in world.client("anonymous").get("/no-such-page").text


@pytest.mark.parametrize("text", ["a\x00b", "\x00"])
@pytest.mark.fault("F26", "F27")
def test_text_that_can_not_be_stored_is_refused(world: World, text: str) -> None:
    before = world.rows()
    for path, form in (
        ("/sign-in", {"email": text, "password": "x"}),
        ("/studies/new", {"title": "New one", "description": text, "grades_per_item": "3", "ask-helpfulness": "yes"}),
        ("/studies/new", {"title": text, "grades_per_item": "3", "ask-helpfulness": "yes"}),
        ("/studies/here/way/invitations", {"label": text}),
        ("/people/2/role", {"role": text}),
        (world.address("/setup/{token}"), {"name": text, "email": "x@y.z", "password": "purple monkey dish"}),
    ):
        answer = world.client("admin").post(path, data=form)
        assert answer.status_code == 422, path
    surrogate = b"title=%ED%A0%80&grades_per_item=3"
    kind = {"Content-Type": "application/x-www-form-urlencoded"}
    assert world.client("admin").post("/studies/new", content=surrogate, headers=kind).status_code == 422
    assert world.rows() == before
