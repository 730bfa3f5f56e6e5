"""Benchmarks in the database: imported once, found by their short names."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.errors import Conflict, InvalidInput, NotFound
from app.services import audit
from app.services.benchmarks.rows import BenchmarkFile
from app.services.benchmarks.which import is_nominal
from app.services.execution.requests import request_benchmark_execution
from app.services.imports.store_material import insert_all
from app.services.studies import slugify
from app.storage.models import Benchmark, BenchmarkProblem, Run
from app.storage.transaction_turns import TurnAt, take_turn
from app.words import gettext

# Addresses under /benchmarks that are pages of their own.
RESERVED_SLUGS = frozenset({"import"})
_SLUG = re.compile(r"[a-z0-9-]{1,80}")


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import came to. ``run`` checks the canonical solutions; None: the file was there already."""

    benchmark: Benchmark
    is_new: bool
    run: Run | None


def store_benchmark(
    session: Session,
    read: BenchmarkFile,
    *,
    name: str,
    file_hash: str,
    actor: str,
    user_id: int | None = None,
    queue: str = "cpu",
) -> Imported:
    """Add the benchmark and ask for its canonical solutions to be run. The same file again changes nothing; another
    file under a known name is a Conflict, since results point to what is stored."""
    slug = new_slug(name)
    take_turn(session, TurnAt.BENCHMARKS)
    if (known := _same_file(session, slug, read, file_hash)) is not None:
        return Imported(known, is_new=False, run=None)
    benchmark = Benchmark(slug=slug, name=name.strip(), layout=read.layout, language=read.language)
    benchmark.file_hash, benchmark.user_id = file_hash, user_id
    session.add(benchmark)
    session.flush()
    insert_all(session, BenchmarkProblem, _rows(benchmark, read))
    run = request_benchmark_execution(session, benchmark, user_id=user_id, queue=queue)
    benchmark.run_id = run.id
    details: dict[str, Any] = {
        "benchmark": slug,
        "problems": len(read.rows),
        "sha256": file_hash,
        "layout": read.layout,
    }
    audit.record(session, actor, "benchmark imported", **details)
    return Imported(benchmark, is_new=True, run=run)


def new_slug(name: str) -> str:
    """The short name that a benchmark of this name gets; InvalidInput where it can't have one."""
    slug = slugify(name)
    if not slug or len(name) > 200:
        raise InvalidInput(gettext("A benchmark needs a name of at most 200 characters, with a letter or digit."))
    if slug in RESERVED_SLUGS:
        raise InvalidInput(
            gettext("%(name)s can't be a benchmark's name: its address is another page's.", name=repr(name))
        )
    return slug


def _same_file(session: Session, slug: str, read: BenchmarkFile, file_hash: str) -> Benchmark | None:
    """The benchmark that this file made before, under whatever name."""
    same = (
        Benchmark.layout == read.layout,
        Benchmark.language == read.language,
        Benchmark.file_hash == file_hash,
    )
    known = session.scalar(select(Benchmark).where(*same).order_by(Benchmark.slug != slug, Benchmark.id).limit(1))
    if known is None and session.scalar(select(Benchmark.id).where(Benchmark.slug == slug)) is not None:
        raise Conflict(
            gettext("There is a benchmark %(slug)s already, made from another file.", slug=repr(slug)),
            remedy=gettext("Choose another name."),
        )
    return known


def _rows(benchmark: Benchmark, read: BenchmarkFile) -> Iterator[dict[str, Any]]:
    for position, row in enumerate(read.rows):
        yield {
            "benchmark_id": benchmark.id,
            "key": row.key,
            "position": position,
            "prompt": row.prompt,
            "entry_point": row.entry_point,
            "tests": row.tests,
            "canonical_solution": row.canonical_solution,
            "partial": row.partial,
            "helpers": row.helpers,
        }


def find_benchmark(session: Session, slug: str) -> Benchmark:
    """The benchmark with that short name."""
    wanted = select(Benchmark).where(Benchmark.slug == slug)
    benchmark = session.scalar(wanted) if _SLUG.fullmatch(slug) else None
    if benchmark is None:
        raise NotFound(
            gettext("There is no benchmark %(slug)s.", slug=repr(slug)), remedy=gettext("Import it first.")
        )
    return benchmark


def problems_of(session: Session, benchmark: Benchmark) -> list[BenchmarkProblem]:
    """Its problems in their order; of a perturbed set without what was made of them."""
    wanted = select(BenchmarkProblem).where(BenchmarkProblem.benchmark_id == benchmark.id, is_nominal())
    return list(session.scalars(wanted.order_by(BenchmarkProblem.position)))


def rows_of(session: Session, benchmark: Benchmark) -> list[BenchmarkProblem]:
    """All of its rows in their order."""
    wanted = select(BenchmarkProblem).where(BenchmarkProblem.benchmark_id == benchmark.id)
    return list(session.scalars(wanted.order_by(BenchmarkProblem.position)))
