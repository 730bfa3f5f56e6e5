"""Benchmarks: listed, imported, their problems, their canonical solutions run again, studies made of them."""

from datetime import datetime
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request
from pydantic import ConfigDict, Field
from sqlalchemy.orm import Session

from app.services.benchmarks import Imported, find_benchmark, import_benchmark, overview, read_upload
from app.services.benchmarks.guessing import guess_layout
from app.services.benchmarks.overview import Standing
from app.services.benchmarks.to_study import make_study_of
from app.services.execution.opening import queue_of
from app.services.generation.requests import find_generation
from app.services.listings import first_benchmark_problems
from app.services.perturbing import Requested, data_sets, import_released, read_released
from app.storage.models import BenchmarkProblem
from app.web import benchmark_deeds
from app.web.access import CurrentPrincipal
from app.web.api.imports import BODY, Kept
from app.web.api.once import once
from app.web.api.paging import After, Limit, Page, page_of
from app.web.api.permissions import CHANGE, READ
from app.web.api.runs import RunShown, shown_run
from app.web.api.shapes import Incoming, Outgoing, body
from app.web.api.studies import StudyShown, Title, shown_study
from app.web.database import ReadSession, WriteSession
from app.web.limits import LIMITED_UPLOADS
from app.web.parameters import LAST_ROW

router = APIRouter(tags=["benchmarks"])


class SolutionsShown(Outgoing):
    """Canonical solutions: how many there are, were run, and pass."""

    total: int
    judged: int
    passed: int


class BenchmarkShown(Outgoing):
    """A benchmark and how it stands. ``run``: the newest that runs its canonical solutions."""

    benchmark: str = Field(description="Its short name, by which addresses name it.")
    name: str
    layout: str
    language: str
    sha256: str = Field(description="Of the file that it was imported from.")
    problems: int
    variants: int = Field(description="Of a perturbed set, what transformations made of the problems.")
    canonical_solutions: SolutionsShown
    generations: int
    run: str | None
    created_at: datetime
    links: dict[str, str]


class ImportedShown(Outgoing):
    """``is_new``: false where the same file was imported before. ``run``: what runs the canonical solutions."""

    benchmark: BenchmarkShown
    is_new: bool
    run: RunShown | None


class BenchmarkProblemShown(Outgoing):
    """One problem: what models are asked, and what judges them."""

    model_config = ConfigDict(from_attributes=True)

    task_id: str = Field(validation_alias="key")
    position: int
    prompt: str
    entry_point: str | None
    tests: str
    canonical_solution: str | None
    partial: str | None
    helpers: str
    transformation: str | None = Field(description="What made it of another one, in a perturbed set.")
    perturbation_seed: int | None
    form: str
    unchanged: str | None = Field(description="Why its prompt is like the one that it was made of.")
    code_after: str


class WantedStudy(Incoming):
    """Which generations become systems, and which sample of each problem people see, counted from 1."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"title": "HumanEval, graded", "generations": [1, 2]}]})

    title: Title
    generations: list[Annotated[int, Field(ge=1, le=LAST_ROW)]] = Field(min_length=1, max_length=100)
    sample: int = Field(1, ge=1, le=1_000)
    seed: int | None = Field(None, ge=0, lt=2**63)


class StudyMade(Outgoing):
    """The draft, and the run that puts its outputs to the tests."""

    study: StudyShown
    run: RunShown


@router.get("/benchmarks", dependencies=[READ])
def list_benchmarks(session: ReadSession, after: After, limit: Limit = 50) -> Page[BenchmarkShown]:
    """Every benchmark, the newest first."""
    return page_of(overview.newest_benchmarks(session, after.row, limit), shown_benchmark, after)


@router.post("/benchmarks", dependencies=[CHANGE, LIMITED_UPLOADS], status_code=201, openapi_extra=BODY)
@once
def import_file(
    request: Request,
    kept: Kept,
    session: WriteSession,
    *,
    principal: CurrentPrincipal,
    name: Annotated[
        str | None, Query(min_length=1, max_length=200, description="Without it, one made from the file's hash.")
    ] = None,
    layout: Annotated[
        str | None, Query(max_length=40, description="humaneval, mbpp, evalplus or own; guessed without it.")
    ] = None,
    data: Annotated[
        Literal["humaneval", "mbpp"] | None, Query(description="Which of both a released folder of ReCode is about.")
    ] = None,
    language: Annotated[
        str, Query(max_length=20, description="Of all code in the file: python, java or javascript.")
    ] = "python",
) -> ImportedShown:
    """Import problems with tests, and have the canonical solutions run. The same file again changes nothing.

    A zip of ReCode's released folder becomes a perturbed set; its run stores the rows, and another one then runs the
    canonical solutions.
    """
    settings = request.app.state.settings
    if layout is None and data_sets(settings, kept):
        released = read_released(settings, kept, data)
        return _imported(
            session,
            import_released(session, released, name=name, actor=principal.actor, user_id=principal.user_id),
        )
    read = read_upload(settings, kept, layout or guess_layout(settings, kept, language), language)
    name = name or f"{read.layout} {kept.stored.sha256[:8]}"
    done = import_benchmark(
        session, settings, kept, read, name=name, actor=principal.actor, user_id=principal.user_id
    )
    return _imported(session, done)


def _imported(session: Session, done: Imported | Requested) -> ImportedShown:
    return ImportedShown(
        benchmark=shown_benchmark(overview.standing_of(session, done.benchmark)),
        is_new=done.is_new,
        run=shown_run(session, done.run) if done.run else None,
    )


@router.get("/benchmarks/{benchmark}", dependencies=[READ])
def show_benchmark(session: ReadSession, benchmark: str) -> BenchmarkShown:
    """One benchmark."""
    return shown_benchmark(overview.standing_of(session, find_benchmark(session, benchmark)))


@router.get("/benchmarks/{benchmark}/problems", dependencies=[READ])
def list_problems(
    session: ReadSession,
    benchmark: str,
    after: After,
    limit: Limit = 50,
    *,
    variants: Annotated[bool, Query(description="Of a perturbed set what was made of the problems, too.")] = False,
) -> Page[BenchmarkProblemShown]:
    """Its problems in their order."""
    wanted = find_benchmark(session, benchmark)
    found = first_benchmark_problems(session, wanted, after.row, limit, variants=variants)
    return page_of(found, _problem, after)


@router.post("/benchmarks/{benchmark}/check", dependencies=[CHANGE], status_code=202)
@once
def check_again(request: Request, session: WriteSession, principal: CurrentPrincipal, benchmark: str) -> RunShown:
    """Run the canonical solutions again."""
    found = find_benchmark(session, benchmark)
    return shown_run(session, benchmark_deeds.check_again(session, request.app.state.settings, principal, found))


@router.post("/benchmarks/{benchmark}/study", dependencies=[CHANGE], status_code=201)
@once
def make_study(
    request: Request,
    session: WriteSession,
    principal: CurrentPrincipal,
    benchmark: str,
    *,
    wanted: Annotated[WantedStudy, body(WantedStudy)],
) -> StudyMade:
    """A study of prompts and completions, in draft: each generation is a system."""
    study, run = make_study_of(
        session,
        find_benchmark(session, benchmark),
        [find_generation(session, each) for each in wanted.generations],
        title=wanted.title,
        actor=principal.actor,
        user_id=principal.user_id,
        sample=wanted.sample - 1,
        seed=wanted.seed,
        queue=queue_of(request.app.state.settings),
    )
    return StudyMade(study=shown_study(session, study), run=shown_run(session, run))


def _problem(problem: BenchmarkProblem) -> BenchmarkProblemShown:
    return BenchmarkProblemShown.model_validate(problem)


def shown_benchmark(standing: Standing) -> BenchmarkShown:
    """The benchmark as it goes out."""
    found = standing.benchmark
    return BenchmarkShown(
        benchmark=found.slug,
        name=found.name,
        layout=found.layout,
        language=found.language,
        sha256=found.file_hash,
        problems=standing.problems,
        variants=standing.variants,
        canonical_solutions=SolutionsShown(total=standing.solutions, judged=standing.judged, passed=standing.passed),
        generations=standing.generations,
        run=standing.check.public_id if standing.check else None,
        created_at=found.created_at,
        links={"benchmark": f"/api/v1/benchmarks/{found.slug}", "page": f"/benchmarks/{found.slug}"},
    )
