"""Who may use a route. Every route declares exactly one of these, and the app refuses to start otherwise.

router = APIRouter()

@router.get("/studies", dependencies=[RESEARCHER])
def list_studies(...): ...
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any

from fastapi import Depends, FastAPI, Request
from fastapi.routing import APIRoute

from app.errors import NotPermitted, SignInNeeded
from app.services import accounts
from app.web.database import database_of


class Role(StrEnum):
    """What a principal may be; ANYONE includes people who are not signed in."""

    ANYONE = "anyone"
    ANNOTATOR = "annotator"
    RESEARCHER = "researcher"
    ADMIN = "admin"


# An admin may do whatever a researcher may; an annotator is a thing of its own.
GRANTS: dict[Role, frozenset[str]] = {
    Role.ANNOTATOR: frozenset({"annotator"}),
    Role.RESEARCHER: frozenset({"researcher", "admin"}),
    Role.ADMIN: frozenset({"admin"}),
}


def current_principal(request: Request) -> accounts.Principal | None:
    """The person behind the session cookie; None when nobody is signed in."""
    # A session of its own, closed at once: a request that kept a connection while it waits for a thread would, with
    # enough others, leave none for those that have a thread, and all would wait for each other.
    with database_of(request).read() as session:
        principal = accounts.principal_of(session, request.cookies.get(request.app.state.session_cookie))
    request.state.principal = principal
    return principal


MaybePrincipal = Annotated[accounts.Principal | None, Depends(current_principal)]


@dataclass(frozen=True)
class Requires:
    """The dependency that guards a route; its ``role`` is what tests read."""

    role: Role

    def __call__(self, principal: MaybePrincipal) -> None:
        if self.role is Role.ANYONE:
            return
        if principal is None:
            raise SignInNeeded("This page needs you to be signed in.")
        if principal.role not in GRANTS[self.role]:
            raise NotPermitted("Your account may not open this page.", remedy="Ask an admin of this installation.")


def signed_in(principal: MaybePrincipal) -> accounts.Principal:
    """The principal of a guarded route."""
    if principal is None:
        raise SignInNeeded("This page needs you to be signed in.")
    return principal


CurrentPrincipal = Annotated[accounts.Principal, Depends(signed_in)]

ANYONE = Depends(Requires(Role.ANYONE))
ANNOTATOR = Depends(Requires(Role.ANNOTATOR))
RESEARCHER = Depends(Requires(Role.RESEARCHER))
ADMIN = Depends(Requires(Role.ADMIN))


def declared_roles(app: FastAPI) -> Iterator[tuple[APIRoute, Role]]:
    """Each route with its one declared role; RuntimeError names a route that declares none or several."""
    for route in app.routes:
        if not isinstance(route, APIRoute):
            continue
        roles = [guard.role for guard in map(_guard, route.dependencies) if guard]
        if len(roles) != 1:
            raise RuntimeError(f"{route.path} declares {len(roles)} permissions; a route declares exactly one.")
        yield route, roles[0]


def _guard(dependency: Any) -> Requires | None:
    call: Callable[..., Any] | None = dependency.dependency
    return call if isinstance(call, Requires) else None
