"""An installation to import into."""

import pytest

from app.config import Settings
from app.storage.engine import Database
from tests.imports.helpers import Importer


@pytest.fixture
def importer(database: Database, settings: Settings) -> Importer:
    """Imports into an empty installation."""
    return Importer(database, settings)
