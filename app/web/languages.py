"""The language of a request: the reader's choice (a cookie), else what the browser asks for, else English."""

import json
from functools import cache, lru_cache

from babel.messages.catalog import Message
from fastapi import Request
from markupsafe import Markup
from starlette.requests import HTTPConnection
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from app import words
from app.words import ENGLISH, LANGUAGES, Language

COOKIE = "language"
YEAR_SECONDS = 365 * 24 * 3600


class SpeakLanguage:
    """Answer each request in its language."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        with words.speaking(language_of(HTTPConnection(scope))):
            await self.app(scope, receive, send)


def language_of(request: HTTPConnection) -> Language:
    """What this request should be answered in."""
    chosen = LANGUAGES.get(request.cookies.get(COOKIE, ""))
    return chosen or accepted(request.headers.get("accept-language", ""))


@lru_cache(maxsize=256)  # browsers say the same each time; few, as a header may be long
def accepted(header: str) -> Language:
    """The best of the languages that a browser lists; one without its country ("de" for "de-AT") is as good."""
    known = {each.tag.lower(): each for each in LANGUAGES.values()}
    for tag in _preferred(header):
        for name in (tag, tag.split("-")[0]):
            if name in known:
                return known[name]
    return ENGLISH


def _preferred(header: str) -> list[str]:
    """Language tags, the most wanted first; what can't be read is left out."""
    weighted = []
    for part in header.split(",")[:20]:
        tag, _, parameter = part.strip().lower().partition(";")
        try:
            weight = float(parameter.strip().removeprefix("q=") or 1)
        except ValueError:
            continue
        if weight > 0:
            weighted.append((-weight, tag.strip()))
    return [tag for _, tag in sorted(weighted, key=lambda each: each[0])]


def remember(response: Response, request: Request, chosen: Language) -> None:
    """Keep the reader's choice in this browser."""
    response.set_cookie(
        COOKIE,
        chosen.code,
        max_age=YEAR_SECONDS,
        path="/",
        secure=request.app.state.settings.https,
        httponly=True,
        samesite="lax",
    )


def script_words() -> Markup:
    """The words that scripts show, as an element that no browser runs; static/js/words.js reads it."""
    return _script_words(words.language().code)


@cache
def _script_words(code: str) -> Markup:
    if code == ENGLISH.code:
        return Markup("")
    found = {_key(each): _forms(code, each) for each in words.catalogue(code) if each.id and _is_for_scripts(each)}
    text = json.dumps(found, ensure_ascii=False, separators=(",", ":"))
    for letter in "<>&":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    # Every letter that HTML reads is escaped above.
    return Markup(f'<script type="application/json" id="words">{text}</script>')  # noqa: S704 - every letter that HTML reads was escaped  # nosec B704


def _is_for_scripts(message: Message) -> bool:
    return any(path.startswith("static/js/") for path, _ in message.locations)


def _key(message: Message) -> str:
    return message.id if isinstance(message.id, str) else message.id[0]


def _forms(code: str, message: Message) -> str | dict[str, str]:
    """The translation; of a plural, one for each kind of number that Intl.PluralRules tells apart."""
    known = words.translations(code)
    if isinstance(message.id, str):
        return known.gettext(message.id)
    one, many = message.id
    return {kind: known.ngettext(one, many, number) for kind, number in _sample_numbers(code).items()}


def _sample_numbers(code: str) -> dict[str, int]:
    """For each kind of number in this language ("one", "few", …) the least one."""
    kind_of = LANGUAGES[code].locale.plural_form
    return {kind_of(number): number for number in reversed(range(200))}
