"""Every route, as everybody."""

import pytest
from fastapi import FastAPI
from httpx2 import Response

from app.web.access import GRANTS, Role, declared_roles
from tests.security.authorisation import EXPECTED
from tests.security.world import PRINCIPALS, World, told

SAFE = ("GET", "HEAD", "OPTIONS")


def _served(app: FastAPI) -> dict[str, str]:
    return {f"{method} {route.path}": route.role for route in declared_roles(app) for method in route.methods}


def _kind(principal: str) -> str:
    return principal.removesuffix("_elsewhere")


def _is_allowed(role: str, principal: str) -> bool:
    return role == "anyone" or _kind(principal) in GRANTS[Role(role)]


def _visitor(role: str) -> str:
    """Somebody who may use a route of that role."""
    return "anonymous" if role == "anyone" else role


def test_each_route_is_in_the_table_and_declares_what_the_table_says(world: World) -> None:
    served = _served(world.app)
    assert len(served) > 20  # the routes of included routers are really seen
    assert sorted(served.keys() - EXPECTED.keys()) == [], "give these routes a row in authorisation.py"
    assert sorted(EXPECTED.keys() - served.keys()) == [], "these rows have no route any more"
    assert served == {key: access.role for key, access in EXPECTED.items()}


def test_a_route_without_a_permission_stops_the_start(world: World) -> None:
    @world.app.get("/open-door")
    def open_door() -> None: ...

    with pytest.raises(RuntimeError, match="/open-door declares 0 permissions"):
        list(declared_roles(world.app))


def test_a_mount_is_not_waved_through(world: World) -> None:
    world.app.mount("/second", FastAPI())
    with pytest.raises(RuntimeError, match="/second declares 0 permissions"):
        list(declared_roles(world.app))


def test_no_route_is_hidden_behind_another(world: World) -> None:
    """An address without parameters reaches its own route: /studies/new is not a study called "new"."""
    for key in EXPECTED:
        method, path = key.split()
        if method == "GET" and "{" not in path:
            answer = world.client(_visitor(EXPECTED[key].role)).get(path)
            assert answer.status_code in (200, 303), key
            assert not answer.headers.get("location", "").startswith("/sign-in?"), key


@pytest.mark.parametrize("key", sorted(EXPECTED))
def test_everybody_gets_what_the_table_grants(world: World, key: str) -> None:
    method, path = key.split()
    access, address = EXPECTED[key], world.address(path)
    before = world.rows()
    for principal in PRINCIPALS:
        if not _is_allowed(access.role, principal):
            answer = world.client(principal).request(method, address, **access.body)
            _assert_refused(answer, "nobody" if access.role == "scraper" else principal, method)
            assert world.rows() == before, f"{principal} changed something by {key}"
    if access.own_study:
        answer = world.client("annotator_elsewhere").request(method, address, **access.body)
        assert answer.status_code == 404, answer.text
        assert world.rows() == before
    for principal in PRINCIPALS:
        if _is_allowed(access.role, principal) and not (access.own_study and principal == "annotator_elsewhere"):
            answer = world.client(principal).request(method, address, **access.body)
            assert answer.status_code not in (401, 403), f"{principal} is refused {key}"
            assert answer.status_code < 500, answer.text
            assert not answer.headers.get("location", "").startswith("/sign-in?"), f"{principal} is sent away"


def _assert_refused(answer: Response, principal: str, method: str) -> None:
    if principal != "anonymous":
        assert answer.status_code in (403, 404), (principal, answer.status_code)
    elif answer.request.url.path.startswith("/api/"):  # a program is told, not sent to a form
        assert answer.status_code == 401
    elif method in SAFE:
        assert answer.status_code == 303
        assert answer.headers["location"].startswith("/sign-in?next=/")
    else:
        assert answer.status_code == 401


@pytest.mark.parametrize("key", sorted(key for key in EXPECTED if key.startswith("GET ")))
def test_reading_changes_nothing(world: World, key: str) -> None:
    path = key.removeprefix("GET ")
    access = EXPECTED[key]
    before = world.rows()
    for principal in PRINCIPALS:
        if access.reading_changes and _is_allowed(access.role, principal):
            continue
        world.client(principal).get(world.address(path))
        assert world.rows() == before, f"{principal} changed something by reading {path}"


@pytest.mark.parametrize("key", sorted(key for key in EXPECTED if "{" in key))
def test_a_missing_thing_and_a_strange_name_are_the_same_404(world: World, key: str) -> None:
    """Whoever may use the route learns nothing from ids that don't exist, and nothing breaks."""
    method, path = key.split()
    principal = _visitor(EXPECTED[key].role)
    world.by_path = {}
    for value in ("999999", "%00", "x" * 300, "%F0%9F%98%80", "' OR 1=1 --", "2147483648", "9" * 30):
        world.parameters = dict.fromkeys([*world.parameters, "token"], value)
        status = world.client(principal).request(method, world.address(path), **EXPECTED[key].body).status_code
        assert status in (404, 422), (value, status)


def test_ids_of_another_study_are_like_missing_ones(world: World) -> None:
    elsewhere = {"slug": "elsewhere"}
    for path in (
        "/studies/{slug}/way/invitations/{invitation_id}/revoke",
        "/studies/{slug}/desk/annotators/{annotator_id}/link",
        "/studies/{slug}/desk/annotators/{annotator_id}/effect",
        "/studies/{slug}/desk/annotators/{annotator_id}/exclude",
    ):
        before = world.rows()
        world.by_path[path] = elsewhere
        foreign = world.client("admin").post(world.address(path), data={"reason": "why"})
        world.by_path[path] = elsewhere | {"invitation_id": "999999", "annotator_id": "999999"}
        missing = world.client("admin").post(world.address(path), data={"reason": "why"})
        assert foreign.status_code == missing.status_code == 404
        assert told(foreign) == told(missing)
        assert world.rows() == before


@pytest.mark.parametrize("key", sorted(key for key in EXPECTED if key.startswith("GET ")))
def test_head_answers_as_get_does_and_changes_nothing(world: World, key: str) -> None:
    address = world.address(key.removeprefix("GET "))
    before = world.rows()
    heads = {principal: world.client(principal).head(address) for principal in PRINCIPALS}
    assert world.rows() == before
    for principal, head in heads.items():
        assert head.content == b""
        assert "set-cookie" not in head.headers
        got = world.client(principal).get(address)
        assert head.status_code == got.status_code
        assert head.headers.get("content-type") == got.headers.get("content-type")
