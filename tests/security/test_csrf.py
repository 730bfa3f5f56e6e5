"""No other site can make a browser change anything."""

import pytest

from tests.security.authorisation import EXPECTED
from tests.security.world import World

UNSAFE = sorted(key for key in EXPECTED if key.split()[0] not in ("GET", "HEAD", "OPTIONS"))

FOREIGN: dict[str, dict[str, str]] = {
    "cross-site": {"Sec-Fetch-Site": "cross-site"},
    "same-site, so a sibling domain": {"Sec-Fetch-Site": "same-site"},
    "cross-site with our own Origin": {"Sec-Fetch-Site": "cross-site", "Origin": "http://localhost"},
    "foreign Origin": {"Origin": "https://evil.example"},
    "our name as a part of a foreign Origin": {"Origin": "http://localhost.evil.example"},
    "another port": {"Origin": "http://localhost:81"},
    "Origin null": {"Origin": "null"},
    "nothing but a cookie": {"X-Nothing": "1"},
}


@pytest.mark.parametrize("key", UNSAFE)
def test_requests_that_another_site_made_are_refused(world: World, key: str) -> None:
    method, path = key.split()
    before = world.rows()
    for name, headers in FOREIGN.items():
        answer = world.client("admin", **headers).request(method, world.address(path), **EXPECTED[key].body)
        assert answer.status_code == 403, name
        assert "set-cookie" not in answer.headers
        assert "content-security-policy" in answer.headers
    assert world.rows() == before


def test_an_own_origin_is_enough_where_the_browser_says_no_more(world: World) -> None:
    answer = world.client("admin", Origin="http://localhost").post("/people/invitations", data={"role": "admin"})
    assert answer.status_code == 200


def test_the_policy_keeps_the_origin_of_our_own_forms() -> None:
    """Under "no-referrer" browsers send Origin: null even with our own forms, and all would be refused."""
    from app.web.security import HEADERS

    assert HEADERS["Referrer-Policy"] == "same-origin"


def test_a_get_can_not_dress_as_a_post(world: World) -> None:
    before = world.rows()
    client = world.client("admin")
    assert client.get("/people/invitations?role=admin&_method=POST").status_code == 405
    assert client.get("/sign-out").status_code == 405
    assert world.rows() == before
