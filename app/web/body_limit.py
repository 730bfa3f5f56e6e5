"""How much a request may send: little, unless a route asks for more after it saw who sends.

FastAPI reads a body before it looks at permissions, so what anybody can make the server hold is this limit. A
dependency that reads the body itself runs after the permission (routes declare it first) and may raise the limit.
"""

from dataclasses import dataclass

from fastapi import HTTPException, Request
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

# The largest ordinary form: a description of 5,000 letters, of which each may be written as twelve bytes.
MOST_BYTES = 64 << 10


class BodyTooLarge(HTTPException):
    """FastAPI turns any other kind of exception that comes up while it reads a body into a 400."""

    def __init__(self, limit: int) -> None:
        words = f"{limit >> 20:,} MB" if limit >= 1 << 20 else f"{limit >> 10:,} KB"
        super().__init__(413, f"More than {words} was sent, the most that this address accepts. Nothing was stored.")


@dataclass
class Allowance:
    """What one request may send, and what has come."""

    limit: int
    announced: int
    received: int = 0
    answered: bool = False

    def take(self, size: int) -> None:
        """Count what came (an announcement may lie); BodyTooLarge as soon as it is, or will be, too much."""
        self.received += size
        if max(self.received, self.announced) > self.limit and not self.answered:
            raise BodyTooLarge(self.limit)


class BodyLimit:
    """Count each body while it comes in, whether its length was announced or not."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        allowance = Allowance(MOST_BYTES, _announced(scope))

        async def counted() -> Message:
            message = await receive()
            if message["type"] == "http.request":
                allowance.take(len(message.get("body", b"")))
            return message

        async def noted(message: Message) -> None:
            allowance.answered = True  # what comes now is read by nobody but a listener for the end
            await send(message)

        await self.app({**scope, "codejury.body": allowance}, counted, noted)


def _announced(scope: Scope) -> int:
    length = Headers(scope=scope).get("content-length", "")
    return int(length) if length.isascii() and length.isdigit() and len(length) < 20 else 0


def allow_more(request: Request, limit: int) -> None:
    """Let this request send up to ``limit`` bytes. Only for dependencies that come after a permission."""
    allowance: Allowance = request.scope["codejury.body"]
    allowance.limit = limit
