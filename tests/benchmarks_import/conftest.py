"""An installation that benchmarks can be imported into."""

import io

import pytest

from app.config import Settings
from app.services.benchmarks import Imported, import_benchmark, read_upload
from app.services.imports.uploads import UploadedFile, keep
from app.storage.engine import Database


class BenchmarkImporter:
    """Imports as the command line and the web do them."""

    def __init__(self, database: Database, settings: Settings) -> None:
        self.database, self.settings = database, settings

    def __call__(self, data: bytes | str, layout: str, name: str = "Bench", language: str = "python") -> Imported:
        """Keep the file, read it, store it."""
        content = data.encode() if isinstance(data, str) else data
        kept = keep(self.settings, [UploadedFile("file", io.BytesIO(content))])
        read = read_upload(self.settings, kept, layout, language)
        with self.database.write() as session:
            return import_benchmark(session, self.settings, kept, read, name=name, actor="tests")


@pytest.fixture
def importing(database: Database, settings: Settings) -> BenchmarkImporter:
    """Into an empty installation."""
    return BenchmarkImporter(database, settings)
