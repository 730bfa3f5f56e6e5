"""Kinds of run that only tests ask for. Each stores what it did as audit events, which count every execution."""

import os
import signal
import time
from collections.abc import Callable, Iterator

from sqlalchemy import event, func, select
from sqlalchemy.orm import Session

from app.errors import InvalidInput, Problem
from app.services.runs import RunContext, Store, handler
from app.storage.files import FileStore, add_artifact
from app.storage.models import AuditEvent


def stored(session: Session, public_id: str) -> int:
    """How many steps of that run are stored."""
    return session.scalar(select(func.count()).where(AuditEvent.actor == public_id)) or 0


def record(context: RunContext, action: str) -> AuditEvent:
    return AuditEvent(actor=context.public_id, action=action, details={"process": os.getpid()})


@handler("test.echo")
def echo(context: RunContext) -> Store:
    def store(session: Session) -> dict[str, object]:
        session.add(record(context, "echo"))
        return {"message": context.payload.get("say", "Done.")}

    return store


@handler("test.steps")
def steps(context: RunContext) -> Store:
    """Store one event a step, going on where an earlier attempt stopped."""
    total = context.payload["total"]
    with context.database.read() as session:
        begin = stored(session, context.public_id)
    for step in range(begin, total):
        with context.write() as session:
            session.add(record(context, f"step {step}"))
        context.progress(step + 1, total, unit="steps")
        time.sleep(context.payload["seconds"])
    return lambda _session: {"message": f"{total - begin} steps in this attempt"}


@handler("test.silent")
def silent(context: RunContext) -> Store:
    """Compute without a word, but look now and then whether the run is still wanted."""
    return _until(context, context.check)


@handler("test.deaf")
def deaf(context: RunContext) -> Store:
    """Compute without a word and without looking."""
    return _until(context, lambda: None)


def _until(context: RunContext, look: Callable[[], None]) -> Store:
    end = time.monotonic() + context.payload["seconds"]
    while time.monotonic() < end:
        look()
        time.sleep(0.05)
    return lambda session: session.add(record(context, "end")) or {}


@handler("test.refuse")
def refuse(context: RunContext) -> Store:
    raise InvalidInput("Two rows are bad.", [Problem("no output.", row=2), Problem("no intent.", row=5)])


@handler("test.break")
def break_down(context: RunContext) -> Store:
    raise ZeroDivisionError("a bug")


@handler("test.crash")
def crash(context: RunContext) -> Store:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError("unreachable")


def die(*_: object) -> None:
    """As when the system takes the memory: no line of this process runs any more."""
    os.kill(os.getpid(), signal.SIGKILL)


@handler("test.file")
def make_file(context: RunContext) -> Store:
    """Store a file, and tell of it with the end. ``die``: where the first attempt does so; ``seconds``: the file is
    stored so long before its row."""
    files = FileStore(context.settings.artifacts_dir)
    point = context.payload.get("die") if context.fence == 1 else None
    stored = files.save(_chunks(context, die if point == "mid_file" else lambda: None))
    time.sleep(context.payload.get("seconds", 0))

    def store(session: Session) -> dict[str, object]:
        session.add(record(context, "file"))
        add_artifact(session, stored, kind="export", file_name="f.zip", media_type="application/zip")
        session.flush()
        if point == "before_commit":
            die()
        if point == "after_commit":
            event.listen(session, "after_commit", die)
        return {"message": "Made."}

    return store


def _chunks(context: RunContext, halfway: Callable[[], None]) -> Iterator[bytes]:
    yield context.public_id.encode()
    halfway()
    yield str(context.fence).encode()  # so that a late attempt's file is another one
