"""Which function does which kind of run."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from sqlalchemy.orm import Session

from app.errors import AppError
from app.words import gettext

if TYPE_CHECKING:
    from app.services.runs.context import RunContext

# What a handler returns: called with the session of the final commit, it stores the result and tells what to show.
Store = Callable[[Session], dict[str, Any]]
Handler = Callable[["RunContext"], Store]

# Modules that register handlers; imported when the first run of a process is executed.
MODULES = (
    "app.services.imports.runs",
    "app.services.scoring",
    "app.services.execution.runs",
    "app.services.generation.runs",
    "app.services.perturbing.runs",
    "app.services.naturalness.runs",
    "app.services.analysis.runs",
    "app.services.agreement.runs",
    "app.services.exports.runs",
    "app.services.desk.runs",
    "app.services.webhooks.sending",
)

_handlers: dict[str, Handler] = {}


def handler(kind: str) -> Callable[[Handler], Handler]:
    """Decorator: this function does runs of that kind."""

    def add(function: Handler) -> Handler:
        if _handlers.get(kind, function) is not function:
            raise RuntimeError(f"Two handlers for runs of kind {kind!r}.")
        _handlers[kind] = function
        return function

    return add


def handler_of(kind: str) -> Handler:
    """The function for that kind; AppError when this version has none."""
    if kind not in _handlers:
        import_rooms(MODULES)
    if kind not in _handlers:
        raise AppError(
            gettext("This version of CodeJury can't do runs of kind %(kind)s.", kind=repr(kind)),
            remedy=gettext("Start workers of the same version as the web, then try the run again."),
        )
    return _handlers[kind]


def import_rooms(modules: Iterable[str]) -> None:
    """Import services, so that they register what they have."""
    for module in modules:
        import_module(module)
