"""The world as a fixture, for the conftest files that want it."""

import pytest
from fastapi import FastAPI

from app.storage.engine import Database
from tests.security import world as worlds


@pytest.fixture
def world(app: FastAPI, database: Database) -> worlds.World:
    """Two studies and everybody who may come."""
    return worlds.build(app, database)
