"""A set comes back from a backup: its rows point to each other, and to the benchmark that it was made from."""

from collections.abc import Callable
from pathlib import Path

import pytest

from app.config import Settings
from app.services.perturbing import Wanted, request_set
from app.storage.backup import write_backup
from app.storage.engine import Database
from tests.backup.test_backup import bring_back, files_of, state, target
from tests.imports.helpers import Importer
from tests.perturbing.conftest import Work, make_parent

__all__ = ["target"]


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_a_set_comes_back(
    database: Database,
    settings: Settings,
    work: Work,
    target: Callable[[str], Importer],
    tmp_path: Path,
    kind: str,
) -> None:
    with database.write() as session:
        request_set(session, make_parent(session), Wanted(2), actor="tests")
    work.all()
    write_backup(database, files_of(settings), tmp_path / "backup.zip")
    to = target(kind)
    bring_back(tmp_path / "backup.zip", to)
    assert state(to.database) == state(database)
