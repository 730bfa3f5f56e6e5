"""How long a client may take to send a request. Whoever sends a byte now and then would hold a connection for good.

Headers have a time of their own, from the connection's or the request's beginning; a body has its time and more for
each kilobyte that came, so that a large upload over a slow line goes on while one that trickles is ended.
"""

import asyncio
from typing import Any

from fastapi import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

HEADER_SECONDS = 20.0
BODY_SECONDS = 30.0
BYTES_A_SECOND = 2_000  # at the least


class PatientProtocol(HttpToolsProtocol):
    """uvicorn's, which itself waits for headers for ever."""

    _ending: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Begin to wait for the first request."""
        super().connection_made(transport)
        self._wait()

    def on_message_begin(self) -> None:
        """Begin to wait for the headers of this request."""
        super().on_message_begin()
        self._wait()

    def on_headers_complete(self) -> None:
        """The body is BodyTime's."""
        self._stop_waiting()
        super().on_headers_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nobody is there any more."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _wait(self) -> None:
        self._stop_waiting()
        self._ending = self.loop.call_later(HEADER_SECONDS, self.transport.close)

    def _stop_waiting(self) -> None:
        if self._ending is not None:
            self._ending.cancel()
            self._ending = None


class TooSlow(HTTPException):
    """FastAPI turns any other kind of exception that comes up while it reads a body into a 400."""

    def __init__(self) -> None:
        super().__init__(408, "The request came too slowly. Nothing was stored.", {"Connection": "close"})


class BodyTime:
    """Wait for a body while it comes; TooSlow when it takes longer than its size explains."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        deadline = asyncio.get_running_loop().time() + BODY_SECONDS
        is_complete = False

        async def timely() -> Message:
            nonlocal deadline, is_complete
            if is_complete:  # what is waited for now is the client's going
                return await receive()
            try:
                async with asyncio.timeout_at(deadline):
                    message = await receive()
            except TimeoutError:
                is_complete = True
                raise TooSlow from None
            deadline += len(message.get("body", b"")) / BYTES_A_SECOND
            is_complete = not message.get("more_body", False)
            return message

        await self.app(scope, timely, send)
