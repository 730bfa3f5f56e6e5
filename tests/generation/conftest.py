"""Benchmarks to be asked, and a model that answers from a list."""

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from app.config import Settings
from app.language_models import loaded
from app.language_models.protocol import Check, Completion, ModelError, Prompt, Sampling, go_on
from app.services.generation.parameters import GenerationParameters
from app.services.runs import execute
from app.storage.engine import Database
from app.storage.models import Run

Execute = Callable[[int], Run]


class ListedModel:
    """Writes what it is told to, in its own order, and keeps what it was asked."""

    name = "listed"

    def __init__(self, signature: str = "backend:listed|version:1") -> None:
        self.signature = signature
        self.asked: list[Prompt] = []
        self.fails_at: str | None = None  # the key of a prompt at which it falls over
        self.dies_after: int | None = None  # so many answers, as a killed worker
        self.closed = False

    def generate(self, prompts: Sequence[Prompt], sampling: Sampling, check: Check = go_on) -> Iterator[Completion]:
        """The longest first, as batches come."""
        if any(each.key == self.fails_at for each in prompts):
            raise ModelError("The endpoint answers 429; ask for less at a time.")
        for prompt in reversed(prompts):
            if self.dies_after is not None and len(self.asked) >= self.dies_after:
                raise SystemExit
            self.asked.append(prompt)
            text = f"    return {prompt.seed}\n\ndef helper():\n    pass\n"
            yield Completion(prompt.key, text, "stop", len(prompt.text) // 4, 10, 0.5)

    def close(self) -> None:
        """It is let go of."""
        self.closed = True


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[ListedModel]:
    """What every spec opens."""
    model = ListedModel()
    monkeypatch.setattr(loaded, "open_model", lambda _spec: model)
    yield model
    loaded.close()


@pytest.fixture
def parameters(tmp_path: Path) -> GenerationParameters:
    """Two samples of each problem by a replayed model."""
    file = tmp_path / "completions.jsonl"
    lines = [{"task_id": f"b/{n}", "sample": s, "completion": f"    return {n}\n"} for n in range(3) for s in (0, 1)]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    spec = {"backend": "replay", "name": str(file)}
    return GenerationParameters(spec=spec, label="replayed", temperature=0.8, samples=2, seed=7, cut_rule="humaneval")


@pytest.fixture
def execute_run(database: Database, settings: Settings) -> Execute:
    """Do a run here; the row as it ended."""

    def do(run_id: int) -> Run:
        assert execute(database, settings, run_id)
        with database.read() as session:
            return session.get_one(Run, run_id)

    return do
