"""What stands above a page's heading leads to where it belongs, and ends in a name."""

import re

import pytest
from fastapi import FastAPI

from app.web.access import declared_roles
from tests.security.world import World
from tests.security.world_fixture import world

__all__ = ["world"]

LEADING_ON = re.compile(r"›\s*</p>")


@pytest.mark.sqlite_is_enough
def test_no_page_leads_on_to_nothing(app: FastAPI, world: World) -> None:
    client, seen = world.client("admin"), set()
    for route in declared_roles(app):
        if "GET" in route.methods and not route.path.startswith("/api/"):
            answer = client.get(world.address(route.path))
            if answer.headers.get("content-type", "").startswith("text/html"):
                assert not LEADING_ON.search(answer.text), route.path
                seen.add(route.path)
    assert {"/studies/new", "/import", "/runs/{public_id}", "/studies/{slug}"} <= seen
    assert len(seen) > 40
