"""The run: a model is asked shard by shard, and each answer is stored about when it comes."""

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import structlog
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.errors import AppError, Conflict, NotFound
from app.language_models.protocol import Completion as Written
from app.language_models.protocol import LanguageModel, ModelError
from app.services.execution.requests import request_generation_execution
from app.services.generation.opening import take_model
from app.services.generation.parameters import sampling_of
from app.services.generation.requests import INTERACTIVE
from app.services.generation.shards import Asked, missing, shards, wanted_samples
from app.services.generation.storing import Answer, failure, store_answers
from app.services.runs import RunCancelled, RunContext, RunLost, Store, handler
from app.storage.models import Completion, Generation
from app.words import gettext, human_number, ngettext

log = structlog.get_logger()
SECONDS_A_CHUNK = 1.0


@handler("generation")
def run_generation(context: RunContext) -> Store:
    """Ask for the samples that are missing."""
    with context.database.read() as session:
        generation = session.get(Generation, context.payload["generation"])
        if generation is None:
            raise NotFound(gettext("This generation is gone."))
        all_samples = context.payload.get("all_samples", False)
        wanted = wanted_samples(session, generation, context.payload.get("problems"), all_samples=all_samples)
        left = missing(session, generation, wanted)
    if left:
        asking = Asking(context, generation, len(wanted), len(wanted) - len(left))
        asking.ask(_loaded(context, generation), left)
    return lambda session: _finish(session, context, generation, wanted)


def _loaded(context: RunContext, generation: Generation) -> LanguageModel:
    """The model, whose signature the generation bears from now on: one generation is one model."""
    context.progress(0, 0, message=gettext("Loading %(model)s …", model=generation.label))
    try:
        model = take_model(generation.spec, context.settings)
    except ModelError as error:
        raise AppError(str(error)) from error
    with context.write() as session:
        stored = session.get_one(Generation, generation.id)
        if stored.signature is None:
            stored.signature = model.signature
        elif stored.signature != model.signature:
            raise Conflict(
                gettext("The model is another one than when this generation began."),
                remedy=gettext("Start a new generation under another name, so that results of both are not mixed."),
            )
    return model


@dataclass
class Asking:
    """One run on its way through the shards."""

    context: RunContext
    generation: Generation
    total: int
    done: int
    tokens: int = 0
    failed: int = 0
    answered: int = 0
    trouble: str = ""
    began: float = field(default_factory=time.monotonic)

    def ask(self, model: LanguageModel, left: list[Asked]) -> None:
        """All shards; one that fails is noted, and the others go on."""
        self._tell()
        for shard in shards(left):
            self.context.give_way()
            for chunk in self._chunks(model, shard):
                self._store(chunk)
        if self.failed and not self.answered:
            raise AppError(self.trouble)

    def _chunks(self, model: LanguageModel, shard: list[Asked]) -> Iterator[list[Answer]]:
        """Answers of about a second at a time; what a model leaves out is a failure, too."""
        waiting = {each.prompt.key: each for each in shard}
        chunk: list[Answer] = []
        since = time.monotonic()
        for written in self._written(model, shard, waiting):
            self.context.check()
            if (asked := waiting.pop(written.key, None)) is not None:
                chunk.append((asked, written))
            if time.monotonic() - since >= SECONDS_A_CHUNK and chunk:
                yield chunk
                chunk, since = [], time.monotonic()
        yield chunk + [
            failure(each, gettext("The model gave no answer to this prompt.")) for each in waiting.values()
        ]

    def _written(self, model: LanguageModel, shard: list[Asked], waiting: dict[str, Asked]) -> Iterator[Written]:
        """What the model writes; if it falls over, failures for the prompts that it has not answered."""
        try:
            prompts, sampling = [each.prompt for each in shard], sampling_of(self.generation.sampling)
            yield from model.generate(prompts, sampling, self.context.check)
        except (RunCancelled, RunLost):
            raise
        except ModelError as error:
            trouble = str(error)
        except Exception as error:  # a model's failure costs its shard, not the others
            log.warning("shard_failed", error=type(error).__name__)
            trouble = f"{type(error).__name__}: {error}"
        else:
            return
        for asked in list(waiting.values()):
            yield failure(asked, trouble)[1]

    def _store(self, chunk: list[Answer]) -> None:
        with self.context.write() as session:
            store_answers(session, self.generation, chunk, self.context.run_id)
        failures = [written for _, written in chunk if written.finish == "error"]
        self.trouble = self.trouble or next((each.trouble or "" for each in failures), "")
        self.failed += len(failures)
        self.answered += len(chunk) - len(failures)
        self.done += len(chunk)
        self.tokens += sum(written.tokens for _, written in chunk)
        self._tell()

    def _tell(self) -> None:
        rate = self.tokens / max(time.monotonic() - self.began, 0.001)
        if self.tokens:
            words = gettext(
                "Generating with %(model)s: %(rate)s tokens a second",
                model=self.generation.label,
                rate=human_number(round(rate)),
            )
        else:
            words = gettext("Generating with %(model)s", model=self.generation.label)
        self.context.progress(self.done, self.total, unit=gettext("completions"), message=words)


def _finish(session: Session, context: RunContext, generation: Generation, wanted: list[Asked]) -> dict[str, Any]:
    """What there is now, in words; what was written goes on to the tests where that was asked for."""
    if queue := context.payload.get("execute_on"):
        stored = session.get_one(Generation, generation.id)
        is_one_sample = "problems" in context.payload and not context.payload.get("all_samples")
        request_generation_execution(
            session,
            stored,
            user_id=context.user_id,
            queue=queue,
            priority=INTERACTIVE if is_one_sample else 0,
        )
    of_generation = Completion.generation_id == generation.id
    rows = session.execute(
        select(Completion.finish, func.count(), func.sum(Completion.tokens))
        .where(of_generation)
        .group_by(Completion.finish)
    ).all()
    counts = {finish: count for finish, count, _ in rows}
    there = sum(counts.values())
    lines = [
        ngettext("%(num)s completion is stored.", "%(num)s completions are stored.", there, num=human_number(there))
    ]
    if failed := counts.get("error", 0):
        first = select(Completion.trouble).where(of_generation, Completion.finish == "error")
        trouble = session.scalar(first.order_by(Completion.id).limit(1)) or ""
        told = gettext("%(number)s of them failed; the first says:", number=human_number(failed))
        lines += [told, trouble]
    tokens = int(sum(each or 0 for _, _, each in rows))
    return {"generation": generation.id, "asked": len(wanted), "tokens": tokens, "message": "\n".join(lines)}
