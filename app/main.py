"""The web application, made by a function: nothing happens at import."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import import_module
from pkgutil import iter_modules

from fastapi import FastAPI
from fastapi.staticfiles import StaticFiles
from fastapi.telemetry import TelemetryConfig

import app.web.routes
from app import __version__, tracing
from app.config import Settings, get_settings
from app.logs import configure_logging
from app.services import rate_limits
from app.services.perturbing.equipment import equip
from app.services.status.readiness import Readiness
from app.storage.engine import Database
from app.storage.traced import trace_statements
from app.web import errors
from app.web.access import declared_roles
from app.web.api import routes as api_routes
from app.web.api.events import EventStreams
from app.web.api.problems import ProblemsForPrograms
from app.web.body_limit import BodyLimit
from app.web.head import HeadAsGet
from app.web.known_hosts import KnownHosts
from app.web.languages import SpeakLanguage
from app.web.patience import BodyTime
from app.web.request_log import NoteRoute, RequestLog, patterns_of
from app.web.security import SameOrigin, SecurityHeaders
from app.web.templating import STATIC_DIR

# FastAPI's own traces tell paths, queries, addresses and messages, if any variable switches them on: ours don't.
SILENT: TelemetryConfig = {
    "tracing": False,
    "metrics": False,
    "logs": False,
    "operation_spans": False,
    "auto_configure": False,
}


def create_app(settings: Settings | None = None, database: Database | None = None) -> FastAPI:
    """The app for these settings; tests pass a database of their own."""
    settings = settings or get_settings()
    configure_logging(settings.effective_log_level, settings.effective_log_form)
    tracing.begin(settings.otlp_endpoint, "web")
    web = FastAPI(
        title="CodeJury",
        version=__version__,
        lifespan=_lifespan,
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        telemetry=SILENT,
    )
    equip(settings)
    web.state.settings = settings
    web.state.database = database or Database(settings.effective_database_url)
    trace_statements(web.state.database.engine)
    # The __Host- prefix needs TLS; without TLS the cookie is for one's own machine only.
    web.state.session_cookie = "__Host-codejury" if settings.https else "codejury"
    web.state.limit_clock = rate_limits.clock_of
    web.state.readiness = Readiness(settings, web.state.database)
    web.state.event_streams = EventStreams()
    web.mount("/static", StaticFiles(directory=STATIC_DIR), name="static")
    for module in iter_modules(app.web.routes.__path__):
        # As they are: an included router looks for each request's route twice, and reads every signature once more.
        web.router.routes.extend(import_module(f"app.web.routes.{module.name}").router.routes)
    web.include_router(api_routes.router)
    web.state.route_patterns = patterns_of(web)
    errors.install(web)
    web.add_middleware(NoteRoute)
    web.add_middleware(BodyTime)
    web.add_middleware(BodyLimit)
    web.add_middleware(HeadAsGet)
    web.add_middleware(SameOrigin, https=settings.https, base_url=settings.base_url)
    web.add_middleware(KnownHosts, hosts=settings.known_hosts)
    web.add_middleware(ProblemsForPrograms)
    web.add_middleware(SpeakLanguage)
    web.add_middleware(SecurityHeaders, https=settings.https)
    web.add_middleware(RequestLog)
    list(declared_roles(web))  # a route without a permission stops the start
    return web


@asynccontextmanager
async def _lifespan(web: FastAPI) -> AsyncIterator[None]:
    yield
    web.state.database.dispose()
