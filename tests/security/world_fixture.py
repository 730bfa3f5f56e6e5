"""The world as a fixture, for the conftest files that want it."""

import pytest
from anyio.from_thread import BlockingPortal
from fastapi import FastAPI

from app.storage.engine import Database
from tests.prepared import prepare
from tests.security import world as worlds

# Tests go by how long ago people came; some look at what changes after five minutes.
FRESH_SECONDS = 30


@pytest.fixture
def world(app: FastAPI, database: Database, portal: BlockingPortal) -> worlds.World:
    """Two studies and everybody who may come; made once, and from then on copied."""

    def make() -> tuple[dict[str, str], dict[str, str], dict[str, dict[str, str]]]:
        made = worlds.build(app, database, portal)
        return made.cookies, made.parameters, made.by_path

    cookies, parameters, by_path = prepare(database, "world", make, seconds=FRESH_SECONDS)
    worlds.store_files(app.state.settings)
    with database.write() as session:
        worlds.give_sign_of_life(session)
    return worlds.World(app, database, portal, cookies, parameters, by_path)
