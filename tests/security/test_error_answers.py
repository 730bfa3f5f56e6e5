"""Errors in the form that was asked for, and the scheme of an origin."""

import pytest

from app.config import Settings
from app.main import create_app
from tests.security.world import World

pytestmark = pytest.mark.sqlite_is_enough


@pytest.mark.parametrize("headers", [{"Content-Type": "application/json"}, {"Accept": "application/json"}])
@pytest.mark.parametrize("content", ["{", "{}", '{"have": 1}'])
def test_programs_are_told_of_errors_in_json(world: World, headers: dict[str, str], content: str) -> None:
    for path in ("/grade/next", world.address("/grade/{item}/answer")):
        for principal in ("annotator", "anonymous"):
            answer = world.client(principal).post(path, content=content, headers=headers)
            assert answer.status_code in (401, 422)
            assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize(
    ("content", "field"), [("{}", True), ('{"have": 1, "kind": 2}', True), ("null", False), ("", False)]
)
def test_strangers_are_not_told_what_is_wrong_with_an_answer(world: World, content: str, field: bool) -> None:
    for path in ("/grade/next", world.address("/grade/{item}/answer")):
        headers = {"Content-Type": "application/json"}
        assert world.client("anonymous").post(path, content=content, headers=headers).status_code == 401
        told = world.client("annotator").post(path, content=content, headers=headers)
        assert told.status_code == 422
        assert all(bool(each.get("field")) == field for each in told.json()["problems"])


def test_a_form_has_fields_not_columns(world: World) -> None:
    answer = world.client("anonymous").post(world.address("/join/{token}"), data={})
    assert answer.status_code == 422
    assert "field &#39;ticket&#39;" in answer.text
    assert "column" not in answer.text


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/no-such-page", 404),
        ("GET", "/people/invitations", 405),
        ("GET", "/runs?before=x", 422),
        ("POST", "/sign-in", 413),
    ],
)
def test_an_error_page_keeps_the_menu_of_who_is_signed_in(world: World, method: str, path: str, status: int) -> None:
    data = {"email": "x" * (70 << 10)} if method == "POST" else None
    answer = world.client("researcher").request(method, path, data=data)
    assert answer.status_code == status
    assert 'href="/account"' in answer.text
    assert 'href="/sign-in"' not in answer.text
    assert (answer.headers.get("allow") is not None) == (status == 405)


@pytest.mark.parametrize(
    ("installed", "origin", "status"),
    [
        ({"CODEJURY_HTTPS": True}, "http://localhost", 403),
        ({"CODEJURY_HTTPS": True}, "https://localhost", 200),
        ({"CODEJURY_BASE_URL": "https://localhost"}, "http://localhost", 403),
        ({"CODEJURY_BASE_URL": "https://localhost"}, "https://localhost", 200),
        ({"CODEJURY_BASE_URL": "https://elsewhere.example"}, "http://localhost", 200),
        ({}, "https://localhost", 200),
        ({}, "ftp://localhost", 403),
    ],
)
def test_an_origin_of_another_scheme_is_foreign(
    world: World, settings: Settings, installed: dict[str, object], origin: str, status: int
) -> None:
    known = {"CODEJURY_DATA_DIR": settings.data_dir, "DATABASE_URL": settings.database_url}
    world.app = create_app(Settings(**known, **installed), world.database)  # type: ignore[arg-type]
    client = world.client("admin", Origin=origin)
    client.headers["Cookie"] = f"{world.app.state.session_cookie}={world.cookies['admin']}"
    assert client.post("/people/invitations", data={"role": "admin"}).status_code == status
