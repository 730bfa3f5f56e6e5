"""Whoever comes back by a plain link after their sign-in expired is themselves, and every page says what is so."""

import re
from datetime import timedelta

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select, update

from app.clock import utc_now
from app.services import invitation_links, study_settings
from app.services.sign_ins import ANNOTATOR_KNOWN, ANNOTATOR_LIFETIME
from app.storage.engine import Database
from app.storage.models import Annotator, Invitation, SignIn, Study
from tests.way.helpers import FROM_PROLIFIC, come, counts, grade, hidden, invite, open_way, send, set_options
from tests.way.test_entrances import another

pytestmark = pytest.mark.sqlite_is_enough
HOUR = timedelta(hours=1)


@pytest.fixture
def way(database: Database) -> None:
    """An open study without forms."""
    with database.write() as session:
        open_way(session, forms=False, problems=4)


def expire(database: Database, ago: timedelta = HOUR) -> None:
    """Every sign-in expired so long ago."""
    with database.write() as session:
        session.execute(update(SignIn).values(expires_at=utc_now() - ago))


def uses(database: Database) -> list[int]:
    with database.read() as session:
        return list(session.scalars(select(Invitation.uses).order_by(Invitation.id)))


@pytest.mark.parametrize("limits", [{}, {"max_uses": 1}])
def test_an_expired_browser_goes_on_as_the_same_person(
    client: TestClient, database: Database, way: None, limits: dict[str, int]
) -> None:
    token = invite(database, **limits)
    come(client, token)
    grade(client, 3)
    expire(database)
    assert client.get("/grade", headers={"Accept": "application/json"}).status_code == 401
    page = client.get(f"/join/{token}")
    assert "Welcome back, A01." in page.text
    assert counts(database)["annotators"] == 1
    assert come(client, token) == "/grade"
    assert "A01" in client.get("/grade").text
    assert counts(database)["annotators"] == 1
    assert uses(database) == [1]
    assert "You take part in this study already, as A01" in client.get(f"/join/{token}").text


def test_another_browser_is_a_stranger(client: TestClient, database: Database, way: None) -> None:
    token = invite(database)
    come(client, token)
    expire(database)
    stranger = another(client)
    assert ">Start<" in stranger.get(f"/join/{token}").text
    come(stranger, token)
    assert counts(database)["annotators"] == 2


def is_known(client: TestClient, token: str) -> bool:
    return "Welcome back" in client.get(f"/join/{token}").text


def test_only_so_long_and_only_by_that_very_link(client: TestClient, database: Database, way: None) -> None:
    token, other = invite(database), invite(database)
    come(client, token)
    expire(database, ANNOTATOR_KNOWN - HOUR)
    assert is_known(client, token)
    assert not is_known(client, other)
    expire(database, ANNOTATOR_KNOWN + HOUR)
    assert not is_known(client, token)


def test_the_cookie_lasts_as_long_as_it_tells_something(client: TestClient, database: Database, way: None) -> None:
    token = invite(database)
    page = client.get(f"/join/{token}")
    answer = client.post(f"/join/{token}", data=hidden(page.text), follow_redirects=False)
    ages = [
        int(age) for age in re.findall(r"Max-Age=(\d+); Path=/;", ", ".join(answer.headers.get_list("set-cookie")))
    ]
    assert ages == [(ANNOTATOR_LIFETIME + ANNOTATOR_KNOWN).total_seconds()]


@pytest.mark.parametrize("how", ["signed out", "new personal link", "excluded", "revoked"])
def test_what_was_ended_on_purpose_stays_ended(client: TestClient, database: Database, way: None, how: str) -> None:
    token = invite(database)
    come(client, token)
    with database.write() as session:
        study = study_settings.lock(session, "the-way")
        if how == "signed out":
            session.execute(update(SignIn).values(ended_at=utc_now()))
        elif how == "new personal link":
            invitation_links.renew_personal_link(session, "test", study, session.scalars(select(Annotator.id)).one())
        elif how == "excluded":
            session.execute(update(Annotator).values(excluded_at=utc_now()))
        else:
            invitation = session.scalars(select(Invitation.id)).one()
            invitation_links.revoke_invitation(session, "test", study, invitation)
    expire(database)
    assert not is_known(client, token)
    if how == "revoked":
        assert client.post(f"/join/{token}", data={"ticket": "t" * 43}).status_code == 404
    else:
        come(client, token)
        assert counts(database)["annotators"] == 2


def dialog(client: TestClient) -> str:
    return client.get("/grade").text.split('<dialog class="renewing"')[1].split("</dialog>")[0]


def test_the_dialog_advises_the_link_only_where_it_names_the_person(
    client: TestClient, database: Database, way: None
) -> None:
    come(client, invite(database))
    plain = dialog(client)
    assert "ask the people who run the study for a new one" in plain
    assert "as you did when you came" not in plain
    for source, named in (("prolific", FROM_PROLIFIC), ("id", {"id": "p-7"})):
        known = another(client)
        come(known, invite(database, source), **named)
        assert "as you did when you came" in dialog(known), source
        assert "for a new one" not in dialog(known), source


def tell(client: TestClient, database: Database, token: str) -> list[str]:
    """What the page of the invitation says, signed in and later, and that of a personal link."""
    signed_in = client.get(f"/join/{token}").text
    with database.write() as session:
        link = invitation_links.mint_personal_link(session, session.scalars(select(Annotator.id)).one())
    personal = client.get(f"/me/{link}").text
    expire(database)
    return [
        page.split("<main")[1].split("</main>")[0]
        for page in (signed_in, personal, client.get(f"/join/{token}").text)
    ]


def test_whoever_declined_is_not_told_that_they_take_part(client: TestClient, database: Database) -> None:
    with database.write() as session:
        open_way(session)
    token = invite(database)
    come(client, token)
    send(client, "consent", answer="decline")
    for page in tell(client, database, token):
        assert "You did not agree to take part, so nothing is asked of you." in page
        assert "You take part" not in page
        assert "Go on grading" not in page
        assert "answers are safe" not in page


@pytest.mark.parametrize(
    ("stage", "state", "words"),
    [
        ("grading", "closed", "The study is closed. What you did is stored."),
        ("failed", "open", "Your part has ended. What you did is stored."),
        ("done", "open", "Your part is done, and your answers are stored."),
    ],
)
def test_whoever_has_nothing_more_to_do_reads_so(
    client: TestClient, database: Database, way: None, stage: str, state: str, words: str
) -> None:
    token = invite(database)
    come(client, token)
    with database.write() as session:
        session.execute(update(Annotator).values(stage=stage))
        session.scalars(select(Study)).one().state = state
    for page in tell(client, database, token):
        assert words in page
        assert "You take part" not in page
        assert "Go on grading" not in page


def test_a_limit_reached_is_told_as_ones_own_part(client: TestClient, database: Database, way: None) -> None:
    set_options(database, limits={"items": 2})
    come(client, invite(database))
    grade(client, 1)
    grade(client, 1)
    page = client.get("/grade").text
    assert "Thank you, your part is done" in page
    assert "you may find more here later" not in page
