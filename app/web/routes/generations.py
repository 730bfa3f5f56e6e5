"""Generations: asked for with an estimate and one sample first, shown while they go on, run, and downloaded."""

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Form, Query, Request
from sqlalchemy.orm import Session
from starlette.responses import Response, StreamingResponse

from app.config import Settings
from app.errors import InvalidInput
from app.language_models import ModelError
from app.services.benchmarks import find_benchmark
from app.services.benchmarks import overview as benchmark_overview
from app.services.benchmarks.canonical import keep_canonical
from app.services.exports.formats import csv_lines, jsonl_lines
from app.services.generation import overview
from app.services.generation.completion_rows import COLUMNS, completion_row
from app.services.generation.estimating import estimate
from app.services.generation.opening import QUEUE
from app.services.generation.parameters import REPLAY
from app.services.generation.replaying import CANONICAL
from app.services.generation.requests import find_generation
from app.services.imports.uploads import KeptUpload, UploadedFile, find_upload, keep, record
from app.services.runs import views
from app.services.runs.workers import hindrance
from app.storage.engine import Database
from app.storage.models import Artifact, Benchmark, Generation
from app.web import benchmark_deeds
from app.web.access import ADMIN, RESEARCHER, CurrentPrincipal
from app.web.code_view import view_pair
from app.web.database import ReadSession, WriteSession, database_of
from app.web.downloads import disposition
from app.web.forms import FormInvalid, FormState
from app.web.generation_form import packaged_models, read_generation, usual_values
from app.web.htmx import redirect
from app.web.limits import LIMITED_UPLOADS
from app.web.paging import PageNumber
from app.web.parameters import RowId
from app.web.templating import render
from app.web.uploads import UploadForm, files_of
from app.words import gettext

router = APIRouter()

SHOWN = 100  # completions on a page
LONGEST_SAMPLE = 20_000
VERDICT = r"^(passed|failed|error|timeout|memory|blocked|sandbox_error|not_run|unjudged|unwritten)?$"
Verdict = Annotated[str, Query(pattern=VERDICT)]


@router.get("/benchmarks/{benchmark}/generate", dependencies=[ADMIN])
def new_generation_page(request: Request, session: ReadSession, benchmark: str) -> Response:
    """The form."""
    return _form_page(request, session, find_benchmark(session, benchmark), FormState(usual_values()))


@router.get("/benchmarks/{benchmark}/generate/estimate", dependencies=[ADMIN])
def show_estimate(request: Request, session: ReadSession, benchmark: str) -> Response:
    """What the choices would cost; nothing is stored."""
    found = find_benchmark(session, benchmark)
    posted = {name: value for name, value in request.query_params.items() if name != "completions"}
    is_file = posted.get("backend") in (REPLAY, CANONICAL)
    upload = Artifact(sha256="0" * 64, file_name="completions") if is_file else None
    context: dict[str, Any] = {"estimate": None, "errors": [], "replays": is_file}
    try:
        form, parameters = read_generation(posted, upload)
        context["estimate"] = estimate(session, found, parameters, first=form.first_problems)
    except FormInvalid as invalid:
        context["errors"] = list(invalid.state.errors.values())
    except ModelError as error:
        context["errors"] = [str(error)]
    return render(request, "generations/_estimate.html", **context)


@router.post("/benchmarks/{benchmark}/generate", dependencies=[ADMIN, LIMITED_UPLOADS])
def begin_generation(request: Request, form: UploadForm, principal: CurrentPrincipal, benchmark: str) -> Response:
    """Ask the model for one sample, or for all."""
    posted = {name: value for name, value in form.items() if isinstance(value, str)}
    settings: Settings = request.app.state.settings
    kept = _canonical(request, benchmark) if posted.get("backend") == CANONICAL else _kept(settings, form)
    with database_of(request).write() as session:  # no transaction waits while the file is stored
        found = find_benchmark(session, benchmark)
        upload = _upload(session, kept, posted)
        try:
            asked, parameters = read_generation(posted, upload, settings)
            with session.begin_nested():
                begun = benchmark_deeds.begin(
                    session,
                    settings,
                    principal,
                    found,
                    parameters,
                    one_sample=asked.do == "sample",
                    first=asked.first_problems,
                    is_canonical=asked.backend == CANONICAL,
                )
        except FormInvalid as invalid:
            return _form_page(request, session, found, invalid.state, upload, status_code=422)
        except InvalidInput as failure:
            return _form_page(request, session, found, FormState.of(failure, posted), upload, status_code=422)
        return redirect(request, f"/generations/{begun.generation.id}{'' if begun.is_new else '?known=yes'}")


def _kept(settings: Settings, form: UploadForm) -> KeptUpload | None:
    with files_of(form) as files:
        sent = [UploadedFile(file.filename or "", file.file) for file in files]
        return keep(settings, sent) if sent else None


def _canonical(request: Request, benchmark: str) -> KeptUpload:
    with database_of(request).read() as session:
        return keep_canonical(session, request.app.state.settings, find_benchmark(session, benchmark))


def _upload(session: Session, kept: KeptUpload | None, posted: dict[str, str]) -> Artifact | None:
    """The file of completions: the one that was sent, or the one that was sent before with a form that had errors."""
    if kept is not None:
        artifact = record(session, kept, None)
        posted["upload"] = artifact.public_id
        return artifact
    return find_upload(session, posted["upload"]) if posted.get("upload") else None


def _form_page(
    request: Request,
    session: Session,
    benchmark: Benchmark,
    form: FormState,
    upload: Artifact | None = None,
    *,
    status_code: int = 200,
) -> Response:
    return render(
        request,
        "generations/new.html",
        status_code=status_code,
        benchmark=benchmark,
        standing=benchmark_overview.standing_of(session, benchmark),
        form=form,
        upload=upload,
        packaged=packaged_models(),
        queue=QUEUE,
        why=hindrance(session, QUEUE),
    )


@router.get("/generations/{generation_id}", dependencies=[RESEARCHER])
def show_generation(
    request: Request,
    session: ReadSession,
    principal: CurrentPrincipal,
    generation_id: RowId,
    *,
    verdict: Verdict = "",
    page: PageNumber = 1,
    known: Literal["", "yes"] = "",
) -> Response:
    """How far it is, what became of the completions, and all that it takes to make it again."""
    generation = find_generation(session, generation_id)
    benchmark = session.get_one(Benchmark, generation.benchmark_id)
    standing = overview.standing_of(session, generation)
    rows, total = overview.some_completions(session, generation, verdict=verdict, page=page, size=SHOWN)
    execution = overview.execution_run(session, generation)
    return render(
        request,
        "generations/one.html",
        generation=generation,
        benchmark=benchmark,
        standing=standing,
        views=[views.describe(session, run, principal) for run in (standing.run, execution) if run is not None],
        is_executing=execution is not None and execution.state in ("queued", "running"),
        without_isolation=overview.without_isolation(session, generation),
        failures=overview.failed_samples(session, generation) if standing.failed else [],
        sample=_one_sample(standing, rows, benchmark) if not verdict and page == 1 else None,
        rows=rows,
        total=total,
        verdict=verdict,
        page=page,
        size=SHOWN,
        was_known=known == "yes",
    )


def _one_sample(
    standing: overview.GenerationStanding, rows: list[overview.Row], benchmark: Benchmark
) -> dict[str, Any] | None:
    """The one completion that was written to be looked at before the rest is asked for."""
    if len(rows) != 1 or standing.written != 1 or standing.whole == 1:
        return None
    completion, problem, execution = rows[0]
    names = gettext("What the model wrote"), gettext("What is left by the rule")
    texts = completion.raw[:LONGEST_SAMPLE], completion.text[:LONGEST_SAMPLE]
    pair_view = view_pair(*texts, benchmark.language, names)
    return {"completion": completion, "problem": problem, "execution": execution, "pair_view": pair_view}


@router.post("/generations/{generation_id}/start", dependencies=[ADMIN])
def start_generation(
    request: Request,
    session: WriteSession,
    principal: CurrentPrincipal,
    generation_id: RowId,
    first: Annotated[int | None, Form(ge=1, le=20_000)] = None,
) -> Response:
    """Ask for what is missing, of all problems or of the first ones."""
    generation = find_generation(session, generation_id)
    benchmark_deeds.start(session, request.app.state.settings, principal, generation, first=first)
    return redirect(request, f"/generations/{generation_id}")


@router.post("/generations/{generation_id}/execute", dependencies=[ADMIN])
def execute_generation(
    request: Request,
    session: WriteSession,
    principal: CurrentPrincipal,
    generation_id: RowId,
    again: Annotated[bool, Form()] = False,
) -> Response:
    """Run the completions against the tests."""
    generation = find_generation(session, generation_id)
    benchmark_deeds.execute(session, request.app.state.settings, principal, generation, again=again)
    return redirect(request, f"/generations/{generation_id}")


@router.get("/generations/{generation_id}/completions.{kind}", dependencies=[RESEARCHER])
def download_completions(
    request: Request, session: ReadSession, generation_id: RowId, kind: Literal["jsonl", "csv"]
) -> Response:
    """All completions with their verdicts, as a file."""
    generation = find_generation(session, generation_id)
    benchmark = session.get_one(Benchmark, generation.benchmark_id)
    rows = _all_rows(database_of(request), generation)
    lines = jsonl_lines(rows) if kind == "jsonl" else csv_lines(COLUMNS, rows)
    media = "application/x-ndjson" if kind == "jsonl" else "text/csv; charset=utf-8"
    name = f"{benchmark.slug}-generation-{generation.id}.{kind}"
    return StreamingResponse(lines, media_type=media, headers={"Content-Disposition": disposition(name)})


def _all_rows(database: Database, generation: Generation) -> Iterator[dict[str, Any]]:
    """A few hundred at a time, each lot in a transaction of its own: nobody waits for a slow reader."""
    after: int | None = None
    while True:
        with database.read() as session:
            found = overview.completions_after(session, generation, after, overview.AT_ONCE)
            rows = [completion_row(*each) for each in found.rows]
        yield from rows
        if found.last is None:
            return
        after = found.last
