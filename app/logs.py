"""How this process logs: one line an event, tracebacks without local variables."""

import structlog


def configure_logging() -> None:
    """structlog's default would print every local variable with a traceback: forms, and so passwords, among them."""
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback),
        ]
    )
