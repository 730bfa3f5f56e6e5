"""Signing in through an OpenID Connect provider: the way there, and what it says of who comes back.

Authlib checks the state, the nonce, PKCE and the signature. What it must remember meanwhile lies in a cookie of the
browser that left: so any web process can go on, nothing is stored, and only that browser can come back.
"""

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import structlog
from authlib.integrations.base_client import OAuthError
from authlib.integrations.starlette_client import OAuth, StarletteOAuth2App
from fastapi import Request
from httpx2 import HTTPError
from joserfc.errors import JoseError
from starlette.responses import Response

from app.config import OpenIDSettings
from app.errors import Busy, NotPermitted
from app.services.provider_accounts import Vouched
from app.web.redirects import local_path
from app.words import gettext

log = structlog.get_logger()

PATIENCE_SECONDS = 10.0
REMEMBERED_SECONDS = 15 * 60
LEEWAY_SECONDS = 60
# Signed with a key that the provider alone has; "none" and shared secrets are not taken from anybody.
ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519")


def settings_of(request: Request) -> OpenIDSettings | None:
    """The provider of this installation, if it has one."""
    provider: OpenIDSettings | None = request.app.state.settings.openid
    return provider


@lru_cache(maxsize=8)
def _client(provider: OpenIDSettings) -> StarletteOAuth2App:
    client: StarletteOAuth2App = OAuth().register(
        "openid",
        client_id=provider.client_id,
        client_secret=provider.client_secret.get_secret_value(),
        server_metadata_url=f"{provider.issuer.rstrip('/')}/.well-known/openid-configuration",
        client_kwargs={
            "scope": "openid email profile",
            "code_challenge_method": "S256",
            "timeout": PATIENCE_SECONDS,
        },
    )
    return client


async def leave(request: Request, provider: OpenIDSettings, onward: str) -> Response:
    """Send the browser to the provider, and have it remember why it went."""
    request.scope["session"] = remembered = {"next": local_path(onward)}
    try:
        await _load_metadata(provider)
        back = f"{request.app.state.settings.public_url}/sign-in/openid/callback"
        answer: Response = await _client(provider).authorize_redirect(request, back)
    except (HTTPError, OAuthError, RuntimeError, ValueError) as error:
        raise _trouble(error) from error
    _remember(answer, request, remembered)
    return answer


@dataclass(frozen=True, slots=True)
class Returned:
    """Who came back from the provider, and where they wanted to go."""

    vouched: Vouched
    onward: str


async def come_back(request: Request, provider: OpenIDSettings) -> Returned:
    """What the provider says of who comes; NotPermitted when it is not the answer to what this browser asked."""
    request.scope["session"] = remembered = _remembered(request)
    onward = local_path(remembered.pop("next", None))
    client = _client(provider)
    expected = {
        "iss": {"essential": True, "value": provider.issuer},
        "aud": {"essential": True, "value": provider.client_id},
    }
    try:
        await _load_metadata(provider)
        token = await client.authorize_access_token(request, claims_options=expected, leeway=LEEWAY_SECONDS)
        claims = dict(token["userinfo"])
        if "email" not in claims and "userinfo_endpoint" in client.server_metadata:
            claims = _joined(claims, dict(await client.userinfo(token=token)))
    except HTTPError as error:
        raise _trouble(error) from error
    except (OAuthError, JoseError, KeyError, TypeError, ValueError) as error:
        log.warning("openid_refused", error=type(error).__name__)
        raise NotPermitted(
            gettext("Signing in at the provider didn't work, or took too long."), remedy=gettext("Begin again.")
        ) from error
    return Returned(_vouched(provider, claims), onward)


async def _load_metadata(provider: OpenIDSettings) -> None:
    metadata = await _client(provider).load_server_metadata()
    offered = metadata.get("id_token_signing_alg_values_supported") or ["RS256"]
    metadata["id_token_signing_alg_values_supported"] = [each for each in offered if each in ALGORITHMS]


def _joined(claims: dict[str, Any], told: dict[str, Any]) -> dict[str, Any]:
    """Some providers tell the address on asking only; the answer must be about the same person."""
    if told.get("sub") != claims["sub"]:
        raise ValueError("The provider answered about somebody else.")
    return told | claims


def _vouched(provider: OpenIDSettings, claims: dict[str, Any]) -> Vouched:
    email = claims.get("email")
    return Vouched(
        issuer=provider.issuer,
        subject=str(claims["sub"])[:255],
        email=email if isinstance(email, str) else "",
        name=str(claims.get("name") or ""),
        is_verified=claims.get("email_verified") is True and isinstance(email, str),
    )


def _trouble(error: Exception) -> Busy:
    log.error("openid_provider_trouble", exc_info=error)
    return Busy(
        gettext("The provider that you sign in with doesn't answer."), remedy=gettext("Try again in a few seconds.")
    )


def _cookie(request: Request) -> str:
    return f"{request.app.state.session_cookie}-openid"


def _remember(response: Response, request: Request, state: dict[str, Any]) -> None:
    """Not signed: whoever could change it would have to be this very browser."""
    packed = urlsafe_b64encode(json.dumps(state).encode()).decode()
    https: bool = request.app.state.settings.https
    response.set_cookie(
        _cookie(request), packed, REMEMBERED_SECONDS, path="/", secure=https, httponly=True, samesite="lax"
    )


def _remembered(request: Request) -> dict[str, Any]:
    try:
        state = json.loads(urlsafe_b64decode(request.cookies.get(_cookie(request), "")))
    except (ValueError, RecursionError):
        return {}
    return state if isinstance(state, dict) else {}


def forget(response: Response, request: Request) -> None:
    """Each way to the provider leads back once."""
    https: bool = request.app.state.settings.https
    response.delete_cookie(_cookie(request), path="/", secure=https, httponly=True, samesite="lax")
