"""The session cookie: set it, clear it, and sign a browser in so that an earlier session never lives on."""

from datetime import timedelta

from fastapi import Request
from sqlalchemy.orm import Session
from starlette.responses import Response

from app.services import sign_ins
from app.web.devices import device_of

# Outlives the sign-in, so that whoever opens their link after it isn't taken for somebody new.
ANNOTATOR_COOKIE = sign_ins.ANNOTATOR_LIFETIME + sign_ins.ANNOTATOR_KNOWN


def cookie_name(request: Request) -> str:
    """The session cookie's name here; it carries the __Host- prefix wherever there is TLS."""
    name: str = request.app.state.session_cookie
    return name


def session_token(request: Request) -> str | None:
    """The secret that the browser carries, if any."""
    return request.cookies.get(cookie_name(request))


def set_session_cookie(
    response: Response, request: Request, token: str, lifetime: timedelta = ANNOTATOR_COOKIE
) -> None:
    """Give the browser its secret. Lax, since people arrive by links; the server's own expiry is what counts."""
    response.set_cookie(
        cookie_name(request),
        token,
        max_age=int(lifetime.total_seconds()),
        path="/",
        secure=request.app.state.settings.https,
        httponly=True,
        samesite="lax",
    )


def clear_session_cookie(response: Response, request: Request) -> None:
    """Take the secret back."""
    response.delete_cookie(
        cookie_name(request), path="/", secure=request.app.state.settings.https, httponly=True, samesite="lax"
    )


def sign_in_browser(
    response: Response,
    request: Request,
    session: Session,
    *,
    user_id: int | None = None,
    annotator_id: int | None = None,
) -> None:
    """A new session for this browser. The one it carried ends: a planted or shared cookie gains nothing."""
    sign_ins.end_session(session, session_token(request))
    device = device_of(request) if user_id is not None else ""
    token = sign_ins.start_session(session, user_id=user_id, annotator_id=annotator_id, device=device)
    lifetime = sign_ins.USER_LIFETIME if user_id is not None else ANNOTATOR_COOKIE
    set_session_cookie(response, request, token, lifetime)
