"""Headers on every answer, and the refusal of requests that another site made a browser send."""

from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})

CONTENT_SECURITY_POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data: blob:",
        "connect-src 'self'",
        "font-src 'self'",
        "manifest-src 'self'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "object-src 'none'",
    ]
)

# What browsers can do and no page of ours needs: were a script to slip in, it would lack these as well.
UNUSED_FEATURES = (
    *("accelerometer", "autoplay", "camera", "clipboard-read", "display-capture"),
    *("encrypted-media", "fullscreen", "gamepad", "geolocation", "gyroscope", "hid", "identity-credentials-get"),
    *("idle-detection", "local-fonts", "magnetometer", "microphone", "midi", "otp-credentials", "payment"),
    *("picture-in-picture", "publickey-credentials-create", "publickey-credentials-get", "screen-wake-lock"),
    *("serial", "storage-access", "usb", "window-management", "xr-spatial-tracking"),
)

HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    # Links that carry a secret must not leak it to other sites. "no-referrer" would also turn the Origin of our own
    # forms into "null", and where browsers send no Sec-Fetch-Site (plain http in a local network) refuse them all.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": ", ".join(f"{feature}=()" for feature in UNUSED_FEATURES),
}
# As they are sent: put into bytes once, instead of one by one for each answer.
_RAW_HEADERS = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]

# An address that carries the hash of its content may be kept for ever; modules that scripts import by their plain
# name are asked for again, so that an upgrade never mixes old and new.
KEPT = "public, max-age=31536000, immutable"


def secure_headers(headers: MutableHeaders, scope: Scope, status: int, *, https: bool) -> None:
    """Add the security headers that an answer lacks, and say how long it may be kept."""
    present = {name for name, _ in headers.raw}
    headers.raw.extend(each for each in _RAW_HEADERS if each[0] not in present)
    if https:
        headers.setdefault("Strict-Transport-Security", "max-age=31536000; includeSubDomains")
    headers.setdefault("Cache-Control", _cache_control(scope, status))


def _cache_control(scope: Scope, status: int) -> str:
    if not scope["path"].startswith("/static/"):
        return "no-store"
    # A file that is missing may be there after the next deployment.
    is_kept = scope["query_string"].startswith(b"v=") and status in (200, 304)
    return KEPT if is_kept else "no-cache"


class SecurityHeaders:
    """Put the security headers on every response, errors and static files included."""

    def __init__(self, app: ASGIApp, *, https: bool) -> None:
        self.app = app
        self.https = https

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                secure_headers(MutableHeaders(scope=message), scope, message["status"], https=self.https)
            await send(message)

        await self.app(scope, receive, send_with_headers)


class SameOrigin:
    """CSRF protection: a state-changing request must come from one of our own pages.

    Browsers say where a request comes from (Sec-Fetch-Site, else Origin) and scripts can't forge either, so there is
    no token to carry, to go stale, or to leak. A request that says nothing about its origin and carries a cookie is
    refused; a program without cookies (an API client with a token) is let through.
    """

    def __init__(self, app: ASGIApp, *, https: bool, base_url: str | None) -> None:
        self.app = app
        self.https = https
        self.base_url = urlsplit(base_url or "")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_unsafe = scope["type"] == "http" and scope["method"] not in SAFE_METHODS
        if is_unsafe and not self._is_own(Headers(scope=scope)):
            answer = PlainTextResponse("This request came from another site and was refused. Nothing changed.", 403)
            await answer(scope, receive, send)
            return
        await self.app(scope, receive, send)

    def _is_own(self, headers: Headers) -> bool:
        site = headers.get("sec-fetch-site")
        if site is not None:
            return site in ("same-origin", "none")
        origin = headers.get("origin")
        if origin is not None:
            came_from = urlsplit(origin)
            return came_from.netloc == headers.get("host") and came_from.scheme in self._schemes(came_from.netloc)
        return "cookie" not in headers

    def _schemes(self, netloc: str) -> tuple[str, ...]:
        """Schemes of our own pages. What the server itself sees tells nothing: a proxy may have ended the TLS."""
        if self.https:
            return ("https",)
        return (self.base_url.scheme,) if netloc == self.base_url.netloc else ("http", "https")
