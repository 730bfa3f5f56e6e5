"""Ways in: platforms' parameters, the team's own ids, single-use links in batches, dates, previews."""

import csv
import html
import re
import threading
from datetime import timedelta

import pytest
import time_machine
from anyio.from_thread import BlockingPortal
from fastapi import FastAPI
from fastapi.testclient import TestClient
from sqlalchemy import select

from app.clock import utc_now
from app.services import invitation_links, study_settings
from app.storage.engine import Database
from app.storage.models import Annotator, Invitation
from tests.security.world import build
from tests.way.helpers import (
    FROM_PROLIFIC,
    PERSON,
    add_check,
    come,
    counts,
    grade,
    hidden,
    invite,
    open_way,
    send,
    set_options,
    stage_of,
)

FROM_MTURK = {
    "workerId": "A1",
    "assignmentId": "B2",
    "hitId": "C3",
    "turkSubmitTo": "https://workersandbox.mturk.com",
}


@pytest.fixture
def way(database: Database) -> None:
    """An open study without forms."""
    with database.write() as session:
        open_way(session, forms=False, problems=4)


def another(client: TestClient) -> TestClient:
    """A second browser at the same app."""
    return TestClient(client.app, base_url="http://localhost", headers={"Sec-Fetch-Site": "same-origin"})


@pytest.mark.sqlite_is_enough
def test_the_same_person_goes_on_where_they_were_in_any_browser(
    client: TestClient, database: Database, way: None
) -> None:
    token = invite(database, "prolific", max_uses=1)
    assert come(client, token, **FROM_PROLIFIC) == "/grade/instructions"
    assert "/me/" not in client.get("/grade/instructions").text, "the platform vouches: no link is needed"
    grade(client, 3)
    elsewhere = another(client)
    page = elsewhere.get(f"/join/{token}", params=FROM_PROLIFIC)
    assert "Welcome back" in page.text, "a link that is used up lets in whom it let in before"
    assert come(elsewhere, token, **FROM_PROLIFIC | {"SESSION_ID": "x2"}) == "/grade"
    assert client.get("/grade", headers={"Accept": "application/json"}).status_code == 401, "one browser at a time"
    with database.read() as session:
        person = session.scalars(select(Annotator)).one()
        assert (person.source, person.external_id) == ("prolific", PERSON)
        assert person.crowd == {"STUDY_ID": "s1", "SESSION_ID": "x2"}
        assert session.scalars(select(Invitation.uses)).one() == 1
    stranger = FROM_PROLIFIC | {"PROLIFIC_PID": "somebodyelse"}
    assert elsewhere.get(f"/join/{token}", params=stranger).status_code == 404


@pytest.mark.sqlite_is_enough
def test_an_id_alone_opens_nothing(client: TestClient, database: Database, way: None) -> None:
    come(client, invite(database, "prolific"), **FROM_PROLIFIC)
    elsewhere = another(client)
    assert elsewhere.get("/join/guessed", params=FROM_PROLIFIC).status_code == 404
    own = invite(database, "id")
    assert come(elsewhere, own, id=PERSON) == "/grade/instructions"
    assert counts(database)["annotators"] == 2, "ids of one source are nothing to another"


@pytest.mark.sqlite_is_enough
def test_a_revoked_link_lets_nobody_back(client: TestClient, database: Database, way: None) -> None:
    token = invite(database, "prolific")
    come(client, token, **FROM_PROLIFIC)
    with database.write() as session:
        study = study_settings.lock(session, "the-way")
        invitation_links.revoke_invitation(session, "test", study, session.scalars(select(Invitation.id)).one())
    assert client.get(f"/join/{token}", params=FROM_PROLIFIC).status_code == 404


@pytest.mark.sqlite_is_enough
@pytest.mark.parametrize("source", ["prolific", "mturk", "id", "link"])
def test_odd_addresses_are_answered_in_words_and_store_nothing(
    client: TestClient, database: Database, way: None, source: str
) -> None:
    token = invite(database, source)
    before = counts(database)
    odd = {"PROLIFIC_PID": "x" * 5000, "workerId": "\u202e"}
    page = client.get(f"/join/{token}", params=odd)
    assert page.status_code == 422
    assert (
        "tell the study’s team" in page.text.lower().replace("tell the study", "tell the study")
        or "team" in page.text
    )
    assert client.post(f"/join/{token}", params=odd, data={"ticket": "t" * 43}).status_code == 422
    assert counts(database) == before


def test_many_presses_by_one_person_make_one_annotator(client: TestClient, database: Database, way: None) -> None:
    token = invite(database, "prolific")
    clients = [another(client) for _ in range(8)]
    tickets = [hidden(each.get(f"/join/{token}", params=FROM_PROLIFIC).text) for each in clients]
    barrier, statuses = threading.Barrier(8), []

    def press(each: TestClient, ticket: dict[str, str]) -> None:
        barrier.wait()
        answer = each.post(f"/join/{token}", params=FROM_PROLIFIC, data=ticket, follow_redirects=False)
        statuses.append(answer.status_code)

    threads = [threading.Thread(target=press, args=pair) for pair in zip(clients, tickets, strict=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert statuses == [303] * 8
    assert counts(database)["annotators"] == 1
    with database.read() as session:
        assert session.scalars(select(Invitation.uses)).one() == 1


@pytest.mark.sqlite_is_enough
def test_a_link_has_its_time(client: TestClient, database: Database, way: None) -> None:
    now = utc_now()
    token = invite(database, opens_at=now + timedelta(days=1), expires_at=now + timedelta(days=2))
    for days, status, starts in ((0.5, 200, False), (1.5, 200, True), (2.5, 404, False)):
        with time_machine.travel(now + timedelta(days=days), tick=False):
            page = client.get(f"/join/{token}")
            assert (page.status_code, ">Start<" in page.text) == (status, starts), days
            pressed = another(client).post(f"/join/{token}", data={"ticket": str(days).ljust(43, "t")}).status_code
            assert (pressed == 404) == (not starts)
    with time_machine.travel(now, tick=False):
        early = client.get(f"/join/{token}").text
    assert "This link opens at" in early
    assert f"{now + timedelta(days=1):%Y-%m-%dT%H:%M}" in early


@pytest.mark.sqlite_is_enough
def test_a_used_link_knows_its_own_owner(client: TestClient, database: Database, way: None) -> None:
    token = invite(database, max_uses=1)
    come(client, token)
    again = client.get(f"/join/{token}")
    assert again.status_code == 200
    assert "You take part in this study already, as A01" in again.text
    assert another(client).get(f"/join/{token}").status_code == 404
    assert client.get(f"/join/{invite(database, max_uses=0)}").status_code == 404, "nor by somebody else's"


@pytest.mark.sqlite_is_enough
def test_mechanical_turk_sees_a_frame_a_preview_and_a_form_to_hand_in(client: TestClient, database: Database) -> None:
    with database.write() as session:
        open_way(session, forms=False, problems=1, endings={"done": {"code": "M1", "address": ""}})
    token = invite(database, "mturk")
    framed = client.get(f"/join/{token}", params=FROM_MTURK, headers={"Sec-Fetch-Dest": "iframe"})
    assert "frame-ancestors https://*.mturk.com" in framed.headers["content-security-policy"]
    assert 'target="_blank"' in framed.text
    assert "<form method" not in framed.text.split("<main")[1].split("</main>")[0]
    assert come(client, token, **FROM_MTURK) == "/grade/instructions"
    grade(client, 2)
    page = client.get("/grade")
    assert "form-action 'self' https://*.mturk.com" in page.headers["content-security-policy"]
    form = re.search(r'<form method="post" action="(https://[^"]*)"', page.text)
    assert form
    assert form[1] == "https://workersandbox.mturk.com/mturk/externalSubmit"
    assert 'name="assignmentId" value="B2"' in page.text
    assert "mturk" not in client.get("/grade/answers").headers["content-security-policy"]
    plain = client.get(f"/join/{invite(database)}")
    assert "frame-ancestors 'none'" in plain.headers["content-security-policy"]


FORMS = {
    "consent": {"answer": "agree"},
    "profile": {"answer-years": "7"},
    "closing": {"answer-hard": "no"},
}


@pytest.fixture
def whole(database: Database) -> None:
    """An open study with everything."""
    with database.write() as session:
        study = open_way(session, problems=4, endings={"done": {"code": "P1", "address": ""}})
        add_check(session, study, "practice", 1)
        add_check(session, study, "silent", 1)


def walk(client: TestClient, base: str) -> list[str]:
    """Every page of a preview, its forms sent, too."""
    seen = []
    for stage in (
        "consent",
        "profile",
        "instructions",
        "practice",
        "grading",
        "closing",
        "done",
        "failed",
        "declined",
    ):
        page = client.get(f"{base}/{stage}")
        assert page.status_code == 200
        assert page.url.path == f"{base}/{stage}"
        assert "Nothing is stored" in page.text
        seen.append(page.text)
        if stage in FORMS:
            assert client.post(f"{base}/{stage}", data=hidden(page.text) | FORMS[stage]).status_code == 200
            assert client.post(
                f"{base}/{stage}", data=hidden(page.text) | FORMS[stage] | {"answer": "decline"}
            ).is_success
    assert client.post(f"{base}/profile", data={"answer-years": "-1"}).status_code == 422
    assert client.get(f"{base}/elsewhere").status_code == 404
    return seen


@pytest.mark.sqlite_is_enough
def test_a_preview_of_mechanical_turk_stores_nothing(client: TestClient, database: Database, whole: None) -> None:
    token = invite(database, "mturk")
    before = counts(database)
    looks = {"assignmentId": "ASSIGNMENT_ID_NOT_AVAILABLE", "hitId": "C3"}
    page = client.get(f"/join/{token}", params=looks)
    assert "This is a preview" in page.text
    assert client.post(f"/join/{token}", params=looks, data={"ticket": "t" * 43}).status_code == 409
    seen = walk(client, f"/join/{token}/preview")
    assert ">practice 1<" in seen[3]
    assert not any("P1" in text for text in seen), "the code is for those who did the work"
    assert counts(database) == before
    assert "set-cookie" not in page.headers
    assert client.get(f"/join/{invite(database, 'prolific')}/preview/consent").status_code == 404


@pytest.mark.sqlite_is_enough
def test_an_admins_preview_stores_nothing(
    app: FastAPI, database: Database, portal: BlockingPortal, whole: None
) -> None:
    world = build(app, database, portal)
    admin = world.client("admin")
    admin.follow_redirects = True
    before = counts(database)
    walk(admin, "/studies/the-way/way/preview")
    assert counts(database) == before


@pytest.fixture
def admin(app: FastAPI, database: Database, portal: BlockingPortal, way: None) -> TestClient:
    """An admin's browser."""
    return build(app, database, portal).client("admin")


@pytest.mark.sqlite_is_enough
def test_a_batch_of_single_use_links_comes_once_as_a_file(
    admin: TestClient, client: TestClient, database: Database
) -> None:
    answer = admin.post("/studies/the-way/way/invitations", data={"label": "Class", "count": "3", "answer": "csv"})
    assert answer.headers["content-disposition"] == 'attachment; filename="the-way-invitations.csv"'
    rows = list(csv.reader(answer.text.splitlines()))
    assert rows[0] == ["number", "link"]
    tokens = [row[1].rsplit("/", 1)[-1] for row in rows[1:]]
    assert len(set(tokens)) == 3
    page = admin.get("/studies/the-way/way/invitations").text
    assert not any(token in page for token in tokens)
    assert "3 single-use links" in page
    assert come(client, tokens[0]) == "/grade/instructions"
    assert another(client).get(f"/join/{tokens[0]}").status_code == 404
    assert another(client).get(f"/join/{tokens[1]}").status_code == 200
    revoke = re.search(r'action="(/studies/the-way/way/invitations/\d+/revoke)"', page)
    assert revoke
    assert admin.post(revoke[1]).status_code == 303
    assert another(client).get(f"/join/{tokens[1]}").status_code == 404
    assert stage_of(database) == "instructions", "who came by one stays"


@pytest.mark.sqlite_is_enough
@pytest.mark.parametrize(
    "form",
    [
        {"count": "1001"},
        {"count": "3", "max_uses": "2"},
        {"count": "3", "source": "prolific"},
        {"opens_at": "2026-12-02T10:00", "expires_at": "2026-12-01T10:00"},
        {"opens_at": "tomorrow"},
        {"source": "elsewhere"},
    ],
)
def test_impossible_invitations_are_refused(admin: TestClient, database: Database, form: dict[str, str]) -> None:
    before = counts(database)
    assert admin.post("/studies/the-way/way/invitations", data=form).status_code == 422
    assert counts(database) == before


@pytest.mark.sqlite_is_enough
def test_settings_and_checks_by_the_admins_pages(admin: TestClient, client: TestClient, database: Database) -> None:
    page = admin.get("/studies/the-way/way").text
    form = dict(re.findall(r'<input[^>]*name="([\w-]+)"[^>]*?value="([^"]*)"', page)) | {
        "practice_on_failing": "stop"
    }
    form |= {"quotas": "nominal: 5", "items": "9", "done_code": "X1", "practice_pass_mark": "100"}
    assert admin.post("/studies/the-way/way", data=form).status_code == 303
    assert admin.post("/studies/the-way/way", data=form | {"quotas": "nominal"}).status_code == 422
    assert admin.post("/studies/the-way/way", data=form | {"done_address": "javascript:x"}).status_code == 422
    again = admin.get("/studies/the-way/way").text
    assert "nominal: 5" in again
    assert 'value="X1"' in again
    found = admin.get("/studies/the-way/way/checks", params={"q": "return 2"}).text
    use = re.search(r'href="(/studies/the-way/way/checks/of/\d+)"', found)
    assert use
    wrong = admin.post(use[1], data={"role": "practice", "answer-helpfulness": "7"})
    assert wrong.status_code == 422
    assert admin.post(use[1], data={"role": "practice", "answer-helpfulness": ["3", "4"]}).status_code == 303
    lines = '{"role": "loud", "problem": "p1", "text": "x", "answers": {"helpfulness": 0}}\nno json\n{"role": "no"}'
    refused = admin.post("/studies/the-way/way/checks/lines", data={"lines": lines})
    assert refused.status_code == 422
    assert "row 2" in refused.text
    assert "row 3" in refused.text
    assert refused.text.count("loud check</span>") == 0, "all or none"
    come(client, invite(database))
    assert client.get(grade(client, 4)).text.count("You passed the practice") == 1


@pytest.mark.sqlite_is_enough
def test_the_id_parameter_is_the_teams_choice(client: TestClient, database: Database, way: None) -> None:
    set_options(database, id_parameter="who")
    token = invite(database, "id")
    assert client.get(f"/join/{token}", params={"id": "anna"}).status_code == 422
    come(client, token, who="anna")
    with database.read() as session:
        assert session.scalars(select(Annotator.external_id)).all() == ["anna"]


@pytest.mark.sqlite_is_enough
def test_consent_comes_first_for_whoever_comes(client: TestClient, database: Database) -> None:
    with database.write() as session:
        open_way(session)
    come(client, invite(database))
    assert send(client, "consent", answer="agree") == "/way/profile"


@pytest.mark.sqlite_is_enough
def test_an_address_that_nobody_filled_in_lets_nobody_in(
    admin: TestClient, client: TestClient, database: Database
) -> None:
    page = admin.post("/studies/the-way/way/invitations", data={"source": "id"}).text
    link = re.search(r'id="new-link">([^<]*)<', page)
    assert link
    path = html.unescape(link[1]).split("//", 1)[1].split("/", 1)[1]
    assert client.get(f"/{path}").status_code == 422
    token = invite(database, "id")
    for given in ("…", "...", "{{id}}", "the-person"):
        assert client.get(f"/join/{token}", params={"id": given}).status_code == 422, given


@pytest.mark.sqlite_is_enough
def test_a_link_that_would_have_ended_is_refused(admin: TestClient, database: Database) -> None:
    before = counts(database)
    for more in ({}, {"count": "3"}):
        form = {"expires_at": f"{utc_now() - timedelta(minutes=1):%Y-%m-%dT%H:%M}"} | more
        page = admin.post("/studies/the-way/way/invitations", data=form)
        assert page.status_code == 422
        assert "has passed already" in page.text
        assert f'value="{form["expires_at"]}"' in page.text
    assert "Ends (UTC)" in page.text
    assert counts(database) == before
