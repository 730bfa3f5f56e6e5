"""Who may use a route. Every route declares exactly one of these, and the app refuses to start otherwise.

router = APIRouter()

@router.get("/studies", dependencies=[RESEARCHER])
def list_studies(...): ...
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any

from fastapi import BackgroundTasks, Depends, FastAPI, Request
from fastapi.routing import APIRoute, RouteContext, iter_route_contexts
from starlette.routing import Mount

from app.errors import NotPermitted, SignInNeeded
from app.services import accounts, sign_ins
from app.storage.engine import Database
from app.web.cookies import session_token
from app.web.database import database_of
from app.web.head import is_head
from app.words import gettext


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


def current_principal(request: Request, background: BackgroundTasks) -> accounts.Principal | None:
    """The person behind the session cookie; None when nobody is signed in."""
    # A session of its own, closed at once: a request that kept a connection while it waits for a thread would, with
    # enough others, leave none for those that have a thread, and all would wait for each other.
    with database_of(request).glance() as session:
        principal = accounts.find_principal(session, session_token(request))
    if principal and not is_head(request) and sign_ins.needs_touch(principal.last_seen_at):
        # After the answer: noting the time must neither delay a page nor wait for a writer.
        background.add_task(_touch, database_of(request), principal.sign_in_id)
    request.state.principal = principal
    return principal


def _touch(database: Database, sign_in_id: int) -> None:
    with database.write() as session:
        sign_ins.touch(session, sign_in_id)


MaybePrincipal = Annotated[accounts.Principal | None, Depends(current_principal)]


@dataclass(frozen=True)
class Requires:
    """The dependency that guards a route; its ``role`` is what tests read."""

    role: Role

    # async, as a thread for so little would cost more than it does
    async def __call__(self, principal: MaybePrincipal) -> None:
        if self.role is Role.ANYONE:
            return
        if principal is None:
            raise SignInNeeded(gettext("This page needs you to be signed in."))
        if principal.role not in GRANTS[self.role]:
            raise NotPermitted(
                gettext("Your account may not open this page."), remedy=gettext("Ask an admin of this installation.")
            )


async def signed_in(principal: MaybePrincipal) -> accounts.Principal:
    """The principal of a guarded route."""
    if principal is None:
        raise SignInNeeded(gettext("This page needs you to be signed in."))
    return principal


CurrentPrincipal = Annotated[accounts.Principal, Depends(signed_in)]


def annotator_id(principal: accounts.Principal) -> int:
    """The annotator behind a guarded route."""
    if principal.annotator_id is None:
        raise SignInNeeded(gettext("Open your personal link to grade."))
    return principal.annotator_id


ANYONE = Depends(Requires(Role.ANYONE))
ANNOTATOR = Depends(Requires(Role.ANNOTATOR))
RESEARCHER = Depends(Requires(Role.RESEARCHER))
ADMIN = Depends(Requires(Role.ADMIN))


@dataclass(frozen=True)
class DeclaredRoute:
    """A route as it is served, and the one role that it asks for."""

    path: str
    methods: frozenset[str]
    role: Role


def declared_roles(app: FastAPI) -> Iterator[DeclaredRoute]:
    """Each route with its one declared role; RuntimeError names a route that declares none or several."""
    for route in iter_route_contexts(app.routes):  # app.routes alone hides what included routers serve
        if isinstance(route.original_route, Mount) and route.path == "/static":
            continue
        roles = _roles_of(route)
        if len(roles) != 1:
            raise RuntimeError(f"{route.path} declares {len(roles)} permissions; a route declares exactly one.")
        yield DeclaredRoute(route.path or "", frozenset(route.methods or ()), roles[0])


def _roles_of(route: RouteContext) -> list[Role]:
    if not isinstance(route.original_route, APIRoute):
        return []  # a mount, a socket or a bare Starlette route is guarded by nothing
    return [guard.role for guard in map(_guard, route.dependencies) if guard]


def _guard(dependency: Any) -> Requires | None:
    call: Callable[..., Any] | None = dependency.dependency
    return call if isinstance(call, Requires) else None
