"""The description of the API that programs read: every address with what it takes, gives and refuses."""

from collections.abc import Iterable, Iterator
from typing import Any

from fastapi import APIRouter, FastAPI, Request
from fastapi.dependencies.models import Dependant
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute, RouteContext, iter_route_contexts
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from app import __version__
from app.web.access import Requires
from app.web.api.permissions import READ
from app.web.api.problems import MEDIA_TYPE
from app.web.api.shapes import Reader

router = APIRouter(tags=["about"])

PREFIX = "/api/v1/"
ABOUT = (
    "Everything that CodeJury's pages do. Programs carry a personal token (`Authorization: Bearer cj_…`), made on "
    "the page API tokens of one's account. Every write takes an `Idempotency-Key`. Lists come in pages: `next` is "
    "the `cursor` of the page after. The manual is at /help/api."
)
REFUSALS = {
    "401": "No token, or one that is unknown, has expired or was revoked.",
    "403": "The user or the token may not do this.",
    "404": "There is no such thing.",
    "409": "What is stored doesn't allow this now, or the key was used for another request.",
    "413": "More was sent than is accepted.",
    "415": "Not a kind of body that is read here.",
    "422": "Something that was sent can't be used; each problem names its place.",
    "503": "The database is away for a moment: try again.",
}
PROBLEM: dict[str, Any] = {
    "type": "object",
    "description": "RFC 9457 problem details.",
    "required": ["status", "title", "detail"],
    "properties": {
        "status": {"type": "integer"},
        "title": {"type": "string"},
        "detail": {"type": "string"},
        "remedy": {"type": "string"},
        "problems": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["message"],
                "properties": {
                    name: {"type": "integer" if name == "row" else "string"}
                    for name in ("message", "row", "column", "remedy", "file", "field")
                },
            },
        },
    },
}


@router.get("/openapi.json", dependencies=[READ], include_in_schema=False)
def show(request: Request) -> dict[str, Any]:
    """This description."""
    return document(request.app)


def document(app: FastAPI) -> dict[str, Any]:
    """The whole of it, put together once."""
    if app.openapi_schema is None:
        app.openapi_schema = _document(app)
    return app.openapi_schema


def _document(app: FastAPI) -> dict[str, Any]:
    routes = [each for each in iter_route_contexts(app.routes) if (each.path or "").startswith(PREFIX)]
    made = get_openapi(title="CodeJury", version=__version__, description=ABOUT, routes=routes)
    made.setdefault("components", {}).setdefault("schemas", {})
    components = made["components"]
    components["schemas"] |= _schemas(map(_model, routes)) | {"Problem": PROBLEM}
    components["schemas"].pop("HTTPValidationError", None)
    components["schemas"].pop("ValidationError", None)
    components["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
    for route in routes:
        for method in route.methods or ():
            operation = made["paths"].get(route.path, {}).get(method.lower())
            if operation is not None:
                _complete(operation, route)
    return made


def _complete(operation: dict[str, Any], route: RouteContext) -> None:
    """What FastAPI can't know: the body that a dependency reads, the scope, and how refusals look."""
    model = _model(route)
    if model is not None:
        schema = {"$ref": f"#/components/schemas/{model.__name__}"}
        operation["requestBody"] = {"required": True, "content": {"application/json": {"schema": schema}}}
    scopes = [each.dependency.scope for each in route.dependencies if isinstance(each.dependency, Requires)]
    operation["security"] = [{"token": [str(scope) for scope in scopes]}]
    operation["x-scope"] = str(scopes[0])
    content = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    operation["responses"] |= {
        status: {"description": about, "content": content} for status, about in REFUSALS.items()
    }


def _schemas(models: Iterable[type[BaseModel] | None]) -> dict[str, Any]:
    wanted = dict.fromkeys(model for model in models if model is not None)
    _, schemas = models_json_schema(
        [(model, "validation") for model in wanted], ref_template="#/components/schemas/{model}"
    )
    found: dict[str, Any] = schemas.get("$defs", {})
    return found


def _model(route: RouteContext) -> type[BaseModel] | None:
    original = route.original_route
    if not isinstance(original, APIRoute):
        return None
    return next((call.model for call in _calls(original.dependant) if isinstance(call, Reader)), None)


def _calls(dependant: Dependant) -> Iterator[Any]:
    yield dependant.call
    for each in dependant.dependencies:
        yield from _calls(each)
