"""The world of the security tests."""

import pytest

from app.config import Settings
from app.main import create_app
from app.storage.engine import Database
from tests.security import world as worlds


@pytest.fixture
def world(settings: Settings, database: Database) -> worlds.World:
    """Two studies and everybody who may come."""
    return worlds.build(create_app(settings, database), database)
