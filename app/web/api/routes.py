"""The API's routes, put together. An address stays what it is for as long as its version lives."""

from importlib import import_module

from fastapi import APIRouter

from app.web.api.queries import ONLY_KNOWN_PARAMETERS

PREFIX = "/api/v1"
PARTS = (
    *("studies", "material", "imports", "questionnaire", "way", "annotators"),
    *("benchmarks", "perturbing", "naturalness", "generations"),
    *("runs", "analyses", "executions", "robustness", "exports", "people", "events", "webhooks", "status", "openapi"),
)

router = APIRouter(prefix=PREFIX, dependencies=[ONLY_KNOWN_PARAMETERS])
for part in PARTS:
    router.include_router(import_module(f"app.web.api.{part}").router)
