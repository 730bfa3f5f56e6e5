"""Requests must name a host that is ours: others are forged, or a rebound DNS name."""

from collections.abc import Sequence

from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.words import gettext

VERDICT = "codejury.known_host"


class KnownHosts:
    """Refuse what Starlette's own middleware would refuse, with the cause and the remedy.

    The name that was sent is not repeated. Plain text, since a page's styles and scripts would be refused as well.
    """

    def __init__(self, app: ASGIApp, *, hosts: Sequence[str]) -> None:
        self.app = app
        self.judge = TrustedHostMiddleware(_note, hosts, www_redirect=False)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or await self._knows(scope, receive):
            await self.app(scope, receive, send)
            return
        cause = gettext("This server doesn’t know the host name by which it was asked.")
        remedy = gettext(
            "Use an address that it knows. If it should be known by this name, too, whoever runs it adds the name to "
            "CODEJURY_ALLOWED_HOSTS and starts it again."
        )
        await PlainTextResponse(f"{cause}\n{remedy}", 400)(scope, receive, send)

    async def _knows(self, scope: Scope, receive: Receive) -> bool:
        """Starlette's judge goes on to its app where it knows the host, and else answers by itself."""
        verdict: list[bool] = []
        await self.judge({**scope, VERDICT: verdict}, receive, _drop)
        return bool(verdict)


async def _note(scope: Scope, _receive: Receive, _send: Send) -> None:
    scope[VERDICT].append(True)


async def _drop(_message: Message) -> None:
    """The judge's own words."""
