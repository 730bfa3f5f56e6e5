"""Whatever number is sent wherever a request may hold one, the answer is never a failure of ours."""

from collections.abc import Iterator, Sequence
from typing import Any, get_args

import pytest
from annotated_types import Ge, Gt, Le, Lt
from fastapi._compat import ModelField
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute, iter_route_contexts
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from app.config import PROJECT_ROOT
from app.services.analysis import AnalysisParameters
from app.services.imports.request import ImportRequest
from app.web.forms import FormModel
from tests.security.authorisation import EXPECTED
from tests.security.world import World

NUMBERS = ("-1", "0", str(2**31), str(2**63), "1" + "0" * 400, "9" * 5000, "NaN", "Infinity", "1e9", "1e400", "٣", "")
# The same where JSON tells numbers from text.
JSON_NUMBERS = ("-1", "0", str(2**31), str(2**63), "1" + "0" * 400, "9" * 5000, "NaN", "Infinity", "1e9", "1e400")
MODELS: tuple[type[BaseModel], ...] = (AnalysisParameters, ImportRequest)


def _routes(world: World) -> Iterator[tuple[str, APIRoute]]:
    for context in iter_route_contexts(world.app.routes):
        if isinstance(route := context.original_route, APIRoute):
            for method in context.methods or ():
                yield f"{method} {context.path}", route


def _is_whole(annotation: Any) -> bool:
    return annotation is int or any(map(_is_whole, get_args(annotation)))


def _constraints(info: Any) -> set[type]:
    """Kinds of bounds, also those inside Optional[Annotated[...]]."""
    own = {type(each) for each in getattr(info, "metadata", ()) or getattr(info, "__metadata__", ())}
    inner = getattr(info, "annotation", info)
    nested = [each for part in get_args(inner) for each in _constraints(part)]
    fields = [each for each in getattr(info, "__metadata__", ()) if isinstance(each, FieldInfo)]
    return own | set(nested) | {type(each) for field in fields for each in field.metadata}


def _is_bounded(info: Any) -> bool:
    found = _constraints(info)
    return bool(found & {Ge, Gt}) and bool(found & {Le, Lt})


KINDS_OF_PARAMETERS = ("path_params", "query_params", "header_params", "cookie_params", "body_params")


def _parameters(dependant: Dependant, kinds: Sequence[str] = KINDS_OF_PARAMETERS) -> list[ModelField]:
    """Those of the route and of everything that it depends on."""
    own = [field for kind in kinds for field in getattr(dependant, kind)]
    return own + [field for each in dependant.dependencies for field in _parameters(each, kinds)]


def _infos(route: APIRoute) -> Iterator[tuple[str, Any]]:
    for field in _parameters(route.dependant):
        annotation = field.field_info.annotation
        if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            yield from annotation.model_fields.items()
        else:
            yield field.name, field.field_info


def _form_models(model: type[BaseModel] = FormModel) -> Iterator[type[BaseModel]]:
    for each in model.__subclasses__():
        yield each
        yield from _form_models(each)


@pytest.mark.sqlite_is_enough
def test_each_whole_number_that_a_request_may_hold_is_bounded(world: World) -> None:
    seen = {f"{key} {name}": info for key, route in _routes(world) for name, info in _infos(route)}
    models: list[type[BaseModel]] = [*_form_models(), *MODELS]
    for model in models:
        seen |= {f"{model.__name__} {name}": info for name, info in model.model_fields.items()}
    whole = {place: info for place, info in seen.items() if _is_whole(info.annotation)}
    assert len(whole) > 20  # the walk sees parameters at all
    assert [place for place, info in whole.items() if not _is_bounded(info)] == []


# What some routes read of a query without declaring it: so much of it that they use all.
UNDECLARED: dict[str, dict[str, str]] = {
    "GET /join/{token}": {"PROLIFIC_PID": "p", "STUDY_ID": "s", "SESSION_ID": "t"},
    "POST /join/{token}": {"PROLIFIC_PID": "p", "STUDY_ID": "s", "SESSION_ID": "t"},
    "GET /import/{upload}": {"kind": "outputs/long", "title": "T", "seed": "1"},
    "GET /studies/{slug}/import/{upload}": {"kind": "outputs/long"},
    "GET /benchmarks/{benchmark}/generate/estimate": {
        "backend": "packaged",
        "packaged": "smollm2-135m",
        "decoding": "sampling",
        "which": "first",
        "samples": "2",
        "seed": "1",
        "max_tokens": "16",
        "temperature": "0.8",
        "top_p": "0.9",
        "first": "1",
    },
    "GET /benchmarks/{benchmark}/perturb": {"mode": "paper", "seeds": "1", "category": "format"},
    "GET /benchmarks/{benchmark}/perturb/estimate": {
        "seeds": "1",
        "category": "format",
        "transformation": "docstring/ButterFingers",
    },
    "GET /studies/{slug}/sample": {"instrument": "helpfulness", "seed": "1", "unchanged": "1", "changed": "1"},
    "GET /benchmarks/{benchmark}/survey": dict.fromkeys(
        ("seed", "unperturbed", "perturbed", "pairs", "annotators"), "1"
    ),
}
# Names that routes have for numbers, sent to all others too.
ELSEWHERE = ("seed", "analysis", "before")


def test_whoever_reads_what_it_does_not_declare_is_in_the_table() -> None:
    texts = [file.read_text(encoding="utf-8") for file in (PROJECT_ROOT / "app/web/routes").glob("*.py")]
    reading = [text for text in texts if "query_params" in text]
    assert reading
    for text in reading:
        assert any(f'"{key.split()[1]}"' in text for key in UNDECLARED), text[:300]


def _queries(key: str, route: APIRoute, number: str) -> Iterator[dict[str, str]]:
    """The number in all places at once, then in each alone."""
    usual = UNDECLARED.get(key, {})
    names = {field.alias for field in _parameters(route.dependant, ["query_params"])} | usual.keys()
    yield dict.fromkeys([*names, *ELSEWHERE], number)
    yield from (usual | {name: number} for name in names)


def _requests(world: World, key: str, route: APIRoute) -> Iterator[dict[str, Any]]:
    """The request of the table with each number in each place."""
    access, path = EXPECTED[key], key.split()[1]
    usual = {"url": world.address(path), **access.body}
    for number in NUMBERS:
        yield from (usual | {"params": query} for query in _queries(key, route, number))
        for name in access.form:
            yield usual | {"data": access.form | {name: number}}
        if number:
            for parameter in _parameters(route.dependant, ["path_params"]):
                known = world.parameters | world.by_path.get(path, {})
                address = path.replace(f"{{{parameter.alias}}}", number).format_map(known)
                yield usual | {"url": address}
    # Bulk uploads send a list, of which one row is looked at.
    names = access.json[0] if isinstance(access.json, list) else access.json or {}
    for number in JSON_NUMBERS:
        for name in names:
            others = "".join(f', "{other}": 1' for other in names if other != name)
            content = f'{{"{name}": {number}{others}}}'
            content = f"[{content}]" if isinstance(access.json, list) else content
            yield {"url": usual["url"], "content": content, "headers": {"Content-Type": "application/json"}}


def _fuzz(world: World, method: str) -> None:
    failed = []
    for key, route in _routes(world):
        if not key.startswith(f"{method} "):
            continue
        role = EXPECTED[key].role
        client = world.client("anonymous" if role == "anyone" else role)
        for request in _requests(world, key, route):
            answer = client.request(method, **request)
            if answer.status_code >= 500:
                failed.append((key, str(request)[:200]))
    assert failed == []


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.fault("F28", "F29")
def test_no_number_breaks_a_route(world: World, method: str) -> None:
    _fuzz(world, method)
