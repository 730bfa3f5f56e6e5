"""An admin's browser and a study to edit."""

import pytest
from fastapi.testclient import TestClient

from tests.security.world import World
from tests.security.world_fixture import world

__all__ = ["admin", "world"]


@pytest.fixture
def admin(world: World) -> TestClient:
    """The admin, without a script; redirects are followed."""
    client = world.client("admin")
    client.follow_redirects = True
    return client
