"""Limits on how often, at the addresses where they hold; each process counts in the same rows."""

import pytest
from fastapi.testclient import TestClient

from app.main import create_app
from app.services.rate_limits import EXPORTS, OWN_PASSWORD, UPLOADS, WRONG_LINKS
from tests.security.world import PASSWORD, World

pytestmark = pytest.mark.sqlite_is_enough  # tests/people/test_rate_limits.py counts on both


@pytest.fixture(autouse=True)
def _time_stands(world: World) -> None:
    world.app.state.limit_clock = lambda _: 1000.0  # however slow the machine, no wait is over


@pytest.mark.parametrize("path", ["/join/{}", "/me/{}", "/setup/{}", "/join/{}/preview/grading"])
def test_links_can_not_be_guessed(world: World, path: str) -> None:
    client = world.client("anonymous")
    statuses = [client.get(path.format(f"guess-{n}")).status_code for n in range(WRONG_LINKS.free + 2)]
    assert statuses == [404] * WRONG_LINKS.free + [429] * 2
    refused = client.get(world.address("/join/{token}"))  # a guess that is right is refused as well
    assert (refused.status_code, refused.headers["retry-after"]) == (429, "1")
    world.app.state.limit_clock = lambda _: 1001.0
    assert client.get(world.address("/join/{token}")).status_code == 200


def test_guesses_by_post_count_and_heads_do_not(world: World) -> None:
    client = world.client("anonymous")
    for number in range(WRONG_LINKS.free):
        client.head(f"/me/guess-{number}")
        assert client.post(f"/me/guess-{number}").status_code == 404
    assert client.post("/me/another").status_code == 429


def test_a_class_may_come_by_one_link_from_one_address(world: World) -> None:
    for _ in range(WRONG_LINKS.free + 5):
        assert world.client("anonymous").get(world.address("/join/{token}")).status_code == 200


def test_a_new_password_can_not_be_used_to_guess_the_old_one(world: World) -> None:
    client = world.client("researcher")
    wrong = {"current_password": "wrong, quite wrong", "password": "another purple battery"}
    statuses = [client.post("/account/password", data=wrong).status_code for _ in range(OWN_PASSWORD.free + 1)]
    assert statuses == [422] * OWN_PASSWORD.free + [429]
    right = wrong | {"current_password": PASSWORD}
    assert client.post("/account/password", data=right).status_code == 429
    assert world.client("admin").post("/account/password", data=right).status_code == 303  # another's is not held up


def _upload(client: TestClient, address: str) -> int:
    return client.post(address, files={"files": ("a.csv", b"problem,system,output\np,m,x\n")}).status_code


def test_uploads_are_steady(world: World) -> None:
    client = world.client("admin")
    addresses = ("/import", world.address("/studies/{slug}/import"))
    statuses = [_upload(client, addresses[n % 2]) for n in range(UPLOADS.burst + 1)]
    assert statuses == [303] * UPLOADS.burst + [429]


def test_exports_are_steady_by_page_and_by_program(world: World) -> None:
    client, page = world.client("researcher"), world.address("/studies/{slug}/export")
    program = world.address("/api/v1/studies/{slug}/exports")
    for number in range(EXPORTS.burst):
        asked = client.post(program, json={"form": "csv"}) if number % 2 else client.post(page)
        assert asked.status_code in (202, 303)
    refused = client.post(program, json={"form": "csv"})
    assert refused.status_code == 429
    assert refused.headers["content-type"] == "application/problem+json"
    assert int(refused.headers["retry-after"]) == EXPORTS.every
    assert client.post(page).status_code == 429


def test_a_second_web_process_knows_of_the_first_ones_refusals(world: World) -> None:
    wrong = {"email": "admin@example.org", "password": "wrong password"}
    second = World(create_app(world.app.state.settings, world.database), world.database, world.portal)
    second.app.state.limit_clock = lambda _: 1000.0
    statuses = [
        process.client("anonymous").post("/sign-in", data=wrong).status_code
        for process in (world, second, world, second, world, second, world)
    ]
    assert statuses == [422] * 5 + [429] * 2


def test_grading_asks_for_no_limit(world: World) -> None:
    before = world.rows()["rate_limits"]
    client = world.client("annotator")
    for address in ("/grade", "/grade/answers", "/way", "/grade/instructions"):
        client.get(address)
    client.post(world.address("/grade/{item}"), data={"submission_id": "s" * 32, "revision": "0", "value": "3"})
    assert world.rows()["rate_limits"] == before == []
