"""Who may use a route. Every route declares exactly one of these, and the app refuses to start otherwise.

router = APIRouter()

@router.get("/studies", dependencies=[RESEARCHER])
def list_studies(...): ...
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from secrets import compare_digest
from typing import Annotated, Any

from fastapi import BackgroundTasks, Depends, FastAPI, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.routing import APIRoute, RouteContext, iter_route_contexts
from sqlalchemy.orm import Session
from starlette.routing import Mount

from app.errors import NotFound, NotPermitted, SignInNeeded
from app.services import accounts, api_tokens, sign_ins
from app.services.sitting import Sitting
from app.storage.engine import Database, locks_rows
from app.web.cookies import session_token
from app.web.database import database_of
from app.web.head import is_head
from app.web.tries import count_wrong_token
from app.words import gettext


class Role(StrEnum):
    """What a principal may be; ANYONE includes people who are not signed in."""

    ANYONE = "anyone"
    ANNOTATOR = "annotator"
    RESEARCHER = "researcher"
    ADMIN = "admin"
    SCRAPER = "scraper"  # no person, but whoever bears the token of CODEJURY_METRICS_TOKEN


# An admin may do whatever a researcher may; an annotator is a thing of its own.
GRANTS: dict[Role, frozenset[str]] = {
    Role.ANNOTATOR: frozenset({"annotator"}),
    Role.RESEARCHER: frozenset({"researcher", "admin"}),
    Role.ADMIN: frozenset({"admin"}),
    Role.SCRAPER: frozenset(),
}


def current_principal(request: Request, background: BackgroundTasks) -> accounts.Principal | None:
    """The person behind the session cookie, or behind a program's token; None when nobody is signed in."""
    token = bearer_token(request)
    # A connection given back at once: a request that kept one while it waits for a thread would, with enough others,
    # leave none for those that have a thread, and all would wait for each other.
    with database_of(request).glance() as connection:
        if token is None:
            principal = accounts.find_principal(connection, session_token(request))
        else:
            principal = api_tokens.find_bearer(connection, token)
    if token is not None and principal is None:
        count_wrong_token(request)
        raise SignInNeeded(
            gettext("This token is unknown, has expired or was revoked."),
            remedy=gettext("Make a new one on the page API tokens of your account."),
        )
    return _noted(request, background, principal)


def _noted(
    request: Request, background: BackgroundTasks, principal: accounts.Principal | None
) -> accounts.Principal | None:
    """The same, known to the request; that they were seen is stored now and then."""
    if principal and not is_head(request) and sign_ins.needs_touch(principal.last_seen_at):
        # After the answer: noting the time must neither delay a page nor wait for a writer.
        background.add_task(_touch, database_of(request), principal)
    request.state.principal = principal
    return principal


def bearer_token(request: Request) -> str | None:
    """The token that a program sends; it counts before any cookie."""
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    return token.strip() if kind.lower() == "bearer" else None


def _touch(database: Database, principal: accounts.Principal) -> None:
    with database.write() as session:
        if principal.token_id is not None:
            api_tokens.touch_token(session, principal.token_id)
        elif principal.sign_in_id is not None:
            sign_ins.touch(session, principal.sign_in_id)


MaybePrincipal = Annotated[accounts.Principal | None, Depends(current_principal)]


@dataclass(frozen=True)
class Requires:
    """The dependency that guards a route; its ``role`` is what tests read.

    ``scope``: what a token must be for besides. Without one the route is a page, which no token opens.
    """

    role: Role
    scope: api_tokens.Scope | None = None

    # async, as a thread for so little would cost more than it does
    async def __call__(self, principal: MaybePrincipal) -> None:
        if self.role is not Role.ANYONE:
            self.check(principal)

    def check(self, principal: accounts.Principal | None) -> accounts.Principal:
        """The principal, who may; SignInNeeded and NotPermitted tell everybody else."""
        if principal is None:
            raise SignInNeeded(self._sign_in())
        if principal.role not in GRANTS[self.role]:
            raise NotPermitted(self._refusal(), remedy=gettext("Ask an admin of this installation."))
        if principal.scopes is not None:
            self._check_scope(principal.scopes)
        return principal

    def _sign_in(self) -> str:
        if self.scope is None:
            return gettext("This page needs you to be signed in.")
        return gettext("The API needs a token, or you to be signed in.")

    def _refusal(self) -> str:
        if self.scope is None:
            return gettext("Your account may not open this page.")
        return gettext("Your account may not do this.")

    def _check_scope(self, scopes: frozenset[str]) -> None:
        if self.scope is None:
            raise NotPermitted(gettext("Tokens are for the API."), remedy=gettext("Sign in to open this page."))
        if self.scope not in scopes:
            raise NotPermitted(
                gettext("This token lacks the scope %(scope)s.", scope=self.scope.value),
                remedy=gettext("Make one that has it on the page API tokens of your account."),
            )


class Unasked(Requires):
    """ANYONE without a look at who asks, which needs the database."""

    async def __call__(self) -> None:  # type: ignore[override]
        """Let everybody through."""


class AsksItself(Requires):
    """For a route that is asked so often that a second change of threads counts: it looks who asks in its own.

    Until it has called ``seat`` it must believe nothing and tell nothing.
    """

    async def __call__(self) -> None:  # type: ignore[override]
        """Leave it to the route."""

    def seat(self, request: Request, background: BackgroundTasks, session: Session) -> Sitting:
        """The annotator who asks, if they may, held until the transaction ends. It must not have begun.

        On a database that is asked over a connection that is one statement. SQLite's writers are kept waiting by no
        look who asks.
        """
        if bearer_token(request) is not None or not locks_rows(session):
            principal = current_principal(request, background)
        elif seated := Sitting.signed_in(session, session_token(request)):
            sitting, known = seated
            self.check(_noted(request, background, known))
            return sitting
        else:  # of this connection, since whoever waits for a second one while keeping one may wait for ever
            found = accounts.find_principal(session, session_token(request))
            principal = _noted(request, background, found)
        return Sitting.held(session, annotator_id(self.check(principal)))


class BearsMetricsToken(Requires):
    """SCRAPER: a secret of the settings, so that it is known while the database is away."""

    async def __call__(self, request: Request) -> None:  # type: ignore[override]
        """NotFound where there is no such token, since then nothing is served."""
        wanted, given = request.app.state.settings.metrics_token, bearer_token(request)
        if wanted is None:
            raise NotFound(gettext("There is no page at this address."))
        if given is not None and compare_digest(given.encode(), wanted.get_secret_value().encode()):
            return
        if given is not None:
            await run_in_threadpool(count_wrong_token, request)
        raise NotPermitted(
            gettext("This is for programs that collect measurements."),
            remedy=gettext("Send the token of CODEJURY_METRICS_TOKEN as a bearer token."),
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


UNASKED = Depends(Unasked(Role.ANYONE))
ANYONE = Depends(Requires(Role.ANYONE))
ANNOTATOR = Depends(Requires(Role.ANNOTATOR))
RESEARCHER = Depends(Requires(Role.RESEARCHER))
ADMIN = Depends(Requires(Role.ADMIN))
SCRAPER = Depends(BearsMetricsToken(Role.SCRAPER))


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
