"""A kept upload into a benchmark: the web and the command line both come here."""

from sqlalchemy.orm import Session

from app.config import Settings
from app.services.benchmarks.reading import read_benchmark
from app.services.benchmarks.rows import BenchmarkFile
from app.services.benchmarks.storing import Imported, store_benchmark
from app.services.execution.opening import queue_of
from app.services.imports.batches import upload_limit
from app.services.imports.sources import open_bundle
from app.services.imports.uploads import KeptUpload
from app.storage.files import files_of


def read_upload(settings: Settings, kept: KeptUpload, layout: str, language: str = "python") -> BenchmarkFile:
    """The problems of the upload; no transaction waits for it. BadFile lists all that is wrong."""
    path = files_of(settings).path(kept.stored.sha256)
    with open_bundle(path, kept.name, limit=upload_limit(settings)) as bundle:
        return read_benchmark(bundle, layout, language)


def import_benchmark(
    session: Session,
    settings: Settings,
    kept: KeptUpload,
    read: BenchmarkFile,
    *,
    name: str,
    actor: str,
    user_id: int | None = None,
) -> Imported:
    """Store what was read, in the caller's transaction."""
    return store_benchmark(
        session,
        read,
        name=name,
        file_hash=kept.stored.sha256,
        actor=actor,
        user_id=user_id,
        queue=queue_of(settings),
    )
