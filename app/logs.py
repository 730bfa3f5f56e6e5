"""How a process logs: one line an event on standard error, in text for people or in JSON for machines.

Nobody is named in it: a line holds ids, routes and kinds. What failures of libraries quote of people's input is cut.
"""

import logging
import re
import sys
import traceback
from collections.abc import Callable, MutableMapping
from typing import Any, Literal

import structlog

from app.words import inert

Level = Literal["debug", "info", "warning", "error"]
Form = Literal["text", "json"]
Event = MutableMapping[str, Any]

# What people's input looks like where a message quotes it, and what stands in its place.
QUOTED = (
    (re.compile(r"[\w.+%-]+@[\w-]+(?:\.[\w-]+)+"), "<e-mail address>"),
    (re.compile(r"(https?://[^\s?'\"]+)\?[^\s'\"]*"), r"\1?<query>"),
    (re.compile(r"(?<![\w-])(?:cj_[0-9a-f]{8}_)?[\w-]{43}(?![\w-])"), "<secret>"),
    # PostgreSQL's own: the row that it refuses.
    (re.compile(r"^(DETAIL|CONTEXT):.*$", re.MULTILINE), r"\1: <left out>"),
)


def configure_logging(level: Level = "info", form: Form = "text") -> None:
    """Our own events. structlog's default would print every local variable with a traceback: passwords among them."""
    structlog.configure(
        processors=[structlog.contextvars.merge_contextvars, *_about_the_event(), *_written(form)],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[level.upper()]),
        # Looked up anew for each event: who redirects standard error gets what comes after.
        logger_factory=lambda *_: structlog.PrintLogger(sys.stderr),
        cache_logger_on_first_use=False,
    )


def adopt_libraries(form: Form = "text", level: int = logging.WARNING) -> None:
    """What libraries tell by Python's own logging from that level on, in the same form."""
    handler = logging.StreamHandler()
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[structlog.contextvars.merge_contextvars, *_about_the_event()],
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *_written(form)],
        )
    )
    logging.basicConfig(handlers=[handler], level=level, force=True)


def without_input(text: str) -> str:
    """The text without what it quotes of people's input."""
    for pattern, instead in QUOTED:
        text = pattern.sub(instead, text)
    return text


def _about_the_event() -> list[Callable[[Any, str, Event], Event]]:
    return [structlog.processors.add_log_level, structlog.processors.TimeStamper(fmt="iso", utc=True)]


def _written(form: Form) -> list[Callable[[Any, str, Event], Any]]:
    if form == "json":
        return [_tell_failure, _clean, structlog.processors.JSONRenderer(ensure_ascii=False, default=str)]
    return [_tell_failure, _clean, structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())]


def _tell_failure(_logger: object, _name: str, event: Event) -> Event:
    """The traceback as text, without local variables."""
    failure = event.pop("exc_info", None)
    if failure is True:
        failure = sys.exc_info()[1]
    if isinstance(failure, tuple):
        failure = failure[1]
    if isinstance(failure, BaseException):
        event["exception"] = "".join(traceback.format_exception(failure))
    return event


def _clean(_logger: object, _name: str, event: Event) -> Event:
    for key, value in event.items():
        if isinstance(value, str):
            event[key] = without_input(inert(value))
    return event
