"""Statements as spans of whatever asked for them. (OpenTelemetry's own listeners refuse SQLAlchemy 2.1.)"""

from typing import Any

from sqlalchemy import Connection, Engine, ExceptionContext, ExecutionContext, event

from app import tracing

KEPT = "codejury_span"


def trace_statements(engine: Engine) -> None:
    """Trace the statements of this engine, where anything is traced."""
    if not tracing.is_on():
        return
    event.listen(engine, "before_cursor_execute", _begin)
    event.listen(engine, "after_cursor_execute", _end)
    event.listen(engine, "handle_error", _fail)


def _begin(
    connection: Connection,
    _cursor: Any,
    statement: str,
    _parameters: Any,
    context: ExecutionContext | None,
    _many: bool,
) -> None:
    if context is not None:
        setattr(context, KEPT, tracing.statement_span(connection.dialect.name, statement))


def _end(
    _connection: Connection, _cursor: Any, _statement: str, _parameters: Any, context: ExecutionContext, _many: bool
) -> None:
    if span := getattr(context, KEPT, None):
        span.end()


def _fail(failure: ExceptionContext) -> None:
    if span := getattr(failure.execution_context, KEPT, None):
        tracing.mark_failed(span)
        span.end()
