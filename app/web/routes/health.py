"""Is the process alive."""

from fastapi import APIRouter, Request

from app import __version__
from app.web.access import ANYONE

router = APIRouter()


@router.get("/health", dependencies=[ANYONE])
def health(request: Request) -> dict[str, str]:
    """Alive, which version, which mode."""
    return {"status": "ok", "version": __version__, "mode": request.app.state.settings.mode}
