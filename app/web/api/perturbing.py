"""Perturbed sets: the transformations that there are, sets asked for and extended, how one stands, one pair of it."""

from typing import Annotated, Literal

from fastapi import APIRouter, Query
from pydantic import ConfigDict, Field
from sqlalchemy.orm import Session

from app.perturbations import Category, Mode, Transformation, available
from app.services.benchmarks import find_benchmark
from app.services.benchmarks.overview import standing_of
from app.services.perturbing import Requested, Wanted, extend_set, find_set, request_set
from app.services.perturbing.one_problem import pair_of
from app.services.perturbing.summary import SetSummary, TransformationSummary, summary_of
from app.storage.models import BenchmarkProblem
from app.web.access import CurrentPrincipal
from app.web.api.benchmarks import BenchmarkShown, shown_benchmark
from app.web.api.once import once
from app.web.api.permissions import CHANGE, READ
from app.web.api.runs import RunShown, shown_run
from app.web.api.shapes import Incoming, Outgoing, body
from app.web.database import ReadSession, WriteSession

router = APIRouter(tags=["benchmarks"])

Name = Annotated[str, Field(min_length=1, max_length=100)]
CategoryName = Literal["docstring", "function_name", "syntax", "format"]
MOST_FAILING = 200  # of a transformation, in a summary


class TransformationShown(Outgoing):
    """One transformation. ``missing``: what this machine lacks to run it, and how to get it; null: nothing."""

    name: str
    category: str
    random: bool = Field(description="Whether seeds make a difference.")
    form: str = Field(description="whole: it changes prompts; half: prompts that end with half of the solution.")
    modes: list[str]
    languages: list[str]
    missing: str | None


class TransformationsShown(Outgoing):
    """All of them, by category."""

    items: list[TransformationShown]


class WantedVariants(Incoming):
    """``seeds`` of each random transformation. Without transformations and categories: of a new set all that can run
    here, of one that is there what it has."""

    seeds: int = Field(5, ge=1, le=100)
    transformations: list[Name] = Field([], max_length=100)
    categories: list[CategoryName] = Field([], max_length=4)

    def wanted(self) -> Wanted:
        """As sets are asked for."""
        return Wanted(self.seeds, self.transformations, [Category(each) for each in self.categories])


class WantedSet(WantedVariants):
    """``mode``: paper for the paper's rules, released for those that made the released files."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"seeds": 5, "categories": ["docstring"]}]})

    name: Annotated[str, Field(min_length=1, max_length=200)] | None = None
    mode: Literal["paper", "released"] = "paper"


class WantedMore(WantedVariants):
    """What the set is to hold beyond what it has; its mode stays."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"seeds": 10}]})


class SetMade(Outgoing):
    """The set, and the run that adds what is missing of it; then its canonical solutions are run."""

    benchmark: BenchmarkShown
    run: RunShown | None


class FailingShown(Outgoing):
    """A changed problem whose canonical solution does not pass."""

    model_config = ConfigDict(from_attributes=True)

    task_id: str = Field(validation_alias="key")
    verdict: str
    reason: str


class SummaryOfOne(Outgoing):
    """What one transformation made of all problems: so many of ``wanted`` rows are there."""

    name: str
    category: str
    form: str
    seeds: int
    wanted: int
    changed: int
    unchanged: dict[str, int] = Field(description="By reason.")
    unchanged_share: float | None
    odd: dict[str, list[str]] = Field(
        description="Rows that are unparsable, that lack the function that is tested (undefined), or are called by "
        "their old name (old_name), which is then defined after the program."
    )
    canonical_judged: int
    canonical_passed: int
    failing: list[FailingShown] = Field(description=f"At most {MOST_FAILING}.")


class LeftOutShown(Outgoing):
    """A transformation that could not be made."""

    model_config = ConfigDict(from_attributes=True)

    name: str
    reason: str


class SummaryShown(Outgoing):
    """How a perturbed set stands. ``parent``: the benchmark that it is made from; null for a released folder."""

    benchmark: str
    parent: str | None
    mode: str
    source: str
    text_from: str = Field(description="The imported set whose released text BackTranslation takes; else empty.")
    is_complete: bool
    problems: int
    halves: int
    transformations: list[SummaryOfOne]
    unavailable: list[LeftOutShown]
    run: str | None


class RowShown(Outgoing):
    """A prompt with what belongs to it."""

    model_config = ConfigDict(from_attributes=True)

    task_id: str = Field(validation_alias="key")
    position: int
    prompt: str
    entry_point: str | None
    canonical_solution: str | None
    tests: str
    code_after: str
    form: str
    unchanged: str | None
    oddity: str | None


class PairShown(Outgoing):
    """A problem, or half of it, and what a transformation made of it with a seed."""

    transformation: str
    seed: int
    original: RowShown
    changed: RowShown


@router.get("/perturbations", dependencies=[READ])
def list_transformations() -> TransformationsShown:
    """Every transformation, and whether it can run here."""
    return TransformationsShown(items=[_transformation(each) for each in available()])


@router.post("/benchmarks/{benchmark}/perturbations", dependencies=[CHANGE], status_code=202)
@once
def make_set(
    session: WriteSession,
    principal: CurrentPrincipal,
    benchmark: str,
    *,
    wanted: Annotated[WantedSet, body(WantedSet)],
) -> SetMade:
    """A perturbed set of the benchmark's problems."""
    done = request_set(
        session,
        find_benchmark(session, benchmark),
        wanted.wanted(),
        mode=Mode(wanted.mode),
        name=wanted.name,
        actor=principal.actor,
        user_id=principal.user_id,
    )
    return _made(session, done)


@router.post("/benchmarks/{benchmark}/perturbations/more", dependencies=[CHANGE], status_code=202)
@once
def extend(
    session: WriteSession,
    principal: CurrentPrincipal,
    benchmark: str,
    *,
    wanted: Annotated[WantedMore, body(WantedMore)],
) -> SetMade:
    """More transformations or seeds for a set; only what is missing is made."""
    made = find_set(session, benchmark)
    return _made(
        session, extend_set(session, made, wanted.wanted(), actor=principal.actor, user_id=principal.user_id)
    )


@router.get("/benchmarks/{benchmark}/perturbations", dependencies=[READ])
def show_summary(session: ReadSession, benchmark: str) -> SummaryShown:
    """What each transformation changed, left alone and why, and which canonical solutions don't pass any more."""
    return _summary(summary_of(session, find_set(session, benchmark)))


@router.get("/benchmarks/{benchmark}/perturbations/pair", dependencies=[READ])
def show_pair(
    session: ReadSession,
    benchmark: str,
    *,
    task_id: Annotated[str, Query(min_length=1, max_length=200)],
    transformation: Annotated[str, Query(min_length=1, max_length=100)],
    seed: Annotated[int, Query(ge=0, le=10_000)] = 0,
) -> PairShown:
    """One problem as it was and as it became."""
    pair = pair_of(session, find_set(session, benchmark), task_id, transformation, seed)
    return PairShown(
        transformation=transformation, seed=seed, original=_row(pair.original), changed=_row(pair.changed)
    )


def _row(row: BenchmarkProblem) -> RowShown:
    return RowShown.model_validate(row)


def _made(session: Session, done: Requested) -> SetMade:
    shown = shown_benchmark(standing_of(session, done.benchmark))
    return SetMade(benchmark=shown, run=shown_run(session, done.run) if done.run else None)


def _transformation(each: Transformation) -> TransformationShown:
    return TransformationShown(
        name=each.name,
        category=each.category,
        random=each.is_random,
        form=each.form,
        modes=sorted(each.modes),
        languages=sorted(each.languages),
        missing=each.missing(),
    )


def _summary(found: SetSummary) -> SummaryShown:
    return SummaryShown(
        benchmark=found.benchmark.slug,
        parent=found.parent.slug if found.parent else None,
        mode=found.recipe.mode,
        source=found.recipe.source,
        text_from=found.recipe.text_from,
        is_complete=found.is_complete,
        problems=found.problems,
        halves=found.halves,
        transformations=[_of_one(each) for each in found.transformations],
        unavailable=[LeftOutShown.model_validate(each) for each in found.unavailable],
        run=found.run.public_id if found.run else None,
    )


def _of_one(each: TransformationSummary) -> SummaryOfOne:
    return SummaryOfOne(
        name=each.name,
        category=each.category,
        form=each.form,
        seeds=each.seeds,
        wanted=each.wanted,
        changed=each.changed,
        unchanged=dict(each.unchanged),
        unchanged_share=each.unchanged_share,
        odd=each.odd,
        canonical_judged=each.judged,
        canonical_passed=each.passed,
        failing=[FailingShown.model_validate(one) for one in each.failing[:MOST_FAILING]],
    )
