"""A bare route reads bodies as FastAPI does, and declares nothing that it would not do."""

from itertools import product
from typing import Annotated, Any

import pytest
from fastapi import Body, Depends, FastAPI, Request
from fastapi.testclient import TestClient
from starlette.responses import JSONResponse, Response

from app.web.access import ANNOTATOR, AsksItself, Role
from app.web.bare_routes import BareRoute, sent_json

BODIES = (
    *(b"", b" ", b"{", b"{}", b"null", b"[]", b"3", b"false", b'""', b"NaN", b'{"a": 1} b', b"a=b", b"\xff"),
    *(b"\xef\xbb\xbf{}", b'{"a": "\xff"}', "{}".encode("utf-16"), b"[" * 20_000, b"1" * 4400),
)
KINDS = (
    *("application/json", "application/json; charset=utf-8", "APPLICATION/Problem+JSON ;a", "application/+json"),
    *("application/jsonx", "application/json, text/plain", "application/x/y+json", "application /json", ";a/json"),
    *("text/plain", "text/json", "json", "", None),
    *("application/x-www-form-urlencoded", "multipart/form-data; boundary=b"),
)


async def _bare(request: Request) -> Response:
    return JSONResponse(repr(await sent_json(request)))


async def _read_by_fastapi(sent: Annotated[Any, Body()] = None) -> Response:
    return JSONResponse(repr(sent))


@pytest.mark.sqlite_is_enough
def test_a_body_is_what_fastapi_makes_of_it(app: FastAPI, client: TestClient) -> None:
    app.router.routes.append(BareRoute("/bare", _bare, methods=["POST"]))
    app.post("/fastapi")(_read_by_fastapi)
    for kind, body in product(KINDS, BODIES):
        headers = {"Accept": "application/json"} | ({} if kind is None else {"Content-Type": kind})
        bare, known = (client.post(path, content=body, headers=headers) for path in ("/bare", "/fastapi"))
        assert (bare.status_code, bare.text) == (known.status_code, known.text), (kind, body[:20])


def test_only_what_asks_itself_may_guard_it() -> None:
    BareRoute("/asks", _bare, dependencies=[Depends(AsksItself(Role.ANNOTATOR))])
    for dependency in (ANNOTATOR, Depends(lambda: None)):
        with pytest.raises(RuntimeError, match="/ignored declares what a bare route would not do"):
            BareRoute("/ignored", _bare, dependencies=[dependency])
