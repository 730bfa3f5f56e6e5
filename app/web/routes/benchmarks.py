"""Benchmarks: the list, the import, one with its problems and generations, and studies made of it.

Routes are found in their order here: /benchmarks/import comes before the pages of one benchmark.
"""

from pathlib import PurePosixPath
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Form, Query, Request
from sqlalchemy.orm import Session
from starlette.responses import Response

from app.config import Settings
from app.errors import AppError
from app.services.benchmarks import LAYOUTS, RUNNABLE, find_benchmark, import_benchmark, overview, read_upload
from app.services.benchmarks.guessing import guess_layout
from app.services.benchmarks.to_study import make_study_of
from app.services.benchmarks.which import is_set
from app.services.code_languages import language_title
from app.services.execution.opening import queue_of
from app.services.generation.overview import newest_generations
from app.services.generation.requests import find_generation
from app.services.imports.uploads import KeptUpload, UploadedFile, keep
from app.services.perturbing import data_sets, import_released, read_released
from app.services.perturbing.stepping import place_of
from app.services.perturbing.summary import summary_of
from app.services.runs import views
from app.storage.models import Benchmark
from app.web import benchmark_deeds
from app.web.access import ADMIN, RESEARCHER, CurrentPrincipal
from app.web.database import ReadSession, WriteSession, database_of
from app.web.htmx import redirect
from app.web.limits import LIMITED_UPLOADS
from app.web.paging import PageNumber, paged
from app.web.parameters import LAST_ROW
from app.web.templating import render
from app.web.uploads import UploadForm, files_of
from app.words import gettext

router = APIRouter()
PROBLEMS_SHOWN = 50
RELEASED = {"recode-humaneval": "humaneval", "recode-mbpp": "mbpp"}  # of a released folder the data set that is meant


@router.get("/benchmarks", dependencies=[RESEARCHER])
def list_benchmarks(request: Request, session: ReadSession) -> Response:
    """Every benchmark with how it stands."""
    return render(request, "benchmarks/list.html", standings=overview.newest_benchmarks(session).rows)


@router.get("/benchmarks/import", dependencies=[ADMIN])
def import_page(request: Request) -> Response:
    """Choose a file."""
    return _import_page(request, {})


@router.post("/benchmarks/import", dependencies=[ADMIN, LIMITED_UPLOADS])
def import_file(request: Request, form: UploadForm, principal: CurrentPrincipal) -> Response:
    """Read the file, store its problems, and have its canonical solutions run."""
    sent = {name: value for name, value in form.items() if isinstance(value, str)}
    settings: Settings = request.app.state.settings
    try:
        with files_of(form) as files:
            kept = keep(settings, [UploadedFile(file.filename or "", file.file) for file in files])
        released = RELEASED.get(sent.get("layout", ""))
        if released or (not sent.get("layout") and data_sets(settings, kept)):
            return _import_released(request, kept, sent, principal, released)
        language = sent.get("language") or "python"
        layout = sent.get("layout") or guess_layout(settings, kept, language)
        sent["read_as"] = layout
        read = read_upload(settings, kept, layout, language)
        name = sent.get("name", "").strip() or PurePosixPath(kept.name).name.split(".")[0]
        with database_of(request).write() as session:  # no transaction waits while the file is read
            done = import_benchmark(
                session, settings, kept, read, name=name, actor=principal.actor, user_id=principal.user_id
            )
            slug, was_known = done.benchmark.slug, not done.is_new
    except AppError as error:
        if error.status not in (409, 422):
            raise
        return _import_page(request, sent, error)
    return redirect(request, f"/benchmarks/{slug}{'?known=yes' if was_known else ''}")


def _import_released(
    request: Request, kept: KeptUpload, sent: dict[str, str], principal: CurrentPrincipal, data: str | None
) -> Response:
    """A folder of ReCode's release: a perturbed set, which a run stores. ``data``: which, where it holds two."""
    read = read_released(request.app.state.settings, kept, data)
    name = sent.get("name", "").strip() or None
    with database_of(request).write() as session:
        done = import_released(session, read, name=name, actor=principal.actor, user_id=principal.user_id)
        slug, was_known = done.benchmark.slug, not done.is_new
    return redirect(request, f"/benchmarks/{slug}{'?known=yes' if was_known else ''}")


def _import_page(request: Request, sent: dict[str, str], error: AppError | None = None) -> Response:
    status = error.status if error else 200
    names = {"humaneval": "HumanEval", "mbpp": "MBPP", "evalplus": "EvalPlus", "own": gettext("Your own")}
    layouts = [(name, names.get(name, name)) for name in LAYOUTS]
    layouts += [(name, gettext("ReCode’s folder, %(data)s", data=names[data])) for name, data in RELEASED.items()]
    runnable = [(name, language_title(name)) for name in RUNNABLE]
    context = {"sent": sent, "error": error, "layouts": layouts, "runnable": runnable}
    return render(request, "benchmarks/import.html", status_code=status, **context)


@router.get("/benchmarks/{benchmark}", dependencies=[RESEARCHER])
def show_benchmark(
    request: Request,
    session: ReadSession,
    principal: CurrentPrincipal,
    benchmark: str,
    *,
    text: Annotated[str, Query(max_length=200)] = "",
    show: Literal["", "failing", "solved", "unsolved"] = "",
    page: PageNumber = 1,
    known: Literal["", "yes"] = "",
) -> Response:
    """One benchmark: its canonical solutions, problems and generations."""
    found = find_benchmark(session, benchmark)
    standing = overview.standing_of(session, found)
    summary = summary_of(session, found) if is_set(found) else None
    making = summary.run if summary else None
    lines = paged(overview.problem_lines(session, found, text=text, show=show), page)
    return render(
        request,
        "benchmarks/one.html",
        standing=standing,
        benchmark=found,
        summary=summary,
        place_of=place_of,
        views=[views.describe(session, run, principal) for run in (making, standing.check) if run is not None],
        troubled=overview.troubled_solutions(session, found),
        lines=lines,
        shares=overview.shares_passed(session, [each.id for each in lines.rows]),
        generations=newest_generations(session, found).rows,
        text=text,
        show=show,
        was_known=known == "yes",
    )


@router.post("/benchmarks/{benchmark}/check", dependencies=[ADMIN])
def check_again(request: Request, session: WriteSession, principal: CurrentPrincipal, benchmark: str) -> Response:
    """Run the canonical solutions again."""
    found = find_benchmark(session, benchmark)
    benchmark_deeds.check_again(session, request.app.state.settings, principal, found)
    return redirect(request, f"/benchmarks/{found.slug}")


@router.get("/benchmarks/{benchmark}/study", dependencies=[ADMIN])
def study_page(request: Request, session: ReadSession, benchmark: str) -> Response:
    """Choose what becomes a study."""
    return _study_page(request, session, find_benchmark(session, benchmark))


@router.post("/benchmarks/{benchmark}/study", dependencies=[ADMIN])
def make_study(
    request: Request,
    session: WriteSession,
    principal: CurrentPrincipal,
    benchmark: str,
    *,
    title: Annotated[str, Form()] = "",
    sample: Annotated[int, Form(ge=1, le=1_000)] = 1,
    generation: Annotated[list[Annotated[int, Query(ge=1, le=LAST_ROW)]] | None, Form(max_length=100)] = None,
) -> Response:
    """A draft in which each chosen generation is a system."""
    found = find_benchmark(session, benchmark)
    try:
        with session.begin_nested():
            study, _ = make_study_of(
                session,
                found,
                [find_generation(session, each) for each in generation or ()],
                title=title,
                actor=principal.actor,
                user_id=principal.user_id,
                sample=sample - 1,
                queue=queue_of(request.app.state.settings),
            )
    except AppError as error:
        if error.status not in (409, 422):
            raise
        sent = {"title": title, "sample": sample, "chosen": generation or []}
        return _study_page(request, session, found, sent, error)
    return redirect(request, f"/studies/{study.slug}/desk")


def _study_page(
    request: Request,
    session: Session,
    benchmark: Benchmark,
    sent: dict[str, Any] | None = None,
    error: AppError | None = None,
) -> Response:
    standings = [each for each in newest_generations(session, benchmark).rows if each.written]
    usual = {
        "title": gettext("%(name)s, graded", name=benchmark.name),
        "sample": 1,
        "chosen": [each.generation.id for each in standings[:1]],
    }
    return render(
        request,
        "benchmarks/study.html",
        status_code=error.status if error else 200,
        benchmark=benchmark,
        standings=standings,
        sent=sent or usual,
        error=error,
    )
