"""Which function does which kind of run."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from sqlalchemy.orm import Session

if TYPE_CHECKING:
    from app.services.runs.context import RunContext

# What a handler returns: called with the session of the final commit, it stores the result and tells what to show.
Store = Callable[[Session], dict[str, Any]]
Handler = Callable[["RunContext"], Store]

# Modules that register handlers; imported when the first run of a process is executed.
MODULES = (
    "app.services.imports.runs",
    "app.services.scoring",
    "app.services.analysis.runs",
    "app.services.exports.runs",
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
    """The function for that kind; KeyError when there is none."""
    if kind not in _handlers:
        for module in MODULES:
            import_module(module)
    return _handlers[kind]
