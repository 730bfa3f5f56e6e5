"""Failures as a page, a fragment or JSON, whichever was asked for."""

import re
from dataclasses import asdict
from urllib.parse import quote

import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from sqlalchemy.exc import DataError, OperationalError, SQLAlchemyError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from app.errors import AppError, Busy, InvalidInput, NotFound, Problem, SignInNeeded
from app.ids import new_opaque_id
from app.services import accounts
from app.web.cookies import session_token
from app.web.database import database_of
from app.web.htmx import is_fragment_request, redirect
from app.web.languages import language_of
from app.web.security import secure_headers
from app.web.templating import render
from app.words import N_, gettext, speaking

log = structlog.get_logger()

TRY_AGAIN = N_("Try again in a few seconds.")
RETRY_SECONDS = 5
_JSON = re.compile(r"\bapplication/(?:[\w.-]+\+)?json\b", re.IGNORECASE)


def install(app: FastAPI) -> None:
    """Register one handler a kind of failure."""
    app.add_exception_handler(AppError, _on_app_error)
    app.add_exception_handler(RequestValidationError, _on_validation_error)
    app.add_exception_handler(HTTPException, _on_http_error)
    app.add_exception_handler(DataError, _on_unstorable)
    app.add_exception_handler(OperationalError, _on_database_trouble)
    app.add_exception_handler(Exception, _on_unexpected)


def _on_app_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, AppError)
    if isinstance(error, SignInNeeded) and request.method == "GET" and not _wants_json(request):
        return redirect(request, f"/sign-in?next={quote(_address(request), safe='/')}")
    return _answer(request, error)


def _on_validation_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    problems = [
        Problem(str(each["msg"]), field=".".join(str(part) for part in each["loc"][1:]) or None)
        for each in error.errors()
    ]
    message = gettext("Some of what was sent is missing or not of the right kind.")
    return _answer(request, InvalidInput(message, problems))


def _on_http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    _recognise(request)
    if error.status_code == 404:
        return _answer(request, NotFound(gettext("There is no page at this address.")))
    told = AppError(str(error.detail))
    told.status, told.title = error.status_code, N_("That did not work")
    answer = _answer(request, told)
    answer.headers.update(error.headers or {})  # a 405 names the methods that do work
    return answer


def _recognise(request: Request) -> None:
    """No route ran, or none came so far as to look who asks: a signed-in person's page keeps its menu."""
    if hasattr(request.state, "principal") or not session_token(request):
        return
    try:
        with database_of(request).read() as session:
            request.state.principal = accounts.find_principal(session, session_token(request))
    except SQLAlchemyError as error:  # the page is about another failure
        log.warning("not_recognised", exc_info=error)


def _on_unstorable(request: Request, error: Exception) -> Response:
    """PostgreSQL refuses a NUL even to look for it, and numbers beyond a column's range."""
    log.warning("unstorable_input", path=request.url.path, exc_info=error)
    message = gettext("Something that was sent holds a NUL character or a number out of range.")
    return _answer(request, InvalidInput(message))


def _on_database_trouble(request: Request, error: Exception) -> Response:
    """The database is away, locked for too long, or full: true for now, so try again. Browsers' queues do."""
    log.error("database_trouble", path=request.url.path, exc_info=error)
    message = gettext("The database doesn't answer just now. Nothing was changed.")
    answer = _answer(request, Busy(message, remedy=gettext(TRY_AGAIN)))
    answer.headers["Retry-After"] = str(RETRY_SECONDS)
    return answer


def _on_unexpected(request: Request, error: Exception) -> Response:
    reference = new_opaque_id()[:12]
    # The route's pattern, since the path itself may hold the secret of a link.
    route = getattr(request.scope.get("route"), "path", "none")
    log.error("unexpected_failure", reference=reference, method=request.method, route=route, exc_info=error)
    # Starlette answers the unexpected outside all middleware, so this answer gets its language and its headers here.
    with speaking(language_of(request)):
        answer = _answer(request, _unexpected(reference))
    secure_headers(answer.headers, request.scope, answer.status_code, https=request.app.state.settings.https)
    return answer


def _address(request: Request) -> str:
    """Path and query as asked, to come back to after signing in."""
    return request.url.path + (f"?{request.url.query}" if request.url.query else "")


def _unexpected(reference: str) -> AppError:
    message = gettext("The failure was logged as %(reference)s. What you saved before is safe.", reference=reference)
    return AppError(message, remedy=gettext("Try again; if it stays, tell the team."))


def _wants_json(request: Request) -> bool:
    if request.url.path.startswith("/api/"):
        return True
    accept = request.headers.get("accept", "")
    if "text/html" in accept:
        return False
    return any(_JSON.search(value) for value in (accept, request.headers.get("content-type", "")))


def _answer(request: Request, error: AppError) -> Response:
    if _wants_json(request):
        return JSONResponse(_problem_details(error), error.status, media_type="application/problem+json")
    if error.status < 500:  # when the database is away, it is not asked once more
        _recognise(request)
    return render(
        request,
        "errors/_error.html" if is_fragment_request(request) else "errors/page.html",
        status_code=error.status,
        title=gettext(error.title),
        message=error.message,
        remedy=error.remedy,
        problems=_problems(error),
    )


def _problems(error: AppError) -> list[Problem]:
    return error.problems if isinstance(error, InvalidInput) else []


def _problem_details(error: AppError) -> dict[str, object]:
    """RFC 9457 problem details."""
    body: dict[str, object] = {"status": error.status, "title": gettext(error.title), "detail": error.message}
    if error.remedy:
        body["remedy"] = error.remedy
    if problems := _problems(error):
        body["problems"] = [
            {key: value for key, value in asdict(each).items() if value is not None} for each in problems
        ]
    return body
