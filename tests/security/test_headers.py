"""Headers on every kind of answer, hosts, and the last resort."""

import re

import pytest
from fastapi.testclient import TestClient

from app.config import Settings
from app.main import create_app
from app.storage.engine import Database
from app.web.access import ANYONE
from tests.security.world import World

CANARY = "canary-5f3e-secret"


DANGEROUS = {"camera", "microphone", "geolocation", "display-capture", "payment", "usb", "serial", "clipboard-read"}


def _features_off(policy: str) -> set[str]:
    """The features that nobody may use; the policy must be made of nothing else."""
    parts = re.findall(r"([a-z-]+)=\(\)(?:, |$)", policy)
    assert policy == ", ".join(f"{name}=()" for name in parts)
    return set(parts)


def _explode() -> None:
    secret = CANARY
    raise RuntimeError(f"database at {secret} said no")


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/", 200),
        ("GET", "/sign-in", 200),
        ("GET", "/static/css/base.css", 200),
        ("GET", "/static/no-such.css", 404),
        ("GET", "/no-such-page", 404),
        ("GET", "/people", 303),
        ("POST", "/people/invitations", 401),
        ("POST", "/sign-in", 422),
        ("PATCH", "/sign-in", 405),
        ("GET", "/health", 200),
        ("GET", "/explode", 500),
    ],
)
def test_every_answer_carries_the_headers(world: World, method: str, path: str, status: int) -> None:
    world.app.get("/explode", dependencies=[ANYONE])(_explode)
    answer = world.client("anonymous").request(method, path)
    assert answer.status_code == status
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "content-security-policy-report-only" not in answer.headers
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "same-origin"
    assert answer.headers["cross-origin-opener-policy"] == "same-origin"
    assert answer.headers["cross-origin-resource-policy"] == "same-origin"
    assert _features_off(answer.headers["permissions-policy"]) >= DANGEROUS
    assert ("no-store" in answer.headers.get("cache-control", "")) != path.startswith("/static/")


@pytest.mark.sqlite_is_enough
def test_static_files_are_kept_for_ever_only_under_an_address_that_names_their_content(client: TestClient) -> None:
    page = client.get("/sign-in").text
    named = re.search(r'href="(/static/css/base\.css\?v=\w+)"', page)
    assert named
    kept = client.get(named[1])
    assert kept.status_code == 200
    assert kept.headers["cache-control"] == "public, max-age=31536000, immutable"
    again = client.get(named[1], headers={"If-None-Match": kept.headers["etag"]})
    assert (again.status_code, again.headers["cache-control"]) == (304, kept.headers["cache-control"])
    for path, status in (("base.css", 200), ("base.css?x=1", 200), ("no-such.css", 404), ("no-such.css?v=1", 404)):
        answer = client.get(f"/static/css/{path}")
        assert (answer.status_code, answer.headers["cache-control"]) == (status, "no-cache"), path


def test_transport_security_is_promised_behind_tls(database: Database, database_url: str, tmp_path: object) -> None:
    settings = Settings(CODEJURY_DATA_DIR=tmp_path, DATABASE_URL=database_url, CODEJURY_HTTPS=True)  # type: ignore[call-arg]
    with TestClient(create_app(settings, database), base_url="https://localhost") as client:
        assert "max-age=31536000" in client.get("/").headers["strict-transport-security"]


def _fail() -> None:
    word = CANARY
    raise ValueError(len(word))


@pytest.mark.parametrize("accept", ["text/html", "application/json"])
def test_an_unexpected_failure_tells_a_number_and_no_more(
    world: World, accept: str, capsys: pytest.CaptureFixture[str]
) -> None:
    world.app.get("/explode", dependencies=[ANYONE])(_explode)
    answer = world.client("anonymous").get("/explode", headers={"Accept": accept})
    assert answer.status_code == 500
    assert CANARY not in answer.text + str(answer.headers)
    assert "Traceback" not in answer.text
    log = capsys.readouterr().err
    assert "RuntimeError" in log
    plain = re.sub(r"\x1b\[\d*m", "", log)
    reference = re.search(r"unexpected_failure.* request=(\w{32})", plain)
    assert reference
    assert reference[1] in answer.text
    assert reference[1] == answer.headers["x-request-id"]


def test_the_log_of_a_failure_holds_no_local_variables(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    """A form's password is a local variable somewhere on the way."""

    world.app.get("/explode", dependencies=[ANYONE])(_fail)
    world.client("anonymous").get("/explode")
    captured = capsys.readouterr()
    assert "ValueError" in captured.err
    assert CANARY not in captured.out + captured.err


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example", "localhost/admin?x", "", "[::1"])
def test_a_strange_host_is_refused(world: World, host: str) -> None:
    answer = world.client("admin").get("/people", headers={"Host": host})
    assert answer.status_code == 400
    assert host not in answer.text or not host


@pytest.mark.parametrize("host", ["localhost", "localhost:8000", "127.0.0.1:9", "[::1]:8000"])
def test_own_hosts_are_known(world: World, host: str) -> None:
    assert world.client("anonymous").get("/health", headers={"Host": host}).status_code == 200


def test_further_hosts_come_from_the_settings() -> None:
    settings = Settings(  # type: ignore[call-arg]
        CODEJURY_BASE_URL="https://jury.example.org/",
        CODEJURY_ALLOWED_HOSTS="a.example, *.b.example",
        HOST="10.1.2.3",
    )
    assert {"jury.example.org", "a.example", "*.b.example", "10.1.2.3", "localhost"} <= set(settings.known_hosts)


def test_links_never_come_from_the_host_header(world: World) -> None:
    answer = world.client("admin").post(
        "/people/invitations", data={"role": "admin"}, headers={"X-Forwarded-Host": "evil"}
    )
    assert "evil" not in answer.text
    assert "http://127.0.0.1:8000/setup/" in answer.text


def test_no_description_of_the_api_is_public(world: World) -> None:
    for path in ("/docs", "/redoc", "/openapi.json"):
        assert world.client("admin").get(path).status_code == 404
