"""Is the process alive; is all there that it needs. Nobody is asked who they are: that would need a database."""

import asyncio

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse

from app import __version__
from app.services.status.readiness import Readiness
from app.web.access import UNASKED

router = APIRouter()


@router.get("/health", dependencies=[UNASKED])
async def health(request: Request) -> dict[str, str]:
    """Alive, which version, which mode."""
    return {"status": "ok", "version": __version__, "mode": request.app.state.settings.mode}


@router.get("/ready", dependencies=[UNASKED])
async def ready(request: Request) -> JSONResponse:
    """200 when all of it works, 503 when something is away; what, by name."""
    readiness: Readiness = request.app.state.readiness
    checks = await asyncio.to_thread(readiness.checks)
    is_ready = all(check.is_good for check in checks.values())
    body = {
        "status": "ready" if is_ready else "not ready",
        "checks": {name: check.state for name, check in checks.items()},
    }
    return JSONResponse(body, 200 if is_ready else 503)
