"""What pages and programs do alike with benchmarks and generations, each with its event in the audit trail."""

from dataclasses import dataclass

from sqlalchemy.orm import Session

from app.config import Settings
from app.errors import Conflict
from app.services import audit
from app.services.accounts import Principal
from app.services.benchmarks.overview import standing_of
from app.services.dashboards import pending_run
from app.services.execution.opening import queue_of
from app.services.execution.requests import (
    KIND,
    request_benchmark_execution,
    request_generation_execution,
    request_study_execution,
)
from app.services.generation import overview
from app.services.generation.parameters import GenerationParameters
from app.services.generation.replaying import CANONICAL, find_canonical
from app.services.generation.requests import create_generation, find_alike, sample_one, start_generation
from app.storage.models import Benchmark, Generation, Run, Study
from app.words import gettext


def check_again(session: Session, settings: Settings, principal: Principal, benchmark: Benchmark) -> Run:
    """Run all canonical solutions anew."""
    if standing_of(session, benchmark).is_checking:
        raise Conflict(
            gettext("The canonical solutions are being run already."), remedy=gettext("Wait until that is done.")
        )
    run = request_benchmark_execution(
        session, benchmark, again=True, user_id=principal.user_id, queue=queue_of(settings)
    )
    benchmark.run_id = run.id
    audit.record(session, principal.actor, "canonical solutions run", benchmark=benchmark.slug)
    return run


@dataclass(frozen=True, slots=True)
class Begun:
    """A generation that was asked for; ``is_new``: False where it was there in the same words, and goes on."""

    generation: Generation
    is_new: bool


def begin(
    session: Session,
    settings: Settings,
    principal: Principal,
    benchmark: Benchmark,
    parameters: GenerationParameters,
    *,
    one_sample: bool,
    first: int | None = None,
    is_canonical: bool = False,
) -> Begun:
    """One sample to look at, or all that was asked for; then the tests.

    What was asked for in the same words before goes on, as on the command line: a name of its own makes another one.
    ``is_canonical``: canonical solutions are replayed, of which a set that has grown since has more, in another file.
    """
    trusted = settings.models_with_code
    known = find_alike(session, benchmark, parameters, trusted_models=trusted)
    if known is None and is_canonical and parameters.label == CANONICAL:
        known = find_canonical(session, benchmark, parameters.spec)
    if known is not None:
        _go_on(session, settings, principal, known, one_sample=one_sample, first=first)
        return Begun(known, is_new=False)
    generation = create_generation(
        session,
        benchmark,
        parameters,
        actor=principal.actor,
        user_id=principal.user_id,
        trusted_models=trusted,
    )
    if one_sample:
        sample_one(session, generation, execute_on=queue_of(settings), user_id=principal.user_id)
    else:
        start(session, settings, principal, generation, first=first)
    return Begun(generation, is_new=True)


def _go_on(
    session: Session,
    settings: Settings,
    principal: Principal,
    generation: Generation,
    *,
    one_sample: bool,
    first: int | None,
) -> None:
    """Ask for what is missing, and run what has no verdict; nothing where both are there or under way."""
    standing = overview.standing_of(session, generation)
    if standing.is_active or (one_sample and standing.written):
        return
    if one_sample:
        sample_one(session, generation, execute_on=queue_of(settings), user_id=principal.user_id)
    elif standing.left:
        start(session, settings, principal, generation, first=first)
    elif standing.unjudged and not _is_executing(session, generation):
        execute(session, settings, principal, generation)


def _is_executing(session: Session, generation: Generation) -> bool:
    pending = overview.execution_run(session, generation)
    return pending is not None and pending.state in ("queued", "running")


def start(
    session: Session, settings: Settings, principal: Principal, generation: Generation, *, first: int | None = None
) -> Run:
    """Ask for the samples that are missing, of all problems or of the first ones; then run them."""
    standing = overview.standing_of(session, generation)
    if standing.is_active:
        raise Conflict(
            gettext("This model is being asked already."), remedy=gettext("Wait, or cancel its run first.")
        )
    if not standing.left:
        raise Conflict(gettext("Every sample of every problem is there already."))
    run = start_generation(session, generation, first=first, execute_on=queue_of(settings), user_id=principal.user_id)
    audit.record(session, principal.actor, "generation started", generation=generation.id, first=first)
    return run


def execute(
    session: Session, settings: Settings, principal: Principal, generation: Generation, *, again: bool = False
) -> Run:
    """Run what was written against the tests; ``again``: also what has a verdict."""
    if not overview.standing_of(session, generation).written:
        raise Conflict(gettext("There is nothing to run yet."), remedy=gettext("Let the model write first."))
    if _is_executing(session, generation):
        raise Conflict(
            gettext("These completions are being run already."), remedy=gettext("Wait until that is done.")
        )
    run = request_generation_execution(
        session, generation, again=again, user_id=principal.user_id, queue=queue_of(settings)
    )
    audit.record(session, principal.actor, "completions run", generation=generation.id, again=again)
    return run


def run_tests_of(session: Session, settings: Settings, principal: Principal, study: Study) -> Run:
    """Run a study's outputs against the tests of their problems; a run that is waiting or going on serves again."""
    going = pending_run(session, study, is_newest_shown=False, kind=KIND)
    if going is not None:
        return going
    run = request_study_execution(session, study, user_id=principal.user_id, queue=queue_of(settings))
    audit.record(session, principal.actor, "outputs run", study.id)
    return run
