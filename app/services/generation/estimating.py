"""What a generation would cost, before it is started."""

from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.language_models import ModelSpec
from app.services.benchmarks.which import is_asked, rows_of_first
from app.services.generation.parameters import GenerationParameters
from app.storage.models import Benchmark, BenchmarkProblem, Completion, Generation

CHARACTERS_A_TOKEN = 4  # of source text, roughly: tokenizers differ by a third either way


@dataclass(frozen=True, slots=True)
class Estimate:
    """``prompt_tokens`` is rough; ``most_tokens`` the limit that can't be passed; the times are None where this model
    has written nothing here yet."""

    completions: int
    prompt_tokens: int
    most_tokens: int
    tokens_per_second: float | None
    likely_seconds: float | None  # if completions become as long as they were so far
    most_seconds: float | None


def estimate(
    session: Session, benchmark: Benchmark, parameters: GenerationParameters, *, first: int | None = None
) -> Estimate:
    """From the prompts' lengths, and from what the same model did here before. ``first``: of so many problems."""
    length = select(func.length(BenchmarkProblem.prompt).label("length"))
    lengths = length.where(BenchmarkProblem.benchmark_id == benchmark.id, is_asked())
    if first is not None:
        lengths = lengths.where(BenchmarkProblem.id.in_(rows_of_first(session, benchmark.id, first)))
    chosen = lengths.subquery()
    count, characters = session.execute(select(func.count(), func.sum(chosen.c.length)).select_from(chosen)).one()
    completions = count * parameters.samples
    most = completions * parameters.max_tokens
    rate, usual = _earlier(session, parameters)
    return Estimate(
        completions=completions,
        prompt_tokens=round((characters or 0) * parameters.samples / CHARACTERS_A_TOKEN),
        most_tokens=most,
        tokens_per_second=rate,
        likely_seconds=None if rate is None else completions * min(usual, parameters.max_tokens) / rate,
        most_seconds=None if rate is None else most / rate,
    )


def _earlier(session: Session, parameters: GenerationParameters) -> tuple[float | None, float]:
    """Tokens a second and tokens a completion of the newest generation with this model that wrote something."""
    spec = ModelSpec.from_json(parameters.spec).as_json()
    same = [
        each.id for each in session.scalars(select(Generation).order_by(Generation.id.desc())) if each.spec == spec
    ]
    for number in same:
        tokens, seconds, count = session.execute(
            select(func.sum(Completion.tokens), func.sum(Completion.seconds), func.count()).where(
                Completion.generation_id == number, Completion.finish != "error"
            )
        ).one()
        if tokens and seconds:
            return tokens / seconds, tokens / count
    return None, 0.0
