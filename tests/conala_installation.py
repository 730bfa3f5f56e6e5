"""An installation that holds the published CoNaLa study, imported from its folder and analysed."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy.orm import Session

from app.config import Settings
from app.services.analysis import StoredAnalysis, latest_analysis, request_analysis
from app.services.imports.request import ImportRequest
from app.services.imports.uploads import keep, local_files, record, start_import
from app.services.runs import execute
from app.services.studies import find_study
from app.storage import migrate
from app.storage.engine import Database
from app.storage.models import Run, Study
from tests.shared_data import shared_data


@dataclass(frozen=True)
class Conala:
    """The study in a database, analysed."""

    database: Database
    settings: Settings

    def study(self, session: Session) -> Study:
        return find_study(session, "conala")

    def analysis(self) -> StoredAnalysis:
        with self.database.read() as session:
            found = latest_analysis(session, self.study(session))
        assert found is not None
        return found


def import_and_analyse(url: str, folder: Path) -> Conala:
    """What ``codejury import codegen-metrics`` and ``codejury analyse`` do."""
    return _import_and_analyse(url, folder, shared_data("conala"), kind="codegen-metrics", title="CoNaLa", seed=0)


def import_bundle(url: str, folder: Path, bundle: Path) -> Conala:
    """What ``codejury import bundle`` and ``codejury analyse`` do."""
    return _import_and_analyse(url, folder, bundle, kind="bundle")


def _import_and_analyse(url: str, folder: Path, source: Path, **options: Any) -> Conala:
    migrate.upgrade(url)
    database = Database(url)
    settings = Settings(CODEJURY_DATA_DIR=folder, DATABASE_URL=url)
    with local_files(source) as files:
        kept = keep(settings, files)
    request = ImportRequest(sha256=kept.stored.sha256, file_name=kept.name, **options)
    with database.write() as session:
        record(session, kept, None)
        run_id = start_import(session, request, user_id=None, study=None).id
    do(database, settings, run_id)
    with database.write() as session:
        run_id = request_analysis(session, find_study(session, "conala")).id
    do(database, settings, run_id)
    return Conala(database, settings)


def do(database: Database, settings: Settings, run_id: int) -> None:
    assert execute(database, settings, run_id)
    with database.read() as session:
        run = session.get_one(Run, run_id)
        assert run.state == "done", run.message
