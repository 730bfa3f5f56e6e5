"""A query parameter that an address doesn't know is refused: a misspelt filter would answer with everything."""

import pytest
from fastapi import FastAPI

from app.web.access import declared_roles
from tests.api.conftest import Program
from tests.security.world import World

pytestmark = pytest.mark.sqlite_is_enough
HERE = "/api/v1/studies/here"


@pytest.mark.parametrize(
    ("method", "address", "known"),
    [
        ("GET", "/api/v1/runs", "Known: cursor, kind, limit, state, study."),
        ("GET", f"{HERE}/outputs", "Known: cursor, limit."),
        ("GET", f"{HERE}/events", "Known: after."),
        ("GET", HERE, "This address takes none."),
        ("GET", "/api/v1/openapi.json", "This address takes none."),
        ("POST", f"{HERE}/analyses", "This address takes none."),
        ("POST", f"{HERE}/imports/outputs", "Known: column, good_rows_only, layout, scale."),
    ],
)
def test_the_parameter_and_the_known_ones_are_named(program: Program, method: str, address: str, known: str) -> None:
    answer = program("admin").request(method, address, params={"stat": "failed"})
    assert answer.status_code == 422, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    assert "stat" in answer.json()["detail"]
    assert answer.json()["problems"] == [{"message": "There is no such parameter.", "field": "stat", "remedy": known}]


def test_every_address_refuses_them(app: FastAPI, world: World) -> None:
    client, seen = world.client("admin"), 0
    for route in declared_roles(app):
        if route.path.startswith("/api/v1/"):
            for method in route.methods:
                answer = client.request(method, world.address(route.path), params={"no-such": "1"})
                assert answer.status_code == 422, (method, route.path, answer.text)
                seen += 1
    assert seen > 50


def test_who_is_not_known_learns_nothing_else(world: World) -> None:
    assert world.client("anonymous").get("/api/v1/runs", params={"stat": "failed"}).status_code == 401


def test_several_are_told_at_once(program: Program) -> None:
    answer = program("admin").get("/api/v1/runs", params={"stat": "x", "limit": "5", "\x00<b>": "y"})
    assert [each["field"] for each in answer.json()["problems"]] == ["stat", "\x00<b>"]
