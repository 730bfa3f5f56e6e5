"""Every deed of an admin or a researcher, and every way in or out, leaves an event in the same transaction."""

from typing import Any

import pytest
from sqlalchemy import func, select

from app.services import setup_links, sign_ins
from app.storage.models import AuditEvent
from tests.security.authorisation import EXPECTED, Access
from tests.security.world import PASSWORD, World

SAFE = ("GET", "HEAD", "OPTIONS")
WAYS_IN = ("POST /sign-in", "POST /sign-out", "POST /setup/{token}")
DEEDS = sorted(
    key
    for key, access in EXPECTED.items()
    if key.split()[0] not in SAFE and (access.role in ("admin", "researcher") or key in WAYS_IN)
)

ASKED = "the row of the run says who asked, for what and when"
CHECKED = "it tells what would be done, and does nothing"
UNWRITTEN: dict[str, str] = {
    "POST /import": "an upload is looked at; what is imported of it is an event",
    "POST /studies/{slug}/import": "an upload is looked at; what is imported of it is an event",
    "POST /import/{upload}": ASKED,
    "POST /studies/{slug}/import/{upload}": ASKED,
    "POST /studies/{slug}/analyses": ASKED,
    "POST /studies/{slug}/reliability": ASKED,
    "POST /studies/{slug}/desk/annotators/measure": ASKED,
    "POST /studies/{slug}/desk/annotators/{annotator_id}/effect": ASKED,
    "POST /studies/{slug}/way/preview/{stage}": "a preview stores nothing",
    "POST /perturbations/try": "a text is changed and shown; nothing is stored",
    "POST /benchmarks/{benchmark}/naturalness": ASKED,
    "POST /api/v1/benchmarks/{benchmark}/checks": ASKED,
    "POST /api/v1/benchmarks/{benchmark}/survey/check": CHECKED,
    "POST /api/v1/studies/{slug}/analyses": ASKED,
    "POST /api/v1/studies/{slug}/agreement": ASKED,
    "POST /api/v1/studies/{slug}/quality": ASKED,
    "POST /api/v1/studies/{slug}/annotators/{annotator_id}/effect": ASKED,
    "POST /api/v1/studies/{slug}/imports/grades": ASKED,
    "POST /api/v1/studies/{slug}/imports/{kind}": ASKED,
    "POST /api/v1/studies/{slug}/imports/grades/check": CHECKED,
    "POST /api/v1/studies/{slug}/imports/{kind}/check": CHECKED,
    "POST /api/v1/studies/{slug}/sample/check": CHECKED,
    "POST /api/v1/benchmarks/{benchmark}/generations/estimate": CHECKED,
}
# What the table sends there changes nothing in this world; the tests of these pages look at their events.
ELSEWHERE = {
    "POST /studies/{slug}/questionnaire/instruments/{instrument_id}",
    "POST /studies/{slug}/questionnaire/instruments/{instrument_id}/remove",
    "POST /studies/{slug}/way/checks/lines",
    "POST /studies/{slug}/way/checks/{item_id}/move",
    "POST /studies/{slug}/desk/webhooks/{webhook}/test",
    "DELETE /api/v1/studies/{slug}/questionnaire/instruments/{instrument_id}",
    "PUT /api/v1/studies/{slug}/questionnaire/instruments/{instrument_id}",
    "PUT /api/v1/studies/{slug}/checks/{item_id}",
    "POST /api/v1/studies/{slug}/checks/{item_id}/move",
    "POST /api/v1/studies/{slug}/webhooks/{webhook}/test",
    "POST /api/v1/imports/{kind}",
    "POST /benchmarks/{benchmark}/survey",
    "POST /api/v1/benchmarks/{benchmark}/survey",
}
BODIES: dict[str, dict[str, Any]] = {
    "POST /sign-in": {"data": {"email": "admin@example.org", "password": PASSWORD}},
    "POST /studies/{slug}/way/checks/{item_id}/edit": {"data": {"answer-helpfulness": "1"}},
    "POST /import": {"files": {"files": ("a.csv", b"problem,system,output\np,m,x\n")}},
    "POST /studies/{slug}/import": {"files": {"files": ("a.csv", b"problem,system,output\np,m,x\n")}},
    "POST /benchmarks/import": {"files": {"file": ("a.csv", b"prompt,tests\np,assert 1\n")}},
}


def _events(world: World) -> int:
    with world.database.read() as session:
        return session.scalar(select(func.count()).select_from(AuditEvent)) or 0


def _sign_everybody_in_again(world: World) -> None:
    with world.database.write() as session:
        world.cookies |= {
            "admin": sign_ins.start_session(session, user_id=1),
            "researcher": sign_ins.start_session(session, user_id=2),
        }
        world.by_path["/setup/{token}"] = {"token": setup_links.invite_user(session, "user:1", "researcher")}
        world.parameters["link_id"] = str(setup_links.open_invitations(session)[-1].id)
        world.parameters["sign_in_id"] = str(sign_ins.sessions_of_user(session, 2)[-1].id)


def _who(key: str, access: Access) -> str:
    return "admin" if key == "POST /sign-out" else "anonymous" if access.role == "anyone" else access.role


@pytest.mark.sqlite_is_enough
@pytest.mark.parametrize("by", ["pages", "API"])
def test_every_deed_is_written_down(world: World, by: str) -> None:
    """Each in a world of its own: what the other has done already would change nothing."""
    unwritten, undone = [], []
    for key in (each for each in DEEDS if (" /api/" in each) == (by == "API")):
        _sign_everybody_in_again(world)
        method, path = key.split()
        before = _events(world)
        body = BODIES.get(key, EXPECTED[key].body)
        answer = world.client(_who(key, EXPECTED[key])).request(method, world.address(path), **body)
        if answer.status_code >= 400:
            undone.append(f"{key}: {answer.status_code}")
        elif _events(world) == before:
            unwritten.append(key)
    expected = sorted(each for each in UNWRITTEN if (" /api/" in each) == (by == "API"))
    assert sorted(set(unwritten) - ELSEWHERE) == expected, "write an event, or say here why there is none"
    assert [each for each in undone if each.rsplit(": ", 1)[0] not in ELSEWHERE] == []


def test_what_is_refused_is_not_written_down_as_done(world: World) -> None:
    """An event stands and falls with its deed."""
    before = world.rows()["audit_events"]
    assert world.client("admin").post("/people/1/disable").status_code == 409  # the only admin
    assert world.client("researcher").post("/people/3/disable").status_code == 403
    assert world.rows()["audit_events"] == before


def test_an_admin_reads_the_trail_and_no_page_changes_it(world: World) -> None:
    world.client("admin").post("/people/3/disable")
    page = world.client("admin").get("/log").text
    assert "Disabled the account of" in page
    assert world.client("researcher").get("/log").status_code == 403
    assert [key for key in EXPECTED if "/log" in key and not key.startswith("GET ")] == []
