"""The demo of models, step by step: a real small model writes for a few problems, and people grade what it wrote.

Each step looks what is there already, so that a demo that was cut goes on where it was.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from io import BytesIO
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.config import Settings
from app.errors import Conflict
from app.services.benchmarks import BenchmarkFile, Imported
from app.services.benchmarks.parts import first_rows, import_first
from app.services.benchmarks.to_study import make_study_of
from app.services.demo.replayed import replayed_lines
from app.services.execution.opening import queue_of
from app.services.execution.requests import request_generation_execution
from app.services.execution_results.pass_at_k import benchmark_results
from app.services.generation.parameters import GenerationParameters
from app.services.generation.replaying import kept_completions
from app.services.generation.requests import create_once, start_generation
from app.services.imports.uploads import KeptUpload, UploadedFile, keep
from app.services.invitation_links import create_invitation
from app.services.studies import change_state, slugify
from app.storage.models import Benchmark, Generation, Run, Study

ACTOR = "command line"
MODEL = "packaged:smollm2-135m"
SAMPLED_AT = 0.8
SEED = 7
LINK_LIFETIME = timedelta(days=30)
GREEDY, SAMPLED = "SmolLM2-135M, greedy", f"SmolLM2-135M, temperature {SAMPLED_AT}"
REPLAYED = "replayed: half right, half broken on purpose"
NOTICE = (
    "Demo of models: two of the three systems are SmolLM2-135M-Instruct, a language model of 135 million parameters; "
    "their results are what it really gives, however poor. The third is no model: it replays a file with the "
    "benchmark’s own solutions for every other problem, and for the rest solutions broken on purpose, to show what "
    "a study with successes looks like."
)


@dataclass(frozen=True, slots=True)
class ModelsDemo:
    """The first problems of a file, and how long completions may be."""

    kept: KeptUpload
    read: BenchmarkFile
    max_tokens: int

    @property
    def title(self) -> str:
        """Of the study; another number of problems is another demo."""
        return f"Demo of models, {len(self.read.rows)} problems"


def first_problems(kept: KeptUpload, read: BenchmarkFile, count: int, *, max_tokens: int) -> ModelsDemo:
    """The demo with so many problems of the file; InvalidInput where it has fewer."""
    return ModelsDemo(kept, first_rows(kept, read, count, option="--problems-count"), max_tokens)


def import_problems(session: Session, settings: Settings, demo: ModelsDemo) -> Imported:
    """The benchmark of these problems; made before, it is the same one."""
    name = demo.kept.name.partition(".")[0]
    return import_first(session, settings, demo.kept, demo.read, name=name, actor=ACTOR)


def generations(session: Session, settings: Settings, demo: ModelsDemo, benchmark: Benchmark) -> list[Generation]:
    """The three systems of the demo: those that are there already, and the others made now."""
    upload = keep(settings, [UploadedFile("replayed.jsonl", BytesIO(replayed_lines(demo.read.rows)))])
    wanted = list(_parameters(demo, kept_completions(session, upload)))
    return [create_once(session, benchmark, each, actor=ACTOR) for each in wanted]


def _parameters(demo: ModelsDemo, replayed: str) -> Iterator[GenerationParameters]:
    common: dict[str, Any] = {"max_tokens": demo.max_tokens, "seed": SEED}
    model = common | {"spec": {"backend": "hugging_face", "name": MODEL}}
    yield GenerationParameters(label=GREEDY, **model)
    yield GenerationParameters(label=SAMPLED, temperature=SAMPLED_AT, **model)
    replay = {"backend": "replay", "name": replayed}
    yield GenerationParameters(label=REPLAYED, spec=replay, cut_rule="none", **common)


def write(session: Session, generation: Generation) -> Run:
    """Ask for what is missing of a generation; without anything missing the model isn't even loaded."""
    return start_generation(session, session.get_one(Generation, generation.id))


def judge(session: Session, settings: Settings, generation: Generation) -> Run:
    """Run the completions that have no verdict yet."""
    return request_generation_execution(session, generation, queue=queue_of(settings))


def find_demo_study(session: Session, demo: ModelsDemo) -> Study | None:
    """The demo's study, if it was made before."""
    return session.scalar(select(Study).where(Study.slug == slugify(demo.title)))


def make_demo_study(
    session: Session, settings: Settings, demo: ModelsDemo, benchmark: Benchmark, systems: Sequence[Generation]
) -> Run:
    """The study, open, with what its results are in a notice on each page; the run gives its outputs verdicts."""
    about: dict[str, Any] = {"title": demo.title, "seed": SEED, "queue": queue_of(settings)}
    # References would be the very texts that are replayed, graded to check annotators instead of to compare systems.
    of_study = {"notice": NOTICE, "include_references": False}
    study, run = make_study_of(session, benchmark, systems, actor=ACTOR, of_study=of_study, **about)
    change_state(session, study, "open")
    return run


def invite(session: Session, study: Study) -> str:
    """The secret of an invitation to the demo; Conflict where it is not open."""
    if study.state != "open":
        raise Conflict(f"The study {study.slug} is not open.", remedy="Open it on its desk.")
    return create_invitation(session, ACTOR, study, label="codejury demo models", lifetime=LINK_LIFETIME)


def results_in_words(session: Session, benchmark: Benchmark) -> list[str]:
    """pass@1 of each system with its interval, and what became of its completions."""
    return [_in_words(each) for each in benchmark_results(session, benchmark)["models"]]


def _in_words(model: dict[str, Any]) -> str:
    at_one, outcomes = model["pass_at_k"][0], model["generations"][0]["outcomes"]
    counted = ", ".join(f"{count} {verdict}" for verdict, count in outcomes.items())
    estimate = at_one["estimate"]
    if estimate["value"] is None:
        return f"{model['name']}: pass@1 undefined ({counted})"
    told = f"{model['name']}: pass@1 {100 * estimate['value']:.1f} %"
    if estimate["low"] is not None:
        told += f", 95 % interval {100 * estimate['low']:.1f} to {100 * estimate['high']:.1f} %"
    return f"{told}, over {at_one['problems']} problems ({counted})"
