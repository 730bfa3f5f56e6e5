"""Completions as rows."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import delete
from sqlalchemy.orm import Session

from app.language_models.protocol import Completion as Written
from app.services.generation.opening import cut_text
from app.services.generation.shards import Asked
from app.services.imports.storable import legible
from app.services.imports.store_material import insert_all
from app.storage.models import Completion, Generation
from app.words import gettext

Answer = tuple[Asked, Written]


def store_answers(session: Session, generation: Generation, answers: Sequence[Answer], run_id: int) -> None:
    """Add what a model wrote. Only a failure is ever replaced."""
    for asked, _ in answers:
        place = (Completion.problem_id == asked.problem_id, Completion.sample == asked.sample)
        failed = (Completion.generation_id == generation.id, Completion.finish == "error")
        session.execute(delete(Completion).where(*failed, *place))
    insert_all(session, Completion, [_row(generation, *each, run_id) for each in answers])


def failure(asked: Asked, trouble: str) -> Answer:
    """What is stored where a model could not be asked."""
    return asked, Written(asked.prompt.key, "", "error", 0, 0, 0.0, trouble)


def _row(generation: Generation, asked: Asked, written: Written, run_id: int) -> dict[str, Any]:
    raw, trouble = legible(written.text), written.trouble
    if raw != written.text:
        trouble = gettext("It holds characters that no database keeps; they are written as escapes.")
    is_failure = written.finish == "error"
    text = "" if is_failure else cut_text(generation.cut_rule, raw, asked.prompt.text, asked.entry_point)
    return {
        "generation_id": generation.id,
        "problem_id": asked.problem_id,
        "sample": asked.sample,
        "seed": asked.prompt.seed,
        "raw": raw,
        "text": text,
        "finish": written.finish,
        "trouble": None if trouble is None else legible(trouble),
        "prompt_tokens": written.prompt_tokens,
        "tokens": written.tokens,
        "seconds": written.seconds,
        "run_id": run_id,
    }
