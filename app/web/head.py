"""HEAD is answered as GET would be, without body and consequences: link previews and uptime checks ask so."""

from fastapi import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_MARK = "codejury.head"


class HeadAsGet:
    """Turn HEAD into GET for the routes. Static files know HEAD themselves."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "HEAD" or scope["path"].startswith("/static/"):
            await self.app(scope, receive, send)
            return

        async def send_head(message: Message) -> None:
            if message["type"] == "http.response.start":
                # A cookie is a consequence: one that is shown once must still be there for the GET.
                kept = [each for each in message["headers"] if each[0].lower() != b"set-cookie"]
                await send({**message, "headers": kept})
            elif message["type"] == "http.response.body":
                await send({**message, "body": b""})

        # A copy: the server itself must go on to see a HEAD.
        await self.app({**scope, "method": "GET", _MARK: True}, receive, send_head)


def is_head(request: Request) -> bool:
    """Whether only the head was asked for, so that nothing may change."""
    return bool(request.scope.get(_MARK))
