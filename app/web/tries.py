"""Tries that are counted, for whom they count, and the refusal of one that has to wait."""

from collections.abc import Callable, Sequence

from fastapi import Request
from sqlalchemy.orm import Session

from app.errors import TooMany
from app.services import rate_limits
from app.services.rate_limits import WRONG_TOKENS, Use, network_of
from app.web.database import database_of
from app.web.head import is_head
from app.words import ngettext


def address_of(request: Request) -> str:
    """Where a request comes from, as the server (and a proxy that it trusts) says."""
    return request.client.host if request.client else ""


def now_of(request: Request, session: Session) -> float:
    """The time by which limits go; tests hold it."""
    clock: Callable[[Session], float] = request.app.state.limit_clock
    return clock(session)


def admit(request: Request, uses: Sequence[Use]) -> None:
    """Count one try; TooMany when it has to wait."""
    refuse_waiting(request, uses)
    with database_of(request).write() as session:
        wait = rate_limits.admit(session, uses, now_of(request, session))
    if wait > 0:
        raise too_many(wait)


def refuse_waiting(request: Request, uses: Sequence[Use]) -> None:
    """TooMany when a try would have to wait; nothing is counted."""
    with database_of(request).read() as session:
        wait = rate_limits.must_wait(session, uses, now_of(request, session))
    if wait > 0:
        raise too_many(wait)


def too_many(wait: float) -> TooMany:
    """The refusal, in words."""
    error = TooMany("", wait)
    error.message = ngettext(
        "Too many tries. Wait %(num)s second, then try again.",
        "Too many tries. Wait %(num)s seconds, then try again.",
        error.seconds,
    )
    return error


def count_wrong_token(request: Request) -> None:
    """A token that opens nothing counts for the address that tries it; one that is right is never asked about."""
    uses = [Use(WRONG_TOKENS, (network_of(address_of(request)),))]
    if is_head(request):
        refuse_waiting(request, uses)
    else:
        admit(request, uses)
