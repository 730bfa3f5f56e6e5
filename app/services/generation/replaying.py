"""Files of completions that CodeJury itself writes, to be replayed as a model."""

from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.config import Settings
from app.services.benchmarks.canonical import keep_canonical
from app.services.generation.opening import upload_name
from app.services.generation.parameters import REPLAY, GenerationParameters
from app.services.generation.requests import create_generation
from app.services.imports.uploads import KeptUpload
from app.storage.files import add_artifact
from app.storage.models import Artifact, Benchmark, Generation

KIND = "completions"
CANONICAL = "canonical"  # what forms and tables call them


def kept_completions(session: Session, kept: KeptUpload) -> str:
    """What a model's spec calls the file; its row is made where there is none."""
    if session.scalar(select(Artifact.id).where(Artifact.sha256 == kept.stored.sha256)) is None:
        add_artifact(session, kept.stored, kind=KIND, file_name=kept.name, media_type="application/jsonl")
    return upload_name(kept.stored.sha256)


def ask_canonical(session: Session, settings: Settings, benchmark: Benchmark, *, actor: str) -> Generation:
    """The generation that replays the canonical solutions: what it fails no model can solve.

    A set that has grown has more of them, and those of old are the same: one that was made before goes on.
    """
    kept = keep_canonical(session, settings, benchmark)
    spec = {"backend": REPLAY, "name": kept_completions(session, kept), "label": kept.name}
    known = find_canonical(session, benchmark, spec)
    return known or create_generation(session, benchmark, canonical_parameters(spec), actor=actor)


def find_canonical(session: Session, benchmark: Benchmark, spec: dict[str, Any]) -> Generation | None:
    """The one that replays the canonical solutions already, from now on those of ``spec``."""
    named = select(Generation).filter_by(benchmark_id=benchmark.id, label=CANONICAL, cut_rule="none")
    for known in session.scalars(named.order_by(Generation.id)):
        if (known.spec["backend"], known.spec.get("label")) == (REPLAY, spec["label"]):
            if known.spec != spec:
                known.spec, known.signature = spec, None
            return known
    return None


def canonical_parameters(spec: dict[str, Any]) -> GenerationParameters:
    """How they are replayed: as they are, once."""
    return GenerationParameters(spec=spec, label=CANONICAL, cut_rule="none", samples=1)


def is_canonical(generation: Generation) -> bool:
    """Whether it replays the canonical solutions: no model, but the ceiling of all."""
    return generation.spec["backend"] == REPLAY and generation.label == CANONICAL
