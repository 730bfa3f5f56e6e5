"""What is still to be asked, in shards: the prompts that a model is given at a time."""

from collections.abc import Iterator
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.language_models.protocol import Prompt
from app.services.benchmarks.which import is_asked, tasks_by_row
from app.services.execution.programs import shown_prompt
from app.services.ordering import place
from app.storage.models import BenchmarkProblem, Completion, Generation

SHARD = 64  # prompts; a model makes its batches from them, sorted by length
SEEDS = 2**31


@dataclass(frozen=True, slots=True)
class Asked:
    """One prompt and the place of its completion."""

    problem_id: int
    sample: int
    prompt: Prompt
    entry_point: str | None


def seed_of(seed: int, key: str, sample: int) -> int:
    """What decides one sample: the same for the same generation's seed, problem and number, in whatever order."""
    return place(seed, key, sample) % SEEDS


def prompt_key(key: str, sample: int) -> str:
    """How a sample is named to a model: a replayed file is looked up by it."""
    return f"{key}#{sample}"


def wanted_samples(
    session: Session, generation: Generation, problems: list[int] | None, *, all_samples: bool = False
) -> list[Asked]:
    """All samples that this run is about; of chosen problems the first ones, or all."""
    found = select(BenchmarkProblem).where(BenchmarkProblem.benchmark_id == generation.benchmark_id, is_asked())
    if problems is not None:
        found = found.where(BenchmarkProblem.id.in_(problems))
    samples = generation.samples if problems is None or all_samples else 1
    tasks = tasks_by_row(session, generation.benchmark_id)
    return [
        _asked(generation, problem, tasks[problem.id], sample)
        for problem in session.scalars(found.order_by(BenchmarkProblem.position))
        for sample in range(samples)
    ]


def _asked(generation: Generation, problem: BenchmarkProblem, task: str, sample: int) -> Asked:
    """``task``: whose seeds it has. A prompt and what was made of it are drawn alike, sample by sample, so that
    chance is not taken for what the change did."""
    text = shown_prompt(problem, generation.prompt_mode)
    prompt = Prompt(prompt_key(problem.key, sample), text, seed_of(generation.seed, task, sample))
    return Asked(problem.id, sample, prompt, problem.entry_point)


def missing(session: Session, generation: Generation, wanted: list[Asked]) -> list[Asked]:
    """Those that no model has answered yet: what failed is asked again."""
    rows = session.execute(
        select(Completion.problem_id, Completion.sample).where(
            Completion.generation_id == generation.id, Completion.finish != "error"
        )
    )
    known = {(problem, sample) for problem, sample in rows}
    return [each for each in wanted if (each.problem_id, each.sample) not in known]


def shards(left: list[Asked]) -> Iterator[list[Asked]]:
    """Prompts of like length together, the longest first: if memory is short, it shows at once.

    The others come mixed, so that after some minutes the pace so far tells how long the rest will take.
    """
    ordered = sorted(left, key=lambda each: -len(each.prompt.text))
    later = range(SHARD, len(ordered), SHARD)
    for start in [0, *sorted(later, key=lambda start: place(0, start))]:
        yield ordered[start : start + SHARD]
