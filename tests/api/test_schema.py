"""The description of the API, and whatever it allows to be sent: nothing of it is a failure of ours."""

import os
import re
from typing import Any

import pytest
import schemathesis
from fastapi import FastAPI
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, Phase, given, seed, settings
from schemathesis import Case, GenerationMode

from app.web.api.openapi import document
from app.web.api.problems import MEDIA_TYPE
from tests.api.conftest import Program
from tests.security.world import World

# Of each address, of what it allows and of what it doesn't. Few, so that the whole API doesn't take minutes.
EXAMPLES = int(os.environ.get("API_EXAMPLES", "2"))
# A secret of the inside may be in no name of a field, apart from where secrets are handed out.
TOKENS_OF_MODELS = {"tokens", "most_tokens", "max_tokens", "prompt_tokens", "tokens_per_second"}  # words, no secrets
SECRETS = re.compile(r"password|token|secret|hash$")


def test_programs_and_sessions_read_the_description(world: World, program: Program) -> None:
    at = "/api/v1/openapi.json"
    assert program("researcher", "studies:read").get(at).json() == world.client("researcher").get(at).json()
    assert world.client("anonymous").get(at).status_code == 401


@pytest.mark.sqlite_is_enough
def test_the_description_is_whole(app: FastAPI) -> None:
    made = document(app)
    assert len(made["paths"]) > 50
    known = made["components"]["schemas"]
    assert set(re.findall(r"#/components/schemas/([\w.-]+)", str(made))) <= set(known)
    for path, methods in made["paths"].items():
        for method, operation in methods.items():
            where = f"{method} {path}"
            assert operation["description"], where
            assert operation["x-scope"] in ("studies:read", "studies:write", "grades:read", "grades:write", "admin")
            assert {"401", "403", "404", "422"} <= set(operation["responses"]), where
            assert any(status.startswith("2") for status in operation["responses"]), where
    fields = {name for schema in known.values() for name in schema.get("properties", ())}
    assert not [name for name in fields - TOKENS_OF_MODELS if SECRETS.search(name)]


def _stored(world: World) -> dict[str, list[Any]]:
    """All but the counts of tries: a refused one counts, too."""
    return {table: rows for table, rows in world.rows().items() if table != "rate_limits"}


@pytest.mark.sqlite_is_enough
def test_a_name_that_is_not_known_is_refused_everywhere(app: FastAPI, program: Program, world: World) -> None:
    """So nothing can be set that a form doesn't name (mass assignment)."""
    client, tried = program("admin"), 0
    for path, methods in document(app)["paths"].items():
        for method, operation in methods.items():
            schema = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
            if "$ref" not in schema:
                continue
            before = _stored(world)
            for name in ("id", "role_of_admin", "study_id", "created_at", "owner_id"):
                answer = client.request(method.upper(), world.address(path), json={name: 1})
                assert answer.status_code == 422, (method, path, name)
                fields = {each.get("field") for each in answer.json()["problems"]}
                assert name in fields, (method, path, fields)
            assert _stored(world) == before
            tried += 1
    assert tried > 20


def _send(client: TestClient, case: Case, address: str) -> None:
    sent: dict[str, Any] = case.as_transport_kwargs(base_url="http://localhost")
    sent = {
        name: sent[name] for name in ("params", "json", "data", "headers", "cookies") if sent.get(name) is not None
    }
    sent.pop("cookies", None)
    if "data" in sent:
        sent["content"] = sent.pop("data")
    kept = {"authorization", "sec-fetch-site", "user-agent", "host"}
    sent["headers"] = {k: v for k, v in dict(sent.get("headers") or {}).items() if k.lower() not in kept}
    answer = client.request(case.method, address, **sent)
    assert answer.status_code < 500, f"{case.method} {address}: {answer.status_code} {answer.text[:300]}"
    if answer.status_code >= 400:
        assert answer.headers["content-type"] == MEDIA_TYPE, address


@pytest.mark.slow
def test_whatever_is_sent_nothing_breaks(app: FastAPI, world: World, program: Program) -> None:
    client = program("admin")
    schema = schemathesis.openapi.from_dict(document(app))
    operations = [found.ok() for found in schema.get_all_operations()]
    assert len(operations) > 60
    for operation in operations:
        for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):
            _try(operation.as_strategy(generation_mode=mode), client, world)


def _try(cases: Any, client: TestClient, world: World) -> None:
    """To what there is: names made at random would find nothing, and test_authorisation.py tries strange ones."""

    @seed(7)
    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=cases)
    def run(case: Case) -> None:
        _send(client, case, world.address(case.path))

    run()
