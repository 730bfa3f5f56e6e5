"""No address of ours sends anybody elsewhere, and a body is only what it says it is."""

import pytest

from tests.security.authorisation import EXPECTED
from tests.security.world import PASSWORD, PRINCIPALS, World

pytestmark = pytest.mark.sqlite_is_enough

ELSEWHERE = ("//evil.example", "https://evil.example/", "/\\evil.example", "/\t/evil.example", "javascript:alert(1)")
NAMES = ("next", "url", "to", "return", "return_to", "redirect", "redirect_uri", "continue")


@pytest.mark.parametrize("target", ELSEWHERE)
def test_the_forms_that_lead_on_lead_to_our_own_pages(world: World, target: str) -> None:
    right = {"email": "admin@example.org", "password": PASSWORD}
    answers = [
        world.client("anonymous").post("/sign-in", data=right | {"next": target}),
        world.client("admin").get("/sign-in", params={"next": target}),
        world.client("anonymous").post("/language", data={"language": "de", "next": target}),
        world.client("anonymous").post(
            "/language", data={"language": "de"}, headers={"Referer": f"http://localhost{target}"}
        ),
    ]
    for answer in answers:
        assert "evil" not in answer.headers.get("location", "")
        assert answer.headers.get("location", "/").startswith("/")
        assert not answer.headers.get("location", "/").startswith(("//", "/\\"))
    assert f'value="{target}"' not in world.client("anonymous").get("/sign-in", params={"next": target}).text


@pytest.mark.parametrize("principal", PRINCIPALS)
def test_no_page_goes_where_its_address_says(world: World, principal: str) -> None:
    client = world.client(principal)
    query = "&".join(f"{name}=https://evil.example/" for name in NAMES)
    for key in EXPECTED:
        method, path = key.split()
        if method == "GET" and "{" not in path:
            answer = client.get(f"{path}?{query}")
            location = answer.headers.get("location", "")
            assert location == "" or (location.startswith("/") and not location.startswith("//")), key


def test_json_that_calls_itself_text_is_not_read(world: World) -> None:
    """A form of another site can send text/plain without asking first."""
    before = world.rows()
    for key, access in EXPECTED.items():
        if not access.json:
            continue
        method, path = key.split()
        client = world.client("annotator" if access.role == "annotator" else "admin")
        for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"):
            answer = client.request(
                method, world.address(path), content='{"have": [], "draws": 100}', headers={"Content-Type": kind}
            )
            assert answer.status_code in (415, 422), (key, kind, answer.status_code)
    counted = {"rate_limits"}  # that somebody asked for an export is counted before what was asked is read
    after = world.rows()
    assert [name for name in before if before[name] != after[name] and name not in counted] == []
