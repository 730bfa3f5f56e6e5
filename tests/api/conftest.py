"""The world, and programs in it."""

from collections.abc import Callable

import pytest
from fastapi.testclient import TestClient

from app.services import api_tokens
from app.services.api_tokens import Scope
from app.services.users import find_by_email
from tests.security.world import World
from tests.security.world_fixture import world

__all__ = ["world"]

Program = Callable[..., TestClient]


@pytest.fixture
def program(world: World) -> Program:
    """Makes a program: it carries a token of that user, with all scopes unless some are named, and no cookie."""

    def make(role: str = "admin", *scopes: str, days: int = 7) -> TestClient:
        with world.database.write() as session:
            user = find_by_email(session, f"{role}@example.org")
            named = scopes or tuple(Scope)
            token = api_tokens.mint_token(session, f"user:{user.id}", user.id, "a program", named, days=days)
        return world.client("anonymous", Authorization=f"Bearer {token}")

    return make
