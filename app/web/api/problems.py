"""What refuses a request before a route is reached, in plain text, is told to programs as problem details."""

import json
from http import HTTPStatus

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

PREFIX = "/api/"
MEDIA_TYPE = "application/problem+json"


class ProblemsForPrograms:
    """Turn plain-text errors under /api into RFC 9457 problem details."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not scope["path"].startswith(PREFIX):
            await self.app(scope, receive, send)
            return
        held: Message | None = None
        text = b""

        async def told(message: Message) -> None:
            nonlocal held, text
            if message["type"] == "http.response.start" and _is_plain_error(message):
                held = message
            elif held is None:
                await send(message)
            else:
                text += message.get("body", b"")
                if not message.get("more_body", False):
                    for part in _problem(held, text):
                        await send(part)

        await self.app(scope, receive, told)


def _is_plain_error(start: Message) -> bool:
    kind = Headers(raw=start["headers"]).get("content-type", "")
    return bool(start["status"] >= 400 and kind.startswith("text/plain"))


def _problem(start: Message, text: bytes) -> tuple[Message, Message]:
    status: int = start["status"]
    detail, _, remedy = text.decode("utf-8", "replace").partition("\n")  # whoever has a remedy puts it on a line
    details = {"status": status, "title": HTTPStatus(status).phrase, "detail": detail}
    if remedy:
        details["remedy"] = remedy
    body = json.dumps(details, ensure_ascii=False).encode()
    headers = MutableHeaders(raw=list(start["headers"]))
    headers["content-type"], headers["content-length"] = MEDIA_TYPE, str(len(body))
    return {**start, "headers": headers.raw}, {"type": "http.response.body", "body": body}
