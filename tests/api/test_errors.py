"""Every error under /api is told as problem details (RFC 9457)."""

import json

import pytest
from fastapi import FastAPI
from httpx2 import Response

from tests.api.conftest import Program
from tests.security.world import World

ADDRESS = "/api/v1/studies/here/analyses"


def _told(answer: Response, status: int) -> dict[str, object]:
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    told: dict[str, object] = answer.json()
    assert told["status"] == status
    assert told["title"]
    assert told["detail"]
    return told


def test_refusals_of_every_kind(world: World, program: Program) -> None:
    client = program("researcher")
    _told(world.client("anonymous").get("/api/v1/runs"), 401)
    _told(client.get("/api/v1/runs/nothing"), 404)
    _told(client.get("/api/v1/no-such-thing"), 404)
    _told(client.get("/api/v2/runs"), 404)
    assert _told(client.delete("/api/v1/runs"), 405)
    assert client.delete("/api/v1/runs").headers["allow"] == "GET"
    told = _told(client.put("/api/v1/studies", json={}), 405)
    assert (told["title"], told["detail"]) == ("Not what this address is for", "This address takes GET, POST only.")
    assert client.put("/api/v1/studies").headers["allow"] == "GET, POST"
    told = _told(client.post(ADDRESS, content=b"{}", headers={"Content-Type": "text/plain"}), 415)
    assert told["title"] == "Not a kind of content that is read here"
    assert "application/json" in str(told["detail"])
    told = _told(client.post("/api/v1/studies", json={}), 403)
    assert told["detail"] == "Your account may not do this."
    assert "page" not in str(_told(world.client("anonymous").get("/api/v1/runs"), 401)["detail"])
    assert "may not open this page" in world.client("researcher").get("/people").text
    assert "This address takes GET, HEAD only." in world.client("admin").post("/static/css/base.css").text
    _told(client.post("/api/v1/runs/x/retry", json={}), 404)
    _told(client.post(ADDRESS, content=b"x" * 2_000_000, headers={"Content-Type": "application/json"}), 413)
    _told(client.post(ADDRESS, content=b"{}", headers={"Content-Type": "text/plain"}), 415)


def test_what_middleware_refuses_is_told_alike(world: World) -> None:
    cross = world.client("admin", **{"Sec-Fetch-Site": "cross-site"}).post(ADDRESS, json={"draws": 100})
    assert "another site" in str(_told(cross, 403)["detail"])
    forged = world.client("admin").get("/api/v1/runs", headers={"Host": "forged.example"})
    told = _told(forged, 400)
    assert told["detail"] == "This server doesn’t know the host name by which it was asked."
    assert "CODEJURY_ALLOWED_HOSTS" in str(told["remedy"])
    page = world.client("admin").get("/studies", headers={"Host": "forged.example"})
    assert page.headers["content-type"].startswith("text/plain")  # pages stay as they are


@pytest.mark.sqlite_is_enough
@pytest.mark.parametrize("host", ["forged.example", "<b>x</b>", "forged.example:80", "[::2]", "a b", ""])
def test_a_host_that_is_not_known_is_told_why(world: World, host: str) -> None:
    for headers, words in (({}, "host name by which"), ({"Accept-Language": "de"}, "CODEJURY_ALLOWED_HOSTS")):
        answer = world.client("anonymous").get("/sign-in", headers={"Host": host, **headers})
        assert answer.status_code == 400
        assert words in answer.text
        assert "CODEJURY_ALLOWED_HOSTS" in answer.text
        assert not host or host not in answer.text
        assert answer.headers["content-security-policy"]


def test_a_failure_of_ours_tells_nothing_of_itself(app: FastAPI, world: World) -> None:
    @app.get("/api/v1/broken")
    def broken() -> None:
        raise RuntimeError("a secret of the inside")

    told = _told(world.client("admin").get("/api/v1/broken"), 500)
    assert "secret" not in json.dumps(told)


@pytest.mark.parametrize(
    ("sent", "field"),
    [
        (b"", None),
        (b"{", None),
        (b"[]", None),
        (b"{} {}", None),
        (b'{"draws": NaN}', None),
        (b'{"draws": 1e999}', None),
        (b'{"draws": 100, "draws": 200}', None),
        (b"[" * 100_000, None),
        (b"[" * 30 + b"]" * 30, None),
        (b'{"question": "\\u0000"}', "question"),
        (b'{"question": "\\ud800"}', "question"),
        (b'{"\\u0000": 1}', None),
        (b'{"question": "\xff"}', None),
        (b'{"draws": 1}', "draws"),
        (b'{"draws": "many"}', "draws"),
        (b'{"colour": "red"}', "colour"),
        (b'{"bins": [[0, 5], [1, "x"]]}', "bins.1.1"),
    ],
)
def test_a_body_that_can_not_be_used_says_why(program: Program, sent: bytes, field: str | None) -> None:
    answer = program("researcher").post(ADDRESS, content=sent, headers={"Content-Type": "application/json"})
    told = _told(answer, 422)
    problems = told["problems"]
    assert isinstance(problems, list)
    assert problems[0]["message"]
    if field is not None:
        assert problems[0]["field"] == field


@pytest.mark.sqlite_is_enough
@pytest.mark.parametrize(
    ("address", "sent", "words", "field"),
    [
        ("/api/v1/studies", b"[]", "Send a JSON object here", None),
        ("/api/v1/studies", b"3", "Send a JSON object here", None),
        ("/api/v1/studies/here/checks", b'{"checks": [7]}', "Send a JSON object here", "checks.0"),
        ("/api/v1/studies", b"", "The body is empty", None),
        ("/api/v1/studies", b" \n", "The body is empty", None),
    ],
)
def test_a_body_that_is_no_object_is_told_in_plain_words(
    program: Program, address: str, sent: bytes, words: str, field: str | None
) -> None:
    answer = program("admin").post(address, content=sent, headers={"Content-Type": "application/json"})
    [problem] = _told(answer, 422)["problems"]  # type: ignore[misc]
    assert problem["message"].startswith(words)
    assert problem.get("field") == field


def test_nobody_has_a_body_read_who_may_not_send_it(world: World) -> None:
    bad = {"content": b"{", "headers": {"Content-Type": "application/json"}}
    assert world.client("anonymous").post(ADDRESS, **bad).status_code == 401
    assert world.client("annotator").post(ADDRESS, **bad).status_code == 403
