"""``/metrics`` for Prometheus."""

from fastapi import APIRouter, Request
from prometheus_client import CONTENT_TYPE_LATEST
from starlette.responses import Response

from app.web.access import SCRAPER
from app.web.database import database_of
from app.web.exposition import exposition

router = APIRouter()


@router.get("/metrics", dependencies=[SCRAPER])
def metrics(request: Request) -> Response:
    """Traffic, grades, queues, runs and workers; for whoever bears the token of CODEJURY_METRICS_TOKEN."""
    body = exposition(request.app.state.settings, database_of(request))
    return Response(body, headers={"Content-Type": CONTENT_TYPE_LATEST})
