"""A study's events as a stream (server-sent events), from wherever the listener left off."""

import asyncio
import json
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Header, Query, Request, Response
from starlette.concurrency import run_in_threadpool
from starlette.responses import StreamingResponse

from app.errors import Busy, InvalidInput, Problem
from app.services.events import events_after, newest_event
from app.services.studies import find_study
from app.storage.engine import Database
from app.storage.models import StudyEvent
from app.web.api.permissions import READ_GRADES
from app.web.database import database_of
from app.web.head import is_head
from app.web.parameters import LAST_ROW
from app.words import gettext

router = APIRouter(tags=["events"])

MEDIA_TYPE = "text/event-stream"
LOOK_SECONDS = 1.0
RETRY_MS = 1_000
STREAM: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "Events, each with `id`, `event` (its kind) and `data` (JSON). The stream ends after half a "
        "minute: come again with the header Last-Event-ID, as every reader of server-sent events does by itself.",
        "content": {MEDIA_TYPE: {"schema": {"type": "string"}}},
    }
}


@dataclass
class EventStreams:
    """The streams of this process: so many at the most, and each for so long.

    A stream that ends soon lets a server stop, and learns soon that its token was revoked; coming again costs little.
    """

    most: int = 50
    seconds: float = 30.0
    open: int = 0

    def enter(self) -> None:
        """One more; Busy where there are enough."""
        if self.open >= self.most:
            raise Busy(gettext("Too many programs listen just now."), remedy=gettext("Try again in a few seconds."))
        self.open += 1


@router.get("/studies/{slug}/events", dependencies=[READ_GRADES], response_class=Response, responses=STREAM)
async def stream_events(
    request: Request,
    slug: str,
    last_event_id: Annotated[str | None, Header(description="Go on after this event.", max_length=20)] = None,
    after: Annotated[
        int | None, Query(ge=0, le=LAST_ROW, description="The same, for a first listening; 0: all that is kept.")
    ] = None,
) -> Response:
    """Runs that ended, grades that came, a target that was met, a new state. Without a number: from now on."""
    database, streams = database_of(request), request.app.state.event_streams
    start = await run_in_threadpool(_start, database, slug, _number(last_event_id) if last_event_id else after)
    if is_head(request):
        return Response(media_type=MEDIA_TYPE)
    streams.enter()
    return StreamingResponse(_stream(database, streams, slug, start), media_type=MEDIA_TYPE)


def _number(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and int(text) <= LAST_ROW):
        words = gettext("This is no event of ours: send the id of the last one that came.")
        raise InvalidInput(gettext("There is no such event."), [Problem(words, field="Last-Event-ID")])
    return int(text)


def _start(database: Database, slug: str, wanted: int | None) -> int:
    with database.read() as session:
        study = find_study(session, slug)
        return newest_event(session, study) if wanted is None else wanted


async def _stream(database: Database, streams: EventStreams, slug: str, last: int) -> AsyncIterator[str]:
    """Look again every second. No connection to the database is held meanwhile."""
    try:
        yield f"retry: {RETRY_MS}\nid: {last}\n\n"  # where to go on, even when nothing comes
        ends_at = time.monotonic() + streams.seconds
        while True:
            found = await run_in_threadpool(_look, database, slug, last)
            for event in found:
                last = event.id
                yield _told(event)
            if time.monotonic() >= ends_at:
                return
            if not found:
                yield ": nothing new\n\n"  # so that a connection that is gone is noticed
                await asyncio.sleep(LOOK_SECONDS)
    finally:
        streams.open -= 1


def _look(database: Database, slug: str, last: int) -> list[StudyEvent]:
    with database.read() as session:
        return events_after(session, find_study(session, slug), last)


def _told(event: StudyEvent) -> str:
    data = event.data | {"at": event.created_at.strftime("%Y-%m-%dT%H:%M:%SZ")}
    return f"id: {event.id}\nevent: {event.kind}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n"
