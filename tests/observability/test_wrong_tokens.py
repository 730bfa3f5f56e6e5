"""Whoever tries wrong tokens waits; whoever has a right one doesn't notice."""

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import func, select

from app.services.rate_limits import WRONG_TOKENS
from app.storage.models import RateLimit
from tests.apps import METRICS_TOKEN
from tests.security.world import World, make_user


@pytest.fixture
def clock(world: World) -> list[float]:
    """The time by which limits go."""
    now = [1000.0]
    world.app.state.limit_clock = lambda _session: now[0]
    return now


def bearer(world: World, token: str, **headers: str) -> TestClient:
    """A program with that token."""
    return world.client("anonymous", Authorization=f"Bearer {token}", **headers)


def a_right_token(world: World) -> str:
    """The secret of a researcher's token."""
    from app.services import api_tokens

    with world.database.write() as session:
        user = make_user(session, "researcher", "with-token")
        return api_tokens.mint_token(session, f"user:{user.id}", user.id, "n", ["studies:read"], days=7)


def test_too_many_wait(world: World, clock: list[float]) -> None:
    for number in range(WRONG_TOKENS.free):
        assert bearer(world, f"cj_wrong_{number}").get("/api/v1/studies").status_code == 401
    refused = bearer(world, "cj_wrong_again").get("/api/v1/studies")
    assert refused.status_code == 429
    assert refused.headers["content-type"] == "application/problem+json"
    assert (refused.headers["retry-after"], refused.json()["status"]) == ("1", 429)
    clock[0] += 1
    assert bearer(world, "cj_wrong_again").get("/api/v1/studies").status_code == 401
    assert bearer(world, "cj_wrong_again").get("/api/v1/studies").headers["retry-after"] == "2"


def test_a_right_one_from_the_same_address_is_not_slowed(world: World, clock: list[float]) -> None:
    right = a_right_token(world)
    for number in range(WRONG_TOKENS.free + 1):
        answer = bearer(world, f"cj_wrong_{number}").get("/api/v1/studies")
    assert answer.status_code == 429
    assert bearer(world, right).get("/api/v1/studies").status_code == 200
    assert world.client("anonymous").get("/sign-in").status_code == 200, "nor is anybody without one"
    with world.database.read() as session:
        before = session.scalar(select(func.count()).select_from(RateLimit))
    bearer(world, right).get("/api/v1/studies")
    with world.database.read() as session:
        assert session.scalar(select(func.count()).select_from(RateLimit)) == before == 1


def test_the_token_for_measurements_opens_nothing_else_and_is_guarded_alike(world: World, clock: list[float]) -> None:
    assert bearer(world, METRICS_TOKEN).get("/api/v1/studies").status_code == 401
    assert bearer(world, METRICS_TOKEN).get("/status").status_code in (303, 401)
    for number in range(WRONG_TOKENS.free):
        status = bearer(world, f"wrong {number}").get("/metrics").status_code
    assert status == 429
    assert bearer(world, METRICS_TOKEN).get("/metrics").status_code == 200


def test_head_counts_nothing_and_waits_as_well(world: World, clock: list[float]) -> None:
    before = world.rows()
    assert bearer(world, "cj_wrong").head("/api/v1/studies").status_code == 401
    assert world.rows() == before
    for number in range(WRONG_TOKENS.free):
        bearer(world, f"cj_wrong_{number}").get("/api/v1/studies")
    assert bearer(world, "cj_wrong").head("/api/v1/studies").status_code == 429
