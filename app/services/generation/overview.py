"""How generations stand: what was asked, written and judged, and the completions themselves, some at a time."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.errors import NotFound
from app.execution.protocol import COUNTED, Tier, Verdict
from app.services.benchmarks.which import is_asked
from app.services.listings import Slice
from app.storage.models import Benchmark, BenchmarkProblem, Completion, Execution, Generation, Run
from app.words import gettext

AT_ONCE = 500  # completions read for a file at a time
MOST_TROUBLES = 8  # that are told on the page; all stand with their samples
UNJUDGED, UNWRITTEN = "unjudged", "unwritten"  # beside the verdicts: not run yet; the model could not be asked

Row = tuple[Completion, BenchmarkProblem, Execution | None]


@dataclass(frozen=True, slots=True)
class GenerationStanding:
    """One generation in numbers. ``whole``: all samples of all problems, whether asked for or not."""

    generation: Generation
    whole: int
    written: int = 0
    failed: int = 0  # the model could not be asked
    tokens: int = 0
    seconds: float = 0.0
    verdicts: Counter[str] = field(default_factory=Counter)
    run: Run | None = None  # the newest that asks the model

    @property
    def judged(self) -> int:
        """Completions whose verdict counts."""
        return sum(number for verdict, number in self.verdicts.items() if verdict in COUNTED)

    @property
    def passed(self) -> int:
        """Completions that pass."""
        return self.verdicts[Verdict.PASSED]

    @property
    def unjudged(self) -> int:
        """What was written and not run."""
        return self.written - self.judged

    @property
    def left(self) -> int:
        """Samples that no model has written yet."""
        return self.whole - self.written

    @property
    def rate(self) -> float | None:
        """Tokens a second while the model wrote; a replayed file takes no time."""
        return self.tokens / self.seconds if self.tokens and self.seconds else None

    @property
    def is_active(self) -> bool:
        """Whether its run waits or goes on."""
        return self.run is not None and self.run.state in ("queued", "running")


def newest_generations(
    session: Session, benchmark: Benchmark, after: int | None = None, limit: int = 200
) -> Slice[GenerationStanding]:
    """A benchmark's generations, the newest first."""
    wanted = select(Generation).where(Generation.benchmark_id == benchmark.id)
    if after is not None:
        wanted = wanted.where(Generation.id < after)
    found = session.scalars(wanted.order_by(Generation.id.desc()).limit(limit + 1)).all()
    return Slice(standings(session, found[:limit]), found[limit - 1].id if len(found) > limit else None)


def standing_of(session: Session, generation: Generation) -> GenerationStanding:
    """How this one stands."""
    return standings(session, [generation])[0]


def standings(session: Session, generations: Sequence[Generation]) -> list[GenerationStanding]:
    """How these stand, in their order."""
    ids = [each.id for each in generations]
    problems = _problems(session, {each.benchmark_id for each in generations})
    written, failed, tokens, seconds = _written(session, ids)
    verdicts = _verdicts(session, ids)
    runs = {run.id: run for run in session.scalars(select(Run).where(Run.id.in_([g.run_id for g in generations])))}
    return [
        GenerationStanding(
            each,
            whole=problems.get(each.benchmark_id, 0) * each.samples,
            written=written[each.id],
            failed=failed[each.id],
            tokens=tokens[each.id],
            seconds=seconds[each.id],
            verdicts=verdicts[each.id],
            run=None if each.run_id is None else runs.get(each.run_id),
        )
        for each in generations
    ]


def _problems(session: Session, benchmarks: set[int]) -> dict[int, int]:
    counted = select(BenchmarkProblem.benchmark_id, func.count())
    asked = counted.where(BenchmarkProblem.benchmark_id.in_(benchmarks), is_asked())
    return dict(session.execute(asked.group_by(BenchmarkProblem.benchmark_id)).all())


def _written(
    session: Session, ids: Sequence[int]
) -> tuple[Counter[int], Counter[int], Counter[int], defaultdict[int, float]]:
    """By generation: completions written, samples that failed, tokens, and the seconds that they took."""
    written: Counter[int] = Counter()
    failed: Counter[int] = Counter()
    tokens: Counter[int] = Counter()
    seconds: defaultdict[int, float] = defaultdict(float)
    rows = session.execute(
        select(
            Completion.generation_id,
            Completion.finish,
            func.count(),
            func.sum(Completion.tokens),
            func.sum(Completion.seconds),
        )
        .where(Completion.generation_id.in_(ids))
        .group_by(Completion.generation_id, Completion.finish)
    )
    for number, finish, count, of_tokens, of_seconds in rows:
        (failed if finish == "error" else written)[number] += count
        tokens[number] += of_tokens or 0
        seconds[number] += of_seconds or 0.0
    return written, failed, tokens, seconds


def _verdicts(session: Session, ids: Sequence[int]) -> defaultdict[int, Counter[str]]:
    found: defaultdict[int, Counter[str]] = defaultdict(Counter)
    rows = session.execute(
        select(Completion.generation_id, Execution.verdict, func.count())
        .join(Execution, Execution.completion_id == Completion.id)
        .where(Completion.generation_id.in_(ids))
        .group_by(Completion.generation_id, Execution.verdict)
    )
    for number, verdict, count in rows:
        found[number][verdict] = count
    return found


def without_isolation(session: Session, generation: Generation) -> bool:
    """Whether some of its verdicts come from a machine on which no wall stood."""
    wanted = select(Execution.id).join(Completion, Completion.id == Execution.completion_id)
    here = (Completion.generation_id == generation.id, Execution.tier == Tier.NONE)
    return session.scalar(wanted.where(*here).limit(1)) is not None


def execution_run(session: Session, generation: Generation) -> Run | None:
    """The newest run that puts its completions to the tests."""
    of_it = Run.payload["generation"].as_integer() == generation.id
    return session.scalar(select(Run).where(Run.kind == "execution", of_it).order_by(Run.id.desc()).limit(1))


def failed_samples(session: Session, generation: Generation) -> list[tuple[str, int, int]]:
    """What the model could not be asked and why: the trouble, how often, and the first problem that met it."""
    rows = session.execute(
        select(Completion.trouble, func.count(), func.min(BenchmarkProblem.position))
        .join(BenchmarkProblem, BenchmarkProblem.id == Completion.problem_id)
        .where(Completion.generation_id == generation.id, Completion.finish == "error")
        .group_by(Completion.trouble)
        .order_by(func.count().desc(), func.min(BenchmarkProblem.position))
        .limit(MOST_TROUBLES)
    )
    return [(trouble or "", number, place + 1) for trouble, number, place in rows]


def _rows() -> Any:
    return (
        select(Completion, BenchmarkProblem, Execution)
        .join(BenchmarkProblem, BenchmarkProblem.id == Completion.problem_id)
        .outerjoin(Execution, Execution.completion_id == Completion.id)
    )


def _filtered(statement: Any, verdict: str) -> Any:
    """Those with that verdict, of those not judged, or of those not written."""
    if verdict == UNWRITTEN:
        return statement.where(Completion.finish == "error")
    if verdict == UNJUDGED:
        return statement.where(Completion.finish != "error", Execution.id.is_(None))
    return statement.where(Execution.verdict == verdict) if verdict else statement


def some_completions(
    session: Session, generation: Generation, *, verdict: str = "", page: int = 1, size: int = 100
) -> tuple[list[Row], int]:
    """A page of its completions by problem and sample, and how many there are in all."""
    mine = _filtered(_rows().where(Completion.generation_id == generation.id), verdict)
    total = session.scalar(select(func.count()).select_from(mine.with_only_columns(Completion.id).subquery())) or 0
    ordered = mine.order_by(BenchmarkProblem.position, Completion.sample)
    found = session.execute(ordered.limit(size).offset((page - 1) * size))
    return [(row[0], row[1], row[2]) for row in found], total


def completions_for(
    session: Session, problem: BenchmarkProblem, *, generation: int | None = None, page: int = 1, size: int = 20
) -> tuple[list[tuple[Completion, Generation, Execution | None]], int]:
    """A page of what models wrote for one problem, and how much there is in all."""
    mine = (
        select(Completion, Generation, Execution)
        .join(Generation, Generation.id == Completion.generation_id)
        .outerjoin(Execution, Execution.completion_id == Completion.id)
        .where(Completion.problem_id == problem.id)
    )
    if generation is not None:
        mine = mine.where(Completion.generation_id == generation)
    total = session.scalar(select(func.count()).select_from(mine.with_only_columns(Completion.id).subquery())) or 0
    ordered = mine.order_by(Generation.id.desc(), Completion.sample)
    return list(session.execute(ordered.limit(size).offset((page - 1) * size))), total


def completions_after(
    session: Session, generation: Generation, after: int | None, limit: int, verdict: str = ""
) -> Slice[Row]:
    """Some of its completions in the order in which they were stored, for programs."""
    mine = _rows().where(Completion.generation_id == generation.id, Completion.id > (after or 0))
    found = session.execute(_filtered(mine, verdict).order_by(Completion.id).limit(limit + 1))
    rows = [(row[0], row[1], row[2]) for row in found]
    return Slice(rows[:limit], rows[limit - 1][0].id if len(rows) > limit else None)


def find_completion(session: Session, completion_id: int) -> Row:
    """One completion with its problem and verdict."""
    row = session.execute(_rows().where(Completion.id == completion_id)).first()
    if row is None:
        raise NotFound(gettext("There is no such completion."))
    return row[0], row[1], row[2]
