"""The first problems of a file as a benchmark of their own, for trying out."""

import hashlib

from sqlalchemy.orm import Session

from app.config import Settings
from app.errors import InvalidInput
from app.services.benchmarks.rows import BenchmarkFile
from app.services.benchmarks.storing import Imported, store_benchmark
from app.services.execution.opening import queue_of
from app.services.imports.uploads import KeptUpload
from app.words import ngettext


def first_rows(kept: KeptUpload, read: BenchmarkFile, count: int, *, option: str) -> BenchmarkFile:
    """So many problems of the file; InvalidInput where it has fewer, with the option that said how many."""
    if len(read.rows) < count:
        held = ngettext("%(num)s problem", "%(num)s problems", len(read.rows))
        raise InvalidInput(f"{kept.name} has {held}, not {count}.", remedy=f"Ask for fewer by {option}.")
    return BenchmarkFile(read.layout, read.rows[:count], language=read.language)


def import_first(
    session: Session, settings: Settings, kept: KeptUpload, part: BenchmarkFile, *, name: str, actor: str
) -> Imported:
    """The benchmark of these first problems of the upload; made before, it is the same one."""
    count = len(part.rows)
    title = f"{name}, first problem" if count == 1 else f"{name}, first {count} problems"
    part_hash = hashlib.sha256(f"{kept.stored.sha256}, first {count}".encode()).hexdigest()
    return store_benchmark(session, part, name=title, file_hash=part_hash, actor=actor, queue=queue_of(settings))
