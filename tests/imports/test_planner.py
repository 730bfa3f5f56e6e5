"""PostgreSQL knows what an import stored when it plans the next query, not up to a minute later."""

import json

from app.storage.engine import Database
from app.storage.planner import renew_statistics
from tests.imports.helpers import Importer
from tests.storage.schema import rows_planned_for

ROWS = 400


def test_what_was_imported_is_known(importer: Importer, database: Database) -> None:
    rows = [{"problem": f"p{number}", "system": "one", "output": f"x = {number}"} for number in range(ROWS)]
    importer.good("\n".join(map(json.dumps, rows)))
    assert "outputs" not in renew_statistics(database.engine)
    if not database.is_sqlite:  # which plans without
        with database.read() as session:
            assert rows_planned_for(session, "outputs") == ROWS
