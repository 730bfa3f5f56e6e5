"""The import as a run: read and check without a transaction, then store everything in the one that says "done"."""

import secrets
import time
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.services.imports.batches import read_batch, upload_limit
from app.services.imports.comparing import compare
from app.services.imports.images import clean_png
from app.services.imports.material import Batch
from app.services.imports.problems import ProblemList
from app.services.imports.request import ImportRequest
from app.services.imports.sources import open_bundle
from app.services.imports.storing import Origin, Storing
from app.services.runs import RunContext, Store, handler
from app.storage.files import Files, StoredFile, files_of
from app.storage.models import Study
from app.words import gettext

SECONDS_BETWEEN_REPORTS = 0.5


@handler("import")
def run_import(context: RunContext) -> Store:
    """Read the upload that the payload names. Nothing is stored before all of it is known to be good."""
    request = ImportRequest.model_validate(context.payload)
    files = files_of(context.settings)
    seed = _seed(context, request)
    problems = ProblemList()
    with open_bundle(files.path(request.sha256), request.file_name, limit=upload_limit(context.settings)) as bundle:
        reports = _Reports(context)
        batch = read_batch(bundle, request, problems, tick=reports.tick)
        _stop_on_problems(context, request, batch, problems)
        images = _store_images(batch, files)
    context.progress(
        batch.rows, batch.rows, unit=gettext("rows"), message=gettext("All rows are read. Storing them …")
    )
    actor = f"user:{context.user_id}" if context.user_id else "command line"
    origin = Origin(context.run_id, context.public_id, request.sha256, actor)

    def store(session: Session) -> dict[str, Any]:
        return Storing(session, request, batch, problems, origin).store(seed, images)

    return store


def _stop_on_problems(context: RunContext, request: ImportRequest, batch: Batch, problems: ProblemList) -> None:
    """Tell everything that is wrong at once: with the file, and with what the study holds already."""
    # A published folder's rows belong together: a row left out would shift grades to other outputs.
    if not request.good_rows_only or request.kind == "codegen-metrics":
        with context.database.read() as session:
            compare(session, request, batch, problems)
        problems.raise_if_any()


def _seed(context: RunContext, request: ImportRequest) -> int:
    """The seed of a new study, or of the one that the import adds to."""
    if request.study is None:
        return secrets.randbelow(2**31) if request.seed is None else request.seed
    with context.database.read() as session:
        stored = session.scalar(select(Study.seed).where(Study.slug == request.study))
    return stored or 0  # a study that is gone is told of when storing begins


class _Reports:
    """Progress now and then: each report is a small commit."""

    def __init__(self, context: RunContext) -> None:
        self.context = context
        self.last = time.monotonic()

    def tick(self, rows: int) -> None:
        """This many rows are read."""
        now = time.monotonic()
        if now - self.last >= SECONDS_BETWEEN_REPORTS:
            self.last = now
            self.context.progress(rows, 0, unit=gettext("rows"), message=gettext("Reading and checking the rows …"))


def _store_images(batch: Batch, files: Files) -> dict[str, StoredFile]:
    stored = {}
    for name in sorted(batch.images):
        data = batch.image_bytes(name)
        if data is not None:
            stored[name] = files.save([clean_png(data, name)])
    return stored
