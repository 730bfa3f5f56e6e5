"""A benchmark that models wrote for, and a study made of it, row by row: no model and no sandbox."""

from collections.abc import Sequence

import numpy as np
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.clock import utc_now
from app.services.benchmarks import BenchmarkFile, BenchmarkRow, store_benchmark
from app.services.benchmarks.to_study import make_study_of
from app.services.execution.scoring import store_execution_scores
from app.services.imports.store_material import insert_all
from app.storage.models import (
    Annotator,
    Benchmark,
    BenchmarkProblem,
    Completion,
    Execution,
    Generation,
    Item,
    Output,
    Problem,
    Question,
    Study,
    System,
)
from tests.factories import add_grade

PROBLEMS = 12
HOSTILE = '</script><b onclick="x()">=cmd\u202e'
LIMITS = {"cpu": 10.0}
Verdicts = Sequence[Sequence[str | None]]  # of each problem, of each sample; None: not executed


def make_benchmark(session: Session, problems: int = PROBLEMS, name: str = "Bench") -> Benchmark:
    """Problem n asks for n."""
    rows = [
        BenchmarkRow(
            f"b/{number}",
            number + 1,
            f'def f{number}():\n    """Return {number}."""\n',
            f"def check(candidate):\n    assert candidate() == {number}\n",
            f"f{number}",
            f"    return {number}\n",
        )
        for number in range(problems)
    ]
    return store_benchmark(
        session, BenchmarkFile("own", rows), name=name, file_hash=name[:64], actor="tests"
    ).benchmark


def verdicts_of(passing: Sequence[int], samples: int) -> list[list[str | None]]:
    """So many samples of each problem pass; the others fail."""
    return [[*["passed"] * count, *["failed"] * (samples - count)] for count in passing]


def rising(rate: float, samples: int, problems: int = PROBLEMS) -> list[list[str | None]]:
    """Hard problems and easy ones, of which about this share passes."""
    chances = np.clip(np.linspace(2 * rate - 1, 1, problems), 0, 1)
    return verdicts_of([round(samples * chance) for chance in chances], samples)


def add_generation(
    session: Session,
    benchmark: Benchmark,
    label: str,
    verdicts: Verdicts,
    *,
    seed: int = 0,
    temperature: float = 0.8,
    wall: tuple[str, str] = ("ns", "judge"),
    backend: str = "hugging_face",
) -> Generation:
    """One model's samples with these verdicts."""
    samples = max(len(each) for each in verdicts)
    generation = Generation(
        benchmark_id=benchmark.id,
        label=label,
        spec={"backend": backend, "name": label},
        sampling={"temperature": temperature, "top_p": 0.95, "max_tokens": 512, "stop": [], "chat": False},
        samples=samples,
        seed=seed,
        cut_rule="function",
        signature=f"replay:{label}",
    )
    session.add(generation)
    session.flush()
    for problem, found in zip(_problems(session, benchmark), verdicts, strict=True):
        for sample, verdict in enumerate(found):
            _add_sample(session, generation, problem, sample, verdict, wall)
    return generation


def _problems(session: Session, benchmark: Benchmark) -> Sequence[BenchmarkProblem]:
    wanted = select(BenchmarkProblem).where(BenchmarkProblem.benchmark_id == benchmark.id)
    return session.scalars(wanted.order_by(BenchmarkProblem.position)).all()


def _add_sample(
    session: Session,
    generation: Generation,
    problem: BenchmarkProblem,
    sample: int,
    verdict: str | None,
    wall: tuple[str, str],
) -> None:
    text = f"    return {problem.position}  # {generation.label} {verdict} {HOSTILE}\n"
    completion = Completion(
        generation_id=generation.id, problem_id=problem.id, sample=sample, seed=sample, raw=text, text=text
    )
    completion.finish = "stop"
    session.add(completion)
    session.flush()
    if verdict is not None:
        session.add(execution(verdict, wall, completion_id=completion.id))
        session.flush()


def execution(verdict: str, wall: tuple[str, str] = ("ns", "judge"), **owner: int) -> Execution:
    """What became of a program."""
    tier, strength = wall
    reason = "" if verdict == "passed" else f"AssertionError {HOSTILE}"
    return Execution(
        **owner,
        input_hash="h",
        verdict=verdict,
        reason=reason,
        tier=tier,
        strength=strength,
        limits=LIMITS,
        runtime="python:3",
    )


def make_executed_study(session: Session, *, grades: bool = True, title: str = "Executed") -> Study:
    """Two systems: what passes is graded 2 to 4, what fails 0 to 2; one of each is graded the other way round."""
    benchmark = make_benchmark(session)
    generations = [
        add_generation(session, benchmark, "good <i>one</i>", rising(0.75, 1)),
        add_generation(session, benchmark, "poor", rising(0.3, 1), seed=1),
    ]
    study, run = make_study_of(session, benchmark, generations, title=title, actor="tests", seed=7)
    run.state = "done"
    outputs = outputs_of(session, study)
    verdicts = dict(session.execute(select(Execution.completion_id, Execution.verdict)).all())
    rows = [_adopted(output, verdicts[output.completion_id]) for output in outputs]
    insert_all(session, Execution, rows)
    store_execution_scores(session, study, run.id)
    if grades:
        passed = [verdicts[output.completion_id] == "passed" for output in outputs]
        add_grades(session, study, outputs, passed)
    return study


def _adopted(output: Output, verdict: str) -> dict[str, object]:
    row = execution(verdict, output_id=output.id)
    names = [column.key for column in Execution.__table__.columns if column.key not in ("id", "created_at")]
    blank = {"stderr": "", "stdout": "", "cpu_seconds": 0.0, "wall_seconds": 0.0, "memory_bytes": 0}
    return {name: getattr(row, name) for name in names} | blank | {"created_at": utc_now()}


def outputs_of(session: Session, study: Study) -> Sequence[Output]:
    """In the study's order."""
    wanted = select(Output).join(Problem, Problem.id == Output.problem_id).join(System, System.id == Output.system_id)
    wanted = wanted.where(Problem.study_id == study.id)
    return session.scalars(wanted.order_by(Problem.position, System.position)).all()


def add_grades(session: Session, study: Study, outputs: Sequence[Output], passed: Sequence[bool]) -> None:
    """By three people who nearly always agree."""
    question = session.scalars(select(Question.id).where(Question.study_id == study.id)).one()
    people = [Annotator(study_id=study.id, pseudonym=f"grader{n}", order_seed=n) for n in range(3)]
    session.add_all(people)
    session.flush()
    graded: set[int] = set()
    odd = {passed.index(True), passed.index(False)}
    for place, (output, is_pass) in enumerate(zip(outputs, passed, strict=True)):
        if output.item_id in graded:
            continue
        graded.add(output.item_id)
        for person, annotator in enumerate(people):
            seems_good = is_pass != (place in odd)
            value = (4 if seems_good else 0) + (-1 if seems_good else 1) * ((place + person) % 5 == 0)
            add_grade(session, annotator, output.item_id, question, float(value))


def item_of(session: Session, output: Output) -> Item:
    """The item that people grade."""
    return session.get_one(Item, output.item_id)
