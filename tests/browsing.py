"""A browser without a screen, as quick as it goes: each request crosses to the event loop's thread once.

Starlette's own client crosses seven times for a request, which costs more than most answers do.
"""

import httpx2
from anyio.from_thread import BlockingPortal
from fastapi import FastAPI
from fastapi.testclient import TestClient


class _Transport(httpx2.BaseTransport):
    """Calls the app in the portal's event loop and comes back with the whole answer."""

    def __init__(self, app: FastAPI, portal: BlockingPortal, *, raises: bool) -> None:
        self._portal = portal
        self._inner = httpx2.ASGITransport(app, raise_app_exceptions=raises, client=("testclient", 50000))

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        request.read()  # what a test sends bit by bit can't be read in the other thread
        return self._portal.call(self._answer, request)

    async def _answer(self, request: httpx2.Request) -> httpx2.Response:
        answer = await self._inner.handle_async_request(request)
        assert isinstance(answer.stream, httpx2.AsyncByteStream)
        content = b"".join([part async for part in answer.stream])
        return httpx2.Response(answer.status_code, headers=answer.headers, stream=httpx2.ByteStream(content))


def browse(
    app: FastAPI,
    portal: BlockingPortal,
    *,
    headers: dict[str, str] | None = None,
    follow_redirects: bool = True,
    raises: bool = True,
) -> TestClient:
    """A browser without cookies; without other headers it acts from our own pages."""
    client = TestClient(
        app,
        base_url="http://localhost",
        headers=headers or {"Sec-Fetch-Site": "same-origin"},
        follow_redirects=follow_redirects,
        raise_server_exceptions=raises,
    )
    client._transport = _Transport(app, portal, raises=raises)
    return client
