"""Failures as a page, a fragment or JSON, whichever was asked for."""

import re
from dataclasses import asdict
from urllib.parse import quote

import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from sqlalchemy.exc import DataError, IntegrityError, SQLAlchemyError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from app.errors import (
    AppError,
    Busy,
    Conflict,
    InvalidInput,
    NotFound,
    Problem,
    SignInNeeded,
    TooLarge,
    TooMany,
)
from app.services import accounts
from app.storage.troubles import Trouble, met_another, trouble_of
from app.web.cookies import session_token
from app.web.database import database_of
from app.web.htmx import is_fragment_request, redirect
from app.web.languages import language_of
from app.web.methods import methods_at
from app.web.request_log import HEADER, note_route, record_of
from app.web.security import secure_headers
from app.web.templating import render
from app.words import N_, gettext, speaking

log = structlog.get_logger()

TRY_AGAIN = N_("Try again in a few seconds.")
TROUBLES = {
    Trouble.AWAY: N_("The database doesn't answer just now. Nothing was changed."),
    Trouble.READ_ONLY: N_("The database is read-only just now. Nothing was changed."),
    Trouble.FULL: N_("The server's disk is full. Nothing was changed."),
}
RETRY_SECONDS = 5
TITLES = {
    405: N_("Not what this address is for"),
    408: N_("Too slow"),
    413: TooLarge.title,
    415: N_("Not a kind of content that is read here"),
}
FILE_METHODS = ("GET", "HEAD")
_JSON = re.compile(r"\bapplication/(?:[\w.-]+\+)?json\b", re.IGNORECASE)


def install(app: FastAPI) -> None:
    """Register one handler a kind of failure."""
    app.add_exception_handler(AppError, _on_app_error)
    app.add_exception_handler(RequestValidationError, _on_validation_error)
    app.add_exception_handler(HTTPException, _on_http_error)
    app.add_exception_handler(DataError, _on_unstorable)
    app.add_exception_handler(IntegrityError, _on_meeting)
    for kind in (SQLAlchemyError, OSError):
        app.add_exception_handler(kind, _on_trouble)
    app.add_exception_handler(Exception, _on_unexpected)


def _on_app_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, AppError)
    if isinstance(error, SignInNeeded) and request.method == "GET" and not _wants_json(request):
        return redirect(request, f"/sign-in?next={quote(_address(request), safe='/')}")
    answer = _answer(request, error)
    if isinstance(error, TooMany):
        answer.headers["Retry-After"] = str(error.seconds)
    if isinstance(error, Busy):
        answer.headers["Retry-After"] = str(RETRY_SECONDS)
    return answer


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
    headers = dict(error.headers or {})
    message = str(error.detail)
    if error.status_code == 405:
        headers["Allow"] = ", ".join(methods_at(request.app, request.url.path) or FILE_METHODS)
        message = gettext("This address takes %(methods)s only.", methods=headers["Allow"])
    told = AppError(message)
    told.status, told.title = error.status_code, TITLES.get(error.status_code, N_("That did not work"))
    answer = _answer(request, told)
    answer.headers.update(headers)
    return answer


def _recognise(request: Request) -> None:
    """No route ran, or none came so far as to look who asks: a signed-in person's page keeps its menu."""
    if hasattr(request.state, "principal") or not session_token(request):
        return
    try:
        with database_of(request).read() as session:
            request.state.principal = accounts.find_principal(session, session_token(request))
    except SQLAlchemyError as error:  # the page is about another failure
        log.warning("not_recognised", route=_route(request), **_about(error))


def _on_unstorable(request: Request, error: Exception) -> Response:
    """PostgreSQL refuses a NUL even to look for it, and numbers beyond a column's range."""
    log.warning("unstorable_input", route=_route(request), exc_info=error)
    message = gettext("Something that was sent holds a NUL character or a number out of range.")
    return _answer(request, InvalidInput(message))


def _on_meeting(request: Request, error: Exception) -> Response:
    """What was looked for a moment ago and missed is there now, or the other way round."""
    if not met_another(error):
        raise error  # a row that can't be, which is a fault of the program
    log.warning("met_another", route=record_of(request).route, exc_info=error)
    message = gettext("Somebody else stored the same, or took it away, at this moment. Nothing of yours was stored.")
    return _answer(request, Conflict(message, remedy=gettext("Look at it again, then try again.")))


def _on_trouble(request: Request, error: Exception) -> Response:
    """The database is away, or the disk is full: true for now, so try again. Browsers' queues do."""
    trouble = trouble_of(error)
    if trouble is None:
        raise error  # the unexpected has a handler of its own
    log.error("storage_trouble", trouble=trouble.value, route=_route(request), **_about(error))
    answer = _answer(request, Busy(gettext(TROUBLES[trouble]), remedy=gettext(TRY_AGAIN)))
    answer.headers["Retry-After"] = str(RETRY_SECONDS)
    return answer


def _about(error: Exception) -> dict[str, object]:
    """What a line of the log says of it. A database that is away fails every request alike, wherever it comes."""
    if trouble_of(error) is not Trouble.AWAY:
        return {"exc_info": error}
    log.debug("database_away", exc_info=error)
    cause = getattr(error, "orig", None) or error
    return {"kind": type(cause).__name__, "why": next(iter(str(cause).splitlines()), "")}


def _route(request: Request) -> str:
    note_route(request.scope)
    return record_of(request).route


def _on_unexpected(request: Request, error: Exception) -> Response:
    record = record_of(request)
    # Starlette answers the unexpected outside all middleware, so this answer gets its language and its headers here.
    log.error("unexpected_failure", request=record.id, method=record.method, route=record.route, exc_info=error)
    with speaking(language_of(request)):
        answer = _answer(request, _unexpected(record.id))
    answer.headers[HEADER] = record.id
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
        # A program that isn't known learns by what it could be.
        headers = {"WWW-Authenticate": 'Bearer realm="CodeJury"'} if error.status == 401 else None
        return JSONResponse(_problem_details(error), error.status, headers, media_type="application/problem+json")
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
        request_id=record_of(request).id,
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
