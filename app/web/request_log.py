"""One line for each request, and a number by which it is found again: in the logs, in the answer, on an error's page.

``RequestLog`` stands outside all other middlewares, ``NoteRoute`` inside all of them: those between hand on copies of
the scope, so what the router finds is noted in a record that all copies share.
"""

import re
import time
from dataclasses import dataclass, field

import structlog
from fastapi import FastAPI, Request
from fastapi.routing import iter_route_contexts
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app import tracing
from app.ids import new_opaque_id
from app.web import traffic

HEADER = "X-Request-ID"
# A proxy's own number is taken over; whatever else somebody sends must not come into the logs.
SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{7,63}")
SLUG = re.compile(r"[a-z0-9-]{1,80}")
KEY = "codejury.request"
STATIC, UNKNOWN = "/static", "none"
# They come every few seconds and say nothing unless they fail.
PROBES = frozenset({"/health", "/ready", "/metrics", STATIC})

log = structlog.get_logger()


@dataclass(slots=True)
class RequestRecord:
    """What is known of one request; ``route`` is the pattern, since a path may hold the secret of a link."""

    id: str
    method: str
    route: str = UNKNOWN
    study: str | None = None
    status: int = 500
    began: float = field(default_factory=time.perf_counter)
    seconds: float = 0.0


def record_of(request: Request) -> RequestRecord:
    """The record of this request."""
    record: RequestRecord = request.scope[KEY]
    return record


class RequestLog:
    """Number, time, count, trace and log each request."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        record = scope[KEY] = RequestRecord(_id_of(scope), scope["method"])

        async def noted(message: Message) -> None:
            if message["type"] == "http.response.start":
                record.status, record.seconds = message["status"], time.perf_counter() - record.began
                MutableHeaders(scope=message)[HEADER] = record.id
            await send(message)

        with structlog.contextvars.bound_contextvars(request=record.id), tracing.request_span() as span:
            try:
                await self.app(scope, receive, noted)
            finally:
                record.seconds = record.seconds or time.perf_counter() - record.began
                tracing.describe_request(span, record.method, record.route, record.status, record.id)
                traffic.count(record.method, record.route, record.status, record.seconds)
                _write(record)


class NoteRoute:
    """Note which route the router found."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await self.app(scope, receive, send)
        finally:
            if scope["type"] == "http":
                note_route(scope)


def patterns_of(web: FastAPI) -> dict[int, str]:
    """The whole pattern of each route: one of an included router knows only its own part."""
    return {id(each.original_route): each.path or UNKNOWN for each in iter_route_contexts(web.routes)}


def note_route(scope: Scope) -> None:
    """Take over what the router found; whoever answers a failure comes before NoteRoute does."""
    record: RequestRecord = scope[KEY]
    if scope["path"].startswith(f"{STATIC}/"):
        record.route = STATIC
    elif "route" in scope:
        record.route = scope["app"].state.route_patterns.get(id(scope["route"]), UNKNOWN)
        record.study = scope.get("path_params", {}).get("slug")


def _id_of(scope: Scope) -> str:
    sent = Headers(scope=scope).get(HEADER, "")
    return sent if SAFE.fullmatch(sent) else new_opaque_id()


def _write(record: RequestRecord) -> None:
    if record.route in PROBES and record.status < 500:
        return
    about = {"method": traffic.known_method(record.method), "route": record.route, "status": record.status}
    if record.study and SLUG.fullmatch(record.study) and record.status < 400:  # else it may be anything
        about["study"] = record.study
    log.info("request", **about, ms=round(1000 * record.seconds, 1))
