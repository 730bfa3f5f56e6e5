"""Query parameters that an address doesn't know: passed over, a misspelt filter would answer with everything."""

from collections.abc import Iterator

from fastapi import Depends, Request
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute

from app.errors import InvalidInput, Problem
from app.web.access import MaybePrincipal
from app.words import gettext


async def _only_known(request: Request, principal: MaybePrincipal) -> None:
    route = request.scope["route"]
    if principal is None or not isinstance(route, APIRoute):
        return  # who isn't known is told so, and nothing else
    known = sorted(set(_names(route.dependant)))
    unknown = [name for name in dict.fromkeys(request.query_params) if name not in known]
    if unknown:
        remedy = (
            gettext("Known: %(names)s.", names=", ".join(known)) if known else gettext("This address takes none.")
        )
        words = gettext("There is no such parameter.")
        problems = [Problem(words, field=name, remedy=remedy) for name in unknown]
        raise InvalidInput(
            gettext("Parameters that this address doesn’t know: %(names)s.", names=", ".join(unknown)), problems
        )


def _names(dependant: Dependant) -> Iterator[str]:
    """The query parameters of a route and of all that it depends on."""
    yield from (each.alias for each in dependant.query_params)
    for each in dependant.dependencies:
        yield from _names(each)


# For the router that holds all of the API's: it stands before each route's own permission.
ONLY_KNOWN_PARAMETERS = Depends(_only_known)
