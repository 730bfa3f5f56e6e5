"""Limits on how often: refused before the body is read and the work begins. Grading asks for none of this."""

from collections.abc import Callable, Iterator

from fastapi import Depends, Request

from app.errors import UnknownLink
from app.services import rate_limits
from app.services.rate_limits import EXPORTS, TRIES, UPLOADS, WRONG_LINKS, Use, network_of
from app.web.access import CurrentPrincipal
from app.web.head import is_head
from app.web.tries import address_of, admit, refuse_waiting


def _wrong_links(request: Request) -> Iterator[None]:
    """Links that don't work are counted for the address that tries them."""
    uses = [Use(WRONG_LINKS, (network_of(address_of(request)),))]
    refuse_waiting(request, uses)
    try:
        yield
    except UnknownLink:
        if not is_head(request):
            admit(request, uses)
        raise


def _steady(limit: rate_limits.Steady) -> Callable[[Request, CurrentPrincipal], None]:
    def count(request: Request, principal: CurrentPrincipal) -> None:
        admit(request, [Use(limit, (principal.actor,))])

    return count


# For the dependencies of a route, after its permission.
LIMITED_LINK = Depends(_wrong_links)
LIMITED_UPLOADS = Depends(_steady(UPLOADS))
LIMITED_EXPORTS = Depends(_steady(EXPORTS))
LIMITED_TRIES = Depends(_steady(TRIES))
