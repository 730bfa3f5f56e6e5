"""An admin's browser and a study to edit."""

import pytest
from fastapi.testclient import TestClient

from app.config import Settings
from app.main import create_app
from app.storage.engine import Database
from tests.security import world as worlds


@pytest.fixture
def world(settings: Settings, database: Database) -> worlds.World:
    """Two studies and everybody who may come."""
    return worlds.build(create_app(settings, database), database)


@pytest.fixture
def admin(world: worlds.World) -> TestClient:
    """The admin, without a script; redirects are followed."""
    client = world.client("admin")
    client.follow_redirects = True
    return client
