"""A small OpenID Connect provider at a port of its own, which can be told to misbehave."""

import base64
import hashlib
import secrets
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

import uvicorn
from joserfc import jwt
from joserfc.jwk import RSAKey
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

CLIENT, SECRET = "codejury", "the client's secret"
Claims = dict[str, Any]
KEY = RSAKey.generate_key(2048, {"kid": "first"})


@dataclass
class Provider:
    """Whoever comes is ``person``; ``bend`` changes the claims of the next ID tokens."""

    issuer: str = ""
    person: Claims = field(
        default_factory=lambda: {
            "sub": "person-1",
            "email": "admin@example.org",
            "email_verified": True,
            "name": "Ada",
        }
    )
    bend: Callable[[Claims], None] = lambda _: None
    key: RSAKey = field(default_factory=lambda: KEY)
    signing_key: RSAKey | None = None  # another one than it publishes
    algorithm: str = "RS256"
    tells_address_on_asking: bool = False
    on_asking: Claims = field(default_factory=dict)
    is_down: bool = False
    requests: list[dict[str, str]] = field(default_factory=list)
    _codes: dict[str, dict[str, str]] = field(default_factory=dict)

    def app(self) -> Starlette:
        """Its pages. It asks nobody for a password."""
        return Starlette(
            routes=[
                Route("/.well-known/openid-configuration", self._metadata),
                Route("/keys", self._keys),
                Route("/authorize", self._authorize),
                Route("/token", self._token, methods=["POST"]),
                Route("/userinfo", self._userinfo),
            ]
        )

    def _metadata(self, _: Request) -> Response:
        if self.is_down:
            return Response("secret details of the provider", 500)
        return JSONResponse(
            {
                "issuer": self.issuer,
                "authorization_endpoint": f"{self.issuer}/authorize",
                "token_endpoint": f"{self.issuer}/token",
                "userinfo_endpoint": f"{self.issuer}/userinfo",
                "jwks_uri": f"{self.issuer}/keys",
                "id_token_signing_alg_values_supported": ["RS256", "HS256", "none"],
            }
        )

    def _keys(self, _: Request) -> Response:
        return JSONResponse({"keys": [self.key.as_dict(private=False)]})

    def _authorize(self, request: Request) -> Response:
        asked = dict(request.query_params)
        self.requests.append(asked)
        assert (asked["client_id"], asked["response_type"]) == (CLIENT, "code")
        assert asked["code_challenge_method"] == "S256"
        code = secrets.token_urlsafe(16)
        self._codes[code] = asked
        return RedirectResponse(
            f"{asked['redirect_uri']}?{urlencode({'code': code, 'state': asked['state']})}", status_code=302
        )

    async def _token(self, request: Request) -> Response:
        if self.is_down:
            return Response("secret details of the provider", 500)
        form = await request.form()
        asked = self._codes.pop(str(form["code"]), None)  # each code works once
        basic = base64.b64encode(f"{CLIENT}:{SECRET.replace(' ', '+')}".encode()).decode()
        plain = base64.b64encode(f"{CLIENT}:{SECRET}".encode()).decode()
        is_client = request.headers.get("authorization") in (f"Basic {basic}", f"Basic {plain}")
        digest = hashlib.sha256(str(form.get("code_verifier", "")).encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).decode().rstrip("=")
        if (
            asked is None
            or not is_client
            or (challenge, str(form["redirect_uri"])) != (asked["code_challenge"], asked["redirect_uri"])
        ):
            return JSONResponse({"error": "invalid_grant"}, 400)
        token = {"access_token": "token", "token_type": "Bearer", "id_token": self._id_token(asked["nonce"])}
        return JSONResponse(token)

    def _id_token(self, nonce: str) -> str:
        now = int(time.time())
        hidden = ("email", "email_verified") if self.tells_address_on_asking else ()
        claims = {name: value for name, value in self.person.items() if name not in hidden}
        claims |= {"iss": self.issuer, "aud": CLIENT, "iat": now, "exp": now + 300, "nonce": nonce}
        self.bend(claims)
        if self.algorithm == "none":
            head, body = (
                base64.urlsafe_b64encode(str(part).replace("'", '"').replace("True", "true").encode()).decode()
                for part in ({"alg": "none"}, claims)
            )
            return f"{head.rstrip('=')}.{body.rstrip('=')}."
        key = self.signing_key or self.key
        return jwt.encode({"alg": self.algorithm, "kid": key.kid}, claims, key)

    def _userinfo(self, request: Request) -> Response:
        assert request.headers["authorization"] == "Bearer token"
        return JSONResponse(self.person | self.on_asking)


@contextmanager
def running(provider: Provider) -> Iterator[Provider]:
    """The provider at a free port of this machine."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        provider.issuer = f"http://127.0.0.1:{listening.getsockname()[1]}"
        server = uvicorn.Server(uvicorn.Config(provider.app(), log_level="warning", lifespan="off"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        while not server.started and thread.is_alive():
            time.sleep(0.01)
        yield provider
        server.should_exit = True
        thread.join()
