"""The time, from one place, so that tests can hold it."""

from datetime import UTC, datetime


def utc_now() -> datetime:
    """Now, with its zone."""
    return datetime.now(UTC)
