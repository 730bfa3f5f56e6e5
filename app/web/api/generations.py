"""Generations: estimated, asked for, run against the tests; completions in bulk."""

from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from pydantic import ConfigDict, Field, ValidationError
from sqlalchemy.orm import Session

from app.config import Settings
from app.errors import InvalidInput, Problem
from app.language_models import ModelError
from app.language_models.spec import Precision
from app.services.benchmarks import find_benchmark
from app.services.generation import overview
from app.services.generation.completion_rows import completion_row
from app.services.generation.estimating import Estimate, estimate
from app.services.generation.opening import check_spec, upload_name, usual_samples
from app.services.generation.overview import GenerationStanding
from app.services.generation.parameters import GenerationParameters
from app.services.generation.requests import find_generation
from app.services.imports.uploads import record
from app.storage.models import Benchmark
from app.web import benchmark_deeds
from app.web.access import CurrentPrincipal
from app.web.api.imports import BODY, Kept
from app.web.api.once import once
from app.web.api.paging import After, Limit, Page, page_of
from app.web.api.permissions import CHANGE, READ
from app.web.api.runs import RunShown, shown_run
from app.web.api.shapes import Incoming, Outgoing, body
from app.web.database import ReadSession, WriteSession
from app.web.limits import LIMITED_UPLOADS
from app.web.parameters import RowId
from app.words import gettext

router = APIRouter(tags=["generations"])

Name = Annotated[str, Field(min_length=1, max_length=500)]
Rule = Literal["function", "humaneval", "fenced", "none"]
Verdict = Literal[
    "passed", "failed", "error", "timeout", "memory", "blocked", "sandbox_error", "not_run", "unjudged", "unwritten"
]


class WantedModel(Incoming):
    """Which model. ``name``: for hugging_face a folder, a GGUF file, an id on the hub or packaged:NAME; for openai
    the name that the endpoint knows. ``key_variable``: the environment variable with the key, never the key."""

    backend: Literal["hugging_face", "openai"] = "hugging_face"
    name: Name
    revision: Name | None = None
    gguf_file: Name | None = None
    endpoint: Annotated[str, Field(pattern=r"^https?://", max_length=500)] | None = None
    precision: Precision = "auto"
    key_variable: Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_]{0,90}_API_KEY$")] | None = None


class WantedGeneration(Incoming):
    """A model and its setting. ``first``: only so many problems; ``one_sample``: only one, to be looked at."""

    model_config = ConfigDict(
        str_strip_whitespace=False,  # of a stop string each line end counts
        json_schema_extra={
            "examples": [{"model": {"name": "packaged:smollm2-135m"}, "max_tokens": 256, "one_sample": True}]
        },
    )

    model: WantedModel
    label: Annotated[str, Field(min_length=1, max_length=200)] | None = None
    temperature: Annotated[float, Field(ge=0, le=5)] = 0.0
    top_p: Annotated[float, Field(gt=0, le=1)] = 1.0
    max_tokens: Annotated[int, Field(ge=1, le=32_768)] = 512
    stop: Annotated[tuple[Annotated[str, Field(min_length=1, max_length=200)], ...], Field(max_length=16)] = ()
    chat: bool = False
    samples: Annotated[int, Field(ge=1, le=1_000)] = 1
    seed: Annotated[int, Field(ge=0, lt=2**63)] = 0
    cut_rule: Rule = "function"
    prompt_mode: Literal["plain", "partial"] = "plain"
    first: Annotated[int, Field(ge=1, le=20_000)] | None = None
    one_sample: bool = False

    def parameters(self) -> GenerationParameters:
        """As generations are asked for; InvalidInput names the field that can't be used."""
        spec = self.model.model_dump(exclude_none=True)
        values = self.model_dump(exclude={"model", "first", "one_sample"}) | {"spec": spec}
        values["label"] = self.label or self.model.name[:200]
        return _parameters(values)


class WantedStart(Incoming):
    """``first``: only so many problems from the benchmark's beginning."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"first": 20}]})

    first: Annotated[int, Field(ge=1, le=20_000)] | None = None


class WantedExecution(Incoming):
    """``again``: run what has a verdict, too."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"again": False}]})

    again: bool = False


class EstimateShown(Outgoing):
    """What it would cost. Times are null where this model has written nothing here yet."""

    model_config = ConfigDict(from_attributes=True)

    completions: int
    prompt_tokens: int = Field(description="Roughly.")
    most_tokens: int
    tokens_per_second: float | None
    likely_seconds: float | None
    most_seconds: float | None


class GenerationShown(Outgoing):
    """One generation. ``written`` of ``total`` samples are there, ``failed`` ones the model could not be asked."""

    generation: int
    benchmark: str
    label: str
    model: dict[str, Any]
    sampling: dict[str, Any]
    samples: int
    seed: int
    prompt_mode: str
    cut_rule: str
    signature: str | None = Field(description="Told by the model once it was loaded.")
    total: int
    written: int
    failed: int
    tokens: int
    tokens_per_second: float | None
    verdicts: dict[str, int]
    run: RunShown | None
    created_at: datetime
    links: dict[str, str]


class GenerationBegun(GenerationShown):
    """``is_new``: false where the same was asked for in the same words before, which goes on with what is missing."""

    is_new: bool


class CompletionShown(Outgoing):
    """One sample with its verdict; null: not run yet. ``completion`` is what was run, ``raw`` what was written."""

    id: int
    task_id: str
    sample: int
    seed: int
    completion: str
    raw: str
    finish: str
    trouble: str | None
    prompt_tokens: int
    tokens: int
    seconds: float
    verdict: str | None
    reason: str | None
    stderr: str | None
    tier: str | None
    strength: str | None
    cpu_seconds: float | None
    wall_seconds: float | None
    memory_bytes: int | None
    runtime: str | None


@router.get("/benchmarks/{benchmark}/generations", dependencies=[READ])
def list_generations(session: ReadSession, benchmark: str, after: After, limit: Limit = 50) -> Page[GenerationShown]:
    """A benchmark's generations, the newest first."""
    found = find_benchmark(session, benchmark)
    page = overview.newest_generations(session, found, after.row, limit)
    return page_of(page, lambda each: _shown(session, found, each), after)


@router.post("/benchmarks/{benchmark}/generations", dependencies=[CHANGE], status_code=201)
@once
def begin_generation(
    request: Request,
    session: WriteSession,
    principal: CurrentPrincipal,
    benchmark: str,
    *,
    wanted: Annotated[WantedGeneration, body(WantedGeneration)],
) -> GenerationBegun:
    """Ask a model; what it writes is then run against the tests. The same words again are the same generation."""
    found = find_benchmark(session, benchmark)
    begun = benchmark_deeds.begin(
        session,
        request.app.state.settings,
        principal,
        found,
        wanted.parameters(),
        one_sample=wanted.one_sample,
        first=wanted.first,
    )
    return _begun(session, found, begun)


@router.post("/benchmarks/{benchmark}/generations/estimate", dependencies=[CHANGE])
def show_estimate(
    session: ReadSession, benchmark: str, wanted: Annotated[WantedGeneration, body(WantedGeneration)]
) -> EstimateShown:
    """What a generation would cost; nothing is stored."""
    found = find_benchmark(session, benchmark)
    made: Estimate = estimate(session, found, wanted.parameters(), first=wanted.first)
    return EstimateShown.model_validate(made)


@router.post(
    "/benchmarks/{benchmark}/completions",
    dependencies=[CHANGE, LIMITED_UPLOADS],
    status_code=201,
    openapi_extra=BODY,
)
@once
def bring_completions(
    request: Request,
    benchmark: str,
    kept: Kept,
    session: WriteSession,
    *,
    principal: CurrentPrincipal,
    label: Annotated[
        str | None, Query(min_length=1, max_length=200, description="Without it, one made from the file's hash.")
    ] = None,
    samples: Annotated[
        int | None, Query(ge=1, le=1_000, description="Of each problem; without it all that the file holds.")
    ] = None,
    cut_rule: Rule = "function",
) -> GenerationBegun:
    """Completions that were written elsewhere, as a generation; they are run against the tests.

    The same file with the same options is the same generation.

    NDJSON with task_id, completion, and perhaps sample, which counts from 0.
    """
    found = find_benchmark(session, benchmark)
    label = label or f"completions {kept.stored.sha256[:8]}"
    record(session, kept, None)
    spec = {"backend": "replay", "name": upload_name(kept.stored.sha256), "label": label}
    settings = request.app.state.settings
    samples = samples or _samples_of(settings, spec)
    values = {"spec": spec, "label": label, "samples": samples, "cut_rule": cut_rule}
    begun = benchmark_deeds.begin(session, settings, principal, found, _parameters(values), one_sample=False)
    return _begun(session, found, begun)


@router.get("/generations/{generation_id}", dependencies=[READ])
def show_generation(session: ReadSession, generation_id: RowId) -> GenerationShown:
    """One generation."""
    generation = find_generation(session, generation_id)
    benchmark = session.get_one(Benchmark, generation.benchmark_id)
    return _shown(session, benchmark, overview.standing_of(session, generation))


@router.get("/generations/{generation_id}/completions", dependencies=[READ])
def list_completions(
    session: ReadSession, generation_id: RowId, after: After, limit: Limit = 50, *, verdict: Verdict | None = None
) -> Page[CompletionShown]:
    """Its completions as they were stored, of one verdict or all."""
    generation = find_generation(session, generation_id)
    found = overview.completions_after(session, generation, after.row, limit, verdict or "")
    return page_of(found, lambda row: CompletionShown(**completion_row(*row)), after)


@router.post("/generations/{generation_id}/start", dependencies=[CHANGE], status_code=202)
@once
def start_generation(
    request: Request,
    session: WriteSession,
    principal: CurrentPrincipal,
    generation_id: RowId,
    *,
    wanted: Annotated[WantedStart, body(WantedStart)],
) -> RunShown:
    """Ask for the samples that are missing; what is there is never asked for again."""
    generation = find_generation(session, generation_id)
    settings = request.app.state.settings
    return shown_run(session, benchmark_deeds.start(session, settings, principal, generation, first=wanted.first))


@router.post("/generations/{generation_id}/execute", dependencies=[CHANGE], status_code=202)
@once
def execute_generation(
    request: Request,
    session: WriteSession,
    principal: CurrentPrincipal,
    generation_id: RowId,
    *,
    wanted: Annotated[WantedExecution, body(WantedExecution)],
) -> RunShown:
    """Run its completions against the tests."""
    generation = find_generation(session, generation_id)
    settings = request.app.state.settings
    return shown_run(session, benchmark_deeds.execute(session, settings, principal, generation, again=wanted.again))


def _samples_of(settings: Settings, spec: dict[str, Any]) -> int:
    try:
        return usual_samples(settings, spec)
    except ModelError as error:
        raise InvalidInput(str(error)) from error


def _parameters(values: dict[str, Any]) -> GenerationParameters:
    try:
        parameters = GenerationParameters.model_validate(values)
        check_spec(parameters.spec)
    except ValidationError as error:
        found = [
            Problem(
                each["msg"].removeprefix("Value error, "),
                field=".".join(str(part) for part in each["loc"]) or "samples",
            )
            for each in error.errors()
        ]
        raise InvalidInput(gettext("Some of what was chosen can't be used."), found) from error
    except ModelError as error:
        words = gettext("Some of what was chosen can't be used.")
        raise InvalidInput(words, [Problem(str(error), field="model")]) from error
    return parameters


def _begun(session: Session, benchmark: Benchmark, begun: benchmark_deeds.Begun) -> GenerationBegun:
    shown = _shown(session, benchmark, overview.standing_of(session, begun.generation))
    return GenerationBegun(**shown.model_dump(), is_new=begun.is_new)


def _shown(session: Session, benchmark: Benchmark, standing: GenerationStanding) -> GenerationShown:
    generation = standing.generation
    return GenerationShown(
        generation=generation.id,
        benchmark=benchmark.slug,
        label=generation.label,
        model=generation.spec,
        sampling=generation.sampling,
        samples=generation.samples,
        seed=generation.seed,
        prompt_mode=generation.prompt_mode,
        cut_rule=generation.cut_rule,
        signature=generation.signature,
        total=standing.whole,
        written=standing.written,
        failed=standing.failed,
        tokens=standing.tokens,
        tokens_per_second=standing.rate,
        verdicts=dict(standing.verdicts),
        run=shown_run(session, standing.run) if standing.run else None,
        created_at=generation.created_at,
        links={
            "generation": f"/api/v1/generations/{generation.id}",
            "completions": f"/api/v1/generations/{generation.id}/completions",
            "page": f"/generations/{generation.id}",
        },
    )
