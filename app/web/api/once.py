"""Writes with an Idempotency-Key: done once, however often they are sent.

@router.post("/studies", dependencies=[CHANGE], status_code=201)
@once
def make_study(session: WriteSession, …) -> StudyShown: ...
"""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from hashlib import sha256
from typing import Annotated, Any

from fastapi import Depends, Header, Request, Response
from pydantic import BaseModel
from sqlalchemy.orm import Session

from app.errors import InvalidInput, Problem
from app.services import idempotency
from app.web.access import CurrentPrincipal
from app.web.api.shapes import json_text
from app.web.database import WriteSession
from app.words import gettext

HEADER = "Idempotency-Key"
REPLAYED = "Idempotent-Replayed"
LONGEST_KEY = 255

# Whoever reads a body by itself, a piece at a time, leaves its hash here.
BODY_HASH = "body_hash"


@dataclass(frozen=True, slots=True)
class Deed:
    """One write, with its transaction."""

    session: Session
    user_id: int
    status: int
    key: str | None
    request_hash: str

    def answer(self, do: Callable[[], BaseModel], *, holds_secret: bool) -> Response:
        """Do it, or answer as before. Whatever is raised undoes all of it, the key included."""
        if self.key is None:
            return _response(idempotency.Answer(self.status, json_text(do())))
        earlier = idempotency.begin(self.session, self.user_id, self.key, self.request_hash)
        if earlier is not None:
            return _response(earlier, replayed=True)
        answer = idempotency.Answer(self.status, json_text(do()))
        idempotency.finish(self.session, self.user_id, self.key, answer, holds_secret=holds_secret)
        return _response(answer)


def _response(answer: idempotency.Answer, *, replayed: bool = False) -> Response:
    headers = {REPLAYED: "true"} if replayed else {}
    return Response(answer.body, answer.status, headers, media_type="application/json")


async def _deed(
    request: Request,
    session: WriteSession,
    principal: CurrentPrincipal,
    key: Annotated[
        str | None, Header(alias=HEADER, description="Sent again with the same key, this is done once.")
    ] = None,
) -> Deed:
    assert principal.user_id is not None, "annotators have no part in the API"
    if key is not None and not (1 <= len(key) <= LONGEST_KEY and key.isascii() and key.isprintable()):
        words = gettext("A key has 1 to %(most)s ASCII characters.", most=LONGEST_KEY)
        raise InvalidInput(gettext("The idempotency key can't be used."), [Problem(words, field=HEADER)])
    status: int = getattr(request.scope["route"], "status_code", None) or 200
    return Deed(session, principal.user_id, status, key, await _hash(request))


async def _hash(request: Request) -> str:
    body: str = getattr(request.state, BODY_HASH, "") or sha256(await request.body()).hexdigest()
    return sha256("\n".join([request.method, request.url.path, request.url.query, body]).encode()).hexdigest()


CurrentDeed = Annotated[Deed, Depends(_deed)]
Route = Callable[..., BaseModel]


def once(route: Route) -> Callable[..., Response]:
    """Let the route be asked with a key. Its answer is kept with the key."""
    return _with_deed(route, holds_secret=False)


def once_secret(route: Route) -> Callable[..., Response]:
    """The same for an answer with a secret, which is told once and not kept."""
    return _with_deed(route, holds_secret=True)


def _with_deed(route: Route, *, holds_secret: bool) -> Callable[..., Response]:
    @wraps(route)
    def called(*, deed: Deed, **arguments: Any) -> Response:
        return deed.answer(lambda: route(**arguments), holds_secret=holds_secret)

    # FastAPI reads what a route wants from its signature. The deed stands last: what was sent is read before.
    own = inspect.signature(route)
    deed = inspect.Parameter("deed", inspect.Parameter.KEYWORD_ONLY, annotation=CurrentDeed)
    called.__signature__ = own.replace(parameters=[*own.parameters.values(), deed])  # type: ignore[attr-defined]
    return called
