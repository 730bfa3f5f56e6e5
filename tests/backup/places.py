"""Installations by what a command line is told of them: a database of either kind, files in a folder or a bucket."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from app.config import Settings
from app.storage.engine import Database
from tests.imports.helpers import Importer
from tests.services.bucket import KEYS

Environment = dict[str, str]
MakePlace = Callable[[str, str], Environment]


@pytest.fixture
def place(tmp_path: Path, bucket_endpoint: str, bucket_url: str) -> MakePlace:
    """Makes the variables of an installation: its name, and where its files lie."""

    def make(name: str, files: str) -> Environment:
        folder = tmp_path / name
        folder.mkdir()
        told = {"CODEJURY_DATA_DIR": str(folder)}
        if files == "bucket":
            told |= KEYS
            told |= {"CODEJURY_BUCKET": f"{bucket_url}-{name}"}
            told |= {"CODEJURY_BUCKET_ENDPOINT": bucket_endpoint}
        return told

    return make


@pytest.fixture
def opened() -> Iterator[Callable[[Environment], Importer]]:
    """Looks into an installation from this process; nobody holds a connection afterwards."""
    databases: list[Database] = []

    def look(environment: Environment) -> Importer:
        settings = Settings(**{name: value for name, value in environment.items() if name not in KEYS})  # type: ignore[arg-type]
        databases.append(Database(settings.effective_database_url))
        return Importer(databases[-1], settings)

    yield look
    for each in databases:
        each.dispose()
