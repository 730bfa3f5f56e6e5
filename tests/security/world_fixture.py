"""The world as a fixture, for the conftest files that want it."""

import pytest
from anyio.from_thread import BlockingPortal
from fastapi import FastAPI

from app.storage.engine import Database
from tests.security import world as worlds


@pytest.fixture
def world(app: FastAPI, database: Database, portal: BlockingPortal) -> worlds.World:
    """Two studies and everybody who may come."""
    return worlds.build(app, database, portal)
