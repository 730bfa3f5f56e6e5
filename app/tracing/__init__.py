"""Traces by OpenTelemetry, where somebody collects them: OTEL_EXPORTER_OTLP_ENDPOINT says where.

Without it nothing that could send is imported, and every function here does nothing. The spans are made here, all of
them, so that nothing leaves but what is written below: no address, no query, no header, and statements without their
parameters. A failure is marked and not told, since its message may quote what somebody sent.

A run's public id is its trace's id: all attempts at it are one trace, and the trace of the request that asked for it
holds a link to it.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from app import __version__

if TYPE_CHECKING:
    from opentelemetry.trace import Span, SpanContext, Tracer

_tracer: "Tracer | None" = None


def begin(endpoint: str | None, part: str) -> None:
    """Trace from now on, if there is anybody to send it to. ``part``: web or worker."""
    global _tracer  # noqa: PLW0603 - a process has one tracer
    if endpoint and _tracer is None:
        from app.tracing.export import make_tracer  # noqa: PLC0415 - for those who want it

        _tracer = make_tracer(part, __version__)


def is_on() -> bool:
    """Whether anything is traced."""
    return _tracer is not None


@contextmanager
def request_span() -> Iterator["Span | None"]:
    """A span for what is done in the block; None where nothing is traced."""
    if _tracer is None:
        yield None
        return
    from opentelemetry.trace import SpanKind  # noqa: PLC0415

    silent = _tracer.start_as_current_span(
        "request", kind=SpanKind.SERVER, record_exception=False, set_status_on_exception=False
    )
    with silent as span:
        yield span


def describe_request(span: "Span | None", method: str, route: str, status: int, request_id: str) -> None:
    """What became of the request."""
    if span is None:
        return
    span.update_name(f"{method} {route}")
    span.set_attributes(
        {
            "http.request.method": method,
            "http.route": route,
            "http.response.status_code": status,
            "codejury.request": request_id,
        }
    )
    if status >= 500:
        mark_failed(span)


def statement_span(system: str, statement: str) -> "Span | None":
    """A span for a statement of a request or a run, to be ended; None for what a process asks by itself."""
    if _tracer is None:
        return None
    from opentelemetry.trace import SpanKind, get_current_span  # noqa: PLC0415

    if not get_current_span().is_recording():
        return None
    attributes = {"db.system.name": system, "db.query.text": statement}
    return _tracer.start_span(statement.split(maxsplit=1)[0], kind=SpanKind.CLIENT, attributes=attributes)


def link_run(public_id: str) -> None:
    """The request that is being answered asked for this run."""
    if _tracer is None:
        return
    from opentelemetry.trace import get_current_span  # noqa: PLC0415

    get_current_span().add_link(_of_run(public_id), {"codejury.run": public_id})


@contextmanager
def run_span(public_id: str, kind: str, study: str | None) -> Iterator[None]:
    """One attempt at a run, in the run's own trace."""
    if _tracer is None:
        yield
        return
    from opentelemetry.trace import NonRecordingSpan, SpanKind, set_span_in_context  # noqa: PLC0415

    parent = set_span_in_context(NonRecordingSpan(_of_run(public_id)))
    attributes = {"codejury.run": public_id, "codejury.run.kind": kind, "codejury.study": study or ""}
    silent = _tracer.start_as_current_span(
        f"run {kind}",
        parent,
        SpanKind.CONSUMER,
        attributes,
        record_exception=False,
        set_status_on_exception=False,
    )
    with silent:
        yield


def mark_failed(span: "Span") -> None:
    """What the span stands for went wrong."""
    from opentelemetry.trace import Status, StatusCode  # noqa: PLC0415

    span.set_status(Status(StatusCode.ERROR))


def _of_run(public_id: str) -> "SpanContext":
    """Where a run's trace begins."""
    from opentelemetry.trace import SpanContext, TraceFlags  # noqa: PLC0415

    return SpanContext(int(public_id, 16), int(public_id[:16], 16), is_remote=True, trace_flags=TraceFlags(1))
