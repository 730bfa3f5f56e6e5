"""Ask a model for a benchmark: first one problem, to look at, then all. What is there is never asked for again."""

from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.errors import InvalidInput, NotFound
from app.language_models.protocol import ModelError
from app.services import audit
from app.services.benchmarks.which import is_set, rows_of_first
from app.services.execution.programs import PARTIAL
from app.services.generation.opening import QUEUE, check_spec, check_trust, cut_text
from app.services.generation.parameters import REPLAY, GenerationParameters
from app.services.runs import enqueue
from app.storage.models import Benchmark, BenchmarkProblem, Generation, Run
from app.storage.transaction_turns import TurnAt, take_turn
from app.words import gettext

INTERACTIVE = 10  # somebody waits for one sample; whole benchmarks go on behind it


def create_generation(
    session: Session,
    benchmark: Benchmark,
    parameters: GenerationParameters,
    *,
    actor: str,
    user_id: int | None = None,
    trusted_models: Collection[str] = (),
) -> Generation:
    """The row of a generation; nothing is asked yet. ``trusted_models``: whose own code an admin lets run."""
    spec = _checked(parameters, trusted_models)
    if is_set(benchmark) and parameters.prompt_mode == PARTIAL:
        raise InvalidInput(
            gettext("A perturbed set holds halves of solutions as rows of their own, and no visible half beside."),
            remedy=gettext("Ask for plain prompts: they hold the halves where a transformation needs them."),
        )
    generation = Generation(
        benchmark_id=benchmark.id,
        spec=spec,
        sampling=parameters.sampling(),
        user_id=user_id,
        **parameters.model_dump(include={"label", "samples", "seed", "cut_rule", "prompt_mode"}),
    )
    session.add(generation)
    session.flush()
    details: dict[str, Any] = {"benchmark": benchmark.slug, "generation": generation.id, "model": spec}
    audit.record(session, actor, "generation requested", **details)
    return generation


def create_once(
    session: Session,
    benchmark: Benchmark,
    parameters: GenerationParameters,
    *,
    actor: str,
    trusted_models: Collection[str] = (),
    signature: str | None = None,
) -> Generation:
    """The generation of this benchmark that was asked for in just these words before, else a new one."""
    known = find_alike(session, benchmark, parameters, trusted_models=trusted_models, signature=signature)
    return known or create_generation(session, benchmark, parameters, actor=actor, trusted_models=trusted_models)


def find_alike(
    session: Session,
    benchmark: Benchmark,
    parameters: GenerationParameters,
    *,
    trusted_models: Collection[str] = (),
    signature: str | None = None,
) -> Generation | None:
    """The oldest generation of this benchmark that was asked for in the same words.

    Until this transaction ends nobody else looks for one, and so two that ask at once make one generation.
    ``signature``: the model's, where it is known already. A file may hold something new under its old name: what was
    written with another content does not go on. An uploaded file is its content, whatever it was called.
    """
    take_turn(session, TurnAt.GENERATIONS, benchmark.id)
    model = _without_file_name(_checked(parameters, trusted_models))
    wanted = parameters.model_dump(include={"label", "samples", "seed", "cut_rule", "prompt_mode"})
    like_it = select(Generation).filter_by(benchmark_id=benchmark.id, **wanted).order_by(Generation.id)
    for known in session.scalars(like_it):
        is_same_model = signature is None or known.signature in (None, signature)
        if is_same_model and _without_file_name(known.spec) == model and known.sampling == parameters.sampling():
            return known
    return None


def _without_file_name(spec: dict[str, Any]) -> dict[str, Any]:
    return {key: each for key, each in spec.items() if key != "label" or spec["backend"] != REPLAY}


def _checked(parameters: GenerationParameters, trusted_models: Collection[str]) -> dict[str, Any]:
    try:
        spec = check_spec(parameters.spec)
        cut_text(parameters.cut_rule, "", "", None)
    except ModelError as error:
        raise InvalidInput(str(error)) from error
    check_trust(spec, trusted_models)
    return spec


def start_generation(
    session: Session,
    generation: Generation,
    *,
    problems: Sequence[str] = (),
    first: int | None = None,
    execute_on: str | None = None,
    user_id: int | None = None,
) -> Run:
    """Ask for what is missing of all samples; with keys of problems, for the first sample of these only.

    ``first``: all samples of so many problems from the benchmark's beginning. ``execute_on``: the queue in which what
    was written is then run against the tests.
    """
    payload: dict[str, Any] = {"generation": generation.id}
    if problems:
        payload["problems"] = _ids(session, generation, problems)
    elif first is not None:
        payload |= {"problems": _first(session, generation, first), "all_samples": True}
    if execute_on is not None:
        payload["execute_on"] = execute_on
    run = enqueue(
        session,
        "generation",
        payload,
        user_id=user_id,
        queue=QUEUE,
        priority=INTERACTIVE if problems else 0,
    )
    generation.run_id = run.id
    return run


def request_generation(
    session: Session,
    benchmark: Benchmark,
    parameters: GenerationParameters,
    *,
    actor: str,
    user_id: int | None = None,
    trusted_models: Collection[str] = (),
) -> Run:
    """Make the row and start the whole."""
    generation = create_generation(
        session, benchmark, parameters, actor=actor, user_id=user_id, trusted_models=trusted_models
    )
    return start_generation(session, generation, user_id=user_id)


def sample_one(
    session: Session, generation: Generation, *, execute_on: str | None = None, user_id: int | None = None
) -> Run:
    """One sample of the benchmark's first problem, to be looked at before the whole is started."""
    first = select(BenchmarkProblem.key).where(BenchmarkProblem.benchmark_id == generation.benchmark_id)
    key = session.scalars(first.order_by(BenchmarkProblem.position).limit(1)).one()
    return start_generation(session, generation, problems=[key], execute_on=execute_on, user_id=user_id)


def find_generation(session: Session, generation_id: int) -> Generation:
    """The generation with that number."""
    generation = session.get(Generation, generation_id) if 0 < generation_id < 2**31 else None
    if generation is None:
        raise NotFound(gettext("There is no such generation."))
    return generation


def _first(session: Session, generation: Generation, number: int) -> list[int]:
    return rows_of_first(session, generation.benchmark_id, number)


def _ids(session: Session, generation: Generation, keys: Sequence[str]) -> list[int]:
    of_benchmark = BenchmarkProblem.benchmark_id == generation.benchmark_id
    rows = session.execute(
        select(BenchmarkProblem.key, BenchmarkProblem.id).where(of_benchmark, BenchmarkProblem.key.in_(keys))
    )
    known = dict(rows.all())
    if missing := [key for key in keys if key not in known]:
        raise InvalidInput(gettext("The benchmark has no problem %(key)s.", key=repr(missing[0])))
    return [known[key] for key in keys]
