"""Imports as tests ask for them: bytes in, the ended run out."""

import io
import zipfile
from collections.abc import Mapping
from typing import Any

import app.services.imports.runs  # noqa: F401 - registers the handler
from app.config import Settings
from app.services.imports.request import ImportRequest
from app.services.imports.uploads import UploadedFile, keep, record, start_import
from app.services.runs import execute
from app.services.studies import find_study
from app.storage.engine import Database
from app.storage.models import Run


class Importer:
    """One installation that files can be imported into."""

    def __init__(self, database: Database, settings: Settings) -> None:
        self.database = database
        self.settings = settings

    def run(self, files: bytes | str | Mapping[str, bytes], kind: str = "outputs", **options: Any) -> Run:
        """Import the file or files into a new study called "Study", or into ``study``; the run as it ended."""
        if isinstance(files, str):
            files = files.encode()
        named = files if isinstance(files, Mapping) else {"upload": files}
        kept = keep(self.settings, [UploadedFile(name, io.BytesIO(data)) for name, data in named.items()])
        where = {} if "study" in options else {"title": "Study", "seed": 7}
        request = ImportRequest(
            sha256=kept.stored.sha256,
            file_name=kept.name,
            kind=kind,
            **(where | options),  # type: ignore[arg-type]
        )
        with self.database.write() as session:
            study = find_study(session, request.study) if request.study else None
            record(session, kept, study)
            run_id = start_import(session, request, user_id=None, study=study).id
        assert execute(self.database, self.settings, run_id)
        with self.database.read() as session:
            return session.get_one(Run, run_id)

    def good(self, files: bytes | str | Mapping[str, bytes], kind: str = "outputs", **options: Any) -> dict[str, Any]:
        """The result of an import that must succeed."""
        run = self.run(files, kind, **options)
        assert run.state == "done", f"{run.message}\n{run.trace or ''}"
        assert run.result is not None
        return run.result

    def bad(self, files: bytes | str | Mapping[str, bytes], kind: str = "outputs", **options: Any) -> str:
        """What an import says that must fail; failing by accident doesn't count."""
        run = self.run(files, kind, **options)
        assert run.state == "failed"
        assert run.trace is None, run.trace
        return run.message


def zipped(files: Mapping[str, bytes]) -> bytes:
    """A zip file of these files."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return target.getvalue()
