"""How long 100,000 items with 500,000 grades take to export, and how much memory: python -m benchmarks.export

Each form by a process of its own, so that its memory is its own; then the bundle into an empty installation.
DATABASE_URL picks the database (an empty one; without it, a SQLite file in a temporary folder).
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from sqlalchemy import select

import app.services.exports.runs
import app.services.imports.runs  # noqa: F401 - both register their handlers
from app.config import Settings
from app.services.exports import ExportRequest, Form, request_export
from app.services.imports.request import ImportRequest
from app.services.imports.uploads import keep, local_files, record, start_import
from app.services.runs import execute
from app.services.studies import find_study
from app.storage import migrate
from app.storage.engine import Database
from app.storage.files import FileStore
from app.storage.models import Artifact, Run
from benchmarks._graded_study import SLUG, fill_graded


def export_once(database: Database, settings: Settings, form: Form) -> str:
    """One export as a run: seconds, the process' peak of memory, the size of the file."""
    before = _peak()
    with database.write() as session:
        run_id = request_export(session, find_study(session, SLUG), ExportRequest(form=form)).id
    start, work = time.perf_counter(), time.process_time()
    execute(database, settings, run_id)
    seconds, work = time.perf_counter() - start, time.process_time() - work
    with database.read() as session:
        run = session.get_one(Run, run_id)
        assert run.state == "done", run.message
        size = session.scalars(select(Artifact.size).order_by(Artifact.id.desc())).first() or 0
    memory = f"peak {_peak():5.0f} MB (before: {before:.0f})"
    return f"{form:<13} {seconds:6.1f} s ({work:.1f} s of work)   {memory}   file {size / 2**20:6.1f} MB"


def import_once(database: Database, settings: Settings, folder: Path) -> str:
    """The bundle into another installation: seconds and memory."""
    with database.read() as session:
        found = select(Artifact.sha256).where(Artifact.file_name == f"{SLUG}.zip").order_by(Artifact.id.desc())
        path = FileStore(settings.artifacts_dir).path(session.scalars(found).first() or "")
    url = f"sqlite:///{folder / 'elsewhere.sqlite3'}"
    migrate.upgrade(url)
    elsewhere = Database(url)
    before, start, work = _peak(), time.perf_counter(), time.process_time()
    with local_files(path) as files:
        kept = keep(settings, files)
    with elsewhere.write() as session:
        record(session, kept, None)
        request = ImportRequest(sha256=kept.stored.sha256, file_name=kept.name, kind="bundle")
        run_id = start_import(session, request, user_id=None, study=None).id
    execute(elsewhere, settings, run_id)
    seconds, work = time.perf_counter() - start, time.process_time() - work
    with elsewhere.read() as session:
        message = session.get_one(Run, run_id).message.splitlines()[0]
    memory = f"peak {_peak():5.0f} MB (before: {before:.0f})"
    return f"{'import':<13} {seconds:6.1f} s ({work:.1f} s of work)   {memory}   {message}"


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    """Make the study, then measure each form in a process of its own."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument("--only", help="a form, or import: what the processes are started with")
    parser.add_argument("--folder", type=Path)
    given = parser.parse_args()
    if given.only:
        print(_one(given.only, given.folder), flush=True)
        return
    with tempfile.TemporaryDirectory() as folder:
        url = _url(Path(folder))
        migrate.upgrade(url)
        database = Database(url)
        start = time.perf_counter()
        fill_graded(database, given.items)
        seconds = time.perf_counter() - start
        print(f"{given.items:,} items, five grades each in the mean, made in {seconds:.0f} s", flush=True)
        database.dispose()
        for name in [*Form, "import"]:
            command = [sys.executable, "-m", "benchmarks.export", "--only", name, "--folder", folder]
            subprocess.run(command, check=True)


def _one(name: str, folder: Path) -> str:
    settings = Settings(CODEJURY_DATA_DIR=folder, DATABASE_URL=_url(folder), CODEJURY_MAX_UPLOAD_MB=1024)
    database = Database(settings.database_url or "")
    if name == "import":
        return import_once(database, settings, folder)
    return export_once(database, settings, Form(name))


def _url(folder: Path) -> str:
    return os.environ.get("DATABASE_URL") or f"sqlite:///{folder}/codejury.sqlite3"


if __name__ == "__main__":
    main()
