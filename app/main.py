"""The web application, made by a function: nothing happens at import."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import import_module
from pkgutil import iter_modules

from fastapi import FastAPI
from fastapi.staticfiles import StaticFiles
from starlette.middleware.trustedhost import TrustedHostMiddleware

import app.web.routes
from app import __version__
from app.config import Settings, get_settings
from app.logs import configure_logging
from app.services.sign_in_limits import SignInLimits
from app.storage.engine import Database
from app.web import errors
from app.web.access import declared_roles
from app.web.body_limit import BodyLimit
from app.web.head import HeadAsGet
from app.web.languages import SpeakLanguage
from app.web.security import SameOrigin, SecurityHeaders
from app.web.templating import STATIC_DIR


def create_app(settings: Settings | None = None, database: Database | None = None) -> FastAPI:
    """The app for these settings; tests pass a database of their own."""
    configure_logging()
    settings = settings or get_settings()
    web = FastAPI(
        title="CodeJury",
        version=__version__,
        lifespan=_lifespan,
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
    )
    web.state.settings = settings
    web.state.database = database or Database(settings.effective_database_url)
    # The __Host- prefix needs TLS; without TLS the cookie is for one's own machine only.
    web.state.session_cookie = "__Host-codejury" if settings.https else "codejury"
    web.state.sign_in_limits = SignInLimits()
    web.mount("/static", StaticFiles(directory=STATIC_DIR), name="static")
    for module in iter_modules(app.web.routes.__path__):
        web.include_router(import_module(f"app.web.routes.{module.name}").router)
    errors.install(web)
    web.add_middleware(BodyLimit)
    web.add_middleware(HeadAsGet)
    web.add_middleware(SameOrigin, https=settings.https, base_url=settings.base_url)
    web.add_middleware(TrustedHostMiddleware, allowed_hosts=settings.known_hosts, www_redirect=False)
    web.add_middleware(SpeakLanguage)
    web.add_middleware(SecurityHeaders, https=settings.https)
    list(declared_roles(web))  # a route without a permission stops the start
    return web


@asynccontextmanager
async def _lifespan(web: FastAPI) -> AsyncIterator[None]:
    yield
    web.state.database.dispose()
