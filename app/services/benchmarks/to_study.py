"""A benchmark with what models wrote for it as a study: prompts and completions, for people to grade."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from app.errors import Conflict, InvalidInput
from app.services import audit
from app.services.benchmarks.storing import problems_of
from app.services.execution.programs import shown_prompt
from app.services.execution.requests import KIND
from app.services.imports.material import Batch, OutputRow, ProblemRow
from app.services.imports.problems import ProblemList
from app.services.imports.store_material import plan_material, store_material
from app.services.runs import enqueue
from app.services.studies import create_study
from app.storage.models import (
    Benchmark,
    BenchmarkProblem,
    Completion,
    Generation,
    Output,
    Problem,
    Run,
    Study,
    System,
)
from app.words import gettext


def make_study_of(
    session: Session,
    benchmark: Benchmark,
    generations: Sequence[Generation],
    *,
    title: str,
    actor: str,
    user_id: int | None = None,
    sample: int = 0,
    seed: int | None = None,
    queue: str = "cpu",
    of_study: Mapping[str, Any] | None = None,
) -> tuple[Study, Run]:
    """A new draft in which each generation is a system, and the run that judges its outputs by the tests.

    ``sample``: which sample of each problem people see. A problem for which none of the generations has that sample
    is left out; so is a sample for which the model could not be asked. ``of_study``: settings of the new study.
    """
    _check(benchmark, generations)
    written = {each.id: _written(session, each, sample) for each in generations}
    problems = [each for each in problems_of(session, benchmark) if any(each.id in them for them in written.values())]
    if not problems:
        raise Conflict(
            gettext("There is no sample %(number)s of any problem.", number=sample + 1),
            remedy=gettext("Wait until the generation is done, or choose the first sample."),
        )
    study = create_study(session, title, seed=seed, language=benchmark.language, **(of_study or {}))
    run = enqueue(session, KIND, {}, study_id=study.id, user_id=user_id, queue=queue)
    _store(session, study, _batch(problems, generations, written), run.id)
    _complete(session, study, problems, generations, written)
    labels = [each.label for each in generations]
    audit.record(session, actor, "study.create", study.id, title=title, benchmark=benchmark.slug, systems=labels)
    return study, run


def _check(benchmark: Benchmark, generations: Sequence[Generation]) -> None:
    labels = [each.label for each in generations]
    if not generations:
        raise InvalidInput(gettext("Choose at least one generation."))
    if any(each.benchmark_id != benchmark.id for each in generations):
        raise InvalidInput(gettext("A generation is of another benchmark."))
    if len(set(labels)) < len(labels):
        raise InvalidInput(
            gettext("Two of the generations have the same name, and each becomes a system."),
            remedy=gettext("Choose one of them, or generate again under another name."),
        )


def _written(session: Session, generation: Generation, sample: int) -> dict[int, Completion]:
    """The completions by their problems."""
    wanted = select(Completion).where(
        Completion.generation_id == generation.id, Completion.sample == sample, Completion.finish != "error"
    )
    return {each.problem_id: each for each in session.scalars(wanted)}


def _batch(
    problems: Sequence[BenchmarkProblem],
    generations: Sequence[Generation],
    written: dict[int, dict[int, Completion]],
) -> Batch:
    """As an import would have read it."""
    batch = Batch()
    for number, problem in enumerate(problems, start=1):
        references = () if problem.canonical_solution is None else (problem.canonical_solution,)
        batch.problems[problem.key] = ProblemRow(
            problem.key, number, problem.prompt, tests=problem.tests, references=references
        )
        for each in generations:
            if (completion := written[each.id].get(problem.id)) is not None:
                batch.systems[each.label] = None
                batch.outputs[problem.key, each.label] = OutputRow(_text(problem, each, completion), number)
    return batch


def _text(problem: BenchmarkProblem, generation: Generation, completion: Completion) -> str:
    """What goes on behind the prompt: the visible half, too, where the model was shown it."""
    return shown_prompt(problem, generation.prompt_mode)[len(problem.prompt) :] + completion.text


def _store(session: Session, study: Study, batch: Batch, run_id: int) -> None:
    found = ProblemList()
    plan = plan_material(session, study, batch, found)
    found.raise_if_any()
    store_material(session, study, batch, plan, run_id=run_id, images={})


def _complete(
    session: Session,
    study: Study,
    problems: Sequence[BenchmarkProblem],
    generations: Sequence[Generation],
    written: dict[int, dict[int, Completion]],
) -> None:
    """What no import of material knows: what tests call, what outputs continue, and which sample they are."""
    for problem in problems:
        here = (Problem.study_id == study.id, Problem.key == problem.key)
        values = {"entry_point": problem.entry_point, "code_before": problem.prompt}
        session.execute(update(Problem).where(*here).values(values))
    keys = {problem.id: problem.key for problem in problems}
    rows = session.execute(
        select(Problem.key, System.name, Output.id)
        .join(Output, Output.problem_id == Problem.id)
        .join(System, System.id == Output.system_id)
        .where(Problem.study_id == study.id)
    )
    outputs = {(key, name): number for key, name, number in rows}
    samples = [
        {"id": outputs[keys[problem], each.label], "completion_id": completion.id}
        for each in generations
        for problem, completion in written[each.id].items()
        if problem in keys
    ]
    session.execute(update(Output), samples)
