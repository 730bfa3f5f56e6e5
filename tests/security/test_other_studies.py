"""Ids of another study answer as missing ones do, in the path and in the query: every route, as everybody."""

import re

import pytest
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute, iter_route_contexts
from sqlalchemy import select

from app.ids import new_opaque_id
from app.storage.models import Analysis, Study
from tests.security.authorisation import EXPECTED
from tests.security.test_authorisation import _is_allowed
from tests.security.world import PRINCIPALS, World, told

# Parameters that name no row of a study: kinds and stages are the same everywhere, and an upload is the admins' own
# until it is imported, into whichever study.
NOT_OF_A_STUDY = {"slug", "kind", "stage", "file_name", "upload"}
ELSEWHERE = {"slug": "elsewhere"}


def _ids_of(path: str) -> set[str]:
    return set(re.findall(r"\{(\w+)\}", path)) - NOT_OF_A_STUDY


OF_A_STUDY = sorted(key for key in EXPECTED if "{slug}" in key and _ids_of(key))
OWN = sorted(key for key, access in EXPECTED.items() if access.own_study)


def test_there_are_such_routes() -> None:
    assert len(OF_A_STUDY) > 12
    assert len(OWN) >= 4
    assert {name for key in OF_A_STUDY for name in _ids_of(key)} >= {
        *("annotator_id", "item_id", "invitation_id", "instrument_id", "version_id"),
    }


@pytest.mark.parametrize("key", OF_A_STUDY)
def test_an_id_of_another_study_is_a_missing_one(world: World, key: str) -> None:
    method, path = key.split()
    here, body = world.address(path), EXPECTED[key].body
    foreign = re.sub("/studies/(here|numbers)/", "/studies/elsewhere/", here)
    world.by_path[path] = ELSEWHERE | dict.fromkeys(_ids_of(path), "999999")
    missing = world.address(path)
    assert foreign not in (here, missing)
    before = world.rows()
    for principal in PRINCIPALS:
        if not _is_allowed(EXPECTED[key].role, principal):
            continue
        client = world.client(principal)
        answered = told(client.request(method, foreign, **body))
        assert answered == told(client.request(method, missing, **body))
        assert answered[0] == 404
    assert world.rows() == before


@pytest.mark.parametrize("key", OWN)
def test_an_item_of_another_annotator_is_a_missing_one(world: World, key: str) -> None:
    method, path = key.split()
    foreign, body = world.address(path), EXPECTED[key].body
    world.by_path[path] = {"item": new_opaque_id()}
    missing = world.address(path)
    before = world.rows()
    client = world.client("annotator_elsewhere")
    answered = told(client.request(method, foreign, **body))
    assert answered == told(client.request(method, missing, **body))
    assert answered[0] == 404
    assert world.rows() == before


def _queried(dependant: Dependant) -> set[str]:
    own = {each.alias for each in dependant.query_params}
    return own.union(*map(_queried, dependant.dependencies))


def _with_parameter(world: World, name: str) -> list[str]:
    """Routes of a study that take a row's number in the query."""
    served = [route for route in iter_route_contexts(world.app.routes) if isinstance(route.original_route, APIRoute)]
    return sorted(
        str(route.path)
        for route in served
        if "GET" in (route.methods or ())
        and "{slug}" in str(route.path)
        and name in _queried(route.original_route.dependant)
    )


@pytest.mark.parametrize(("name", "least"), [("analysis", 7), ("since", 1)])
def test_an_id_in_the_query_is_held_to_its_study(world: World, name: str, least: int) -> None:
    with world.database.write() as session:
        study = session.scalars(select(Study).where(Study.slug == "here")).one()
        texts = {"fingerprint": "0" * 64, "result": '{"canary": "of here"}', "pairs": "{}"}
        made = Analysis(study_id=study.id, parameters={}, signature={}, revision={}, **texts)
        session.add(made)
        session.flush()
        number = {"analysis": str(made.id), "since": world.parameters["version_id"]}[name]
    paths = _with_parameter(world, name)
    assert len(paths) >= least, paths
    for path in paths:
        world.by_path[path] = ELSEWHERE
        client, address = world.client("researcher"), world.address(path)
        foreign = client.get(address, params={name: number})
        missing = client.get(address, params={name: "999999"})
        assert told(foreign) == told(missing), path
        assert "canary" not in foreign.text
