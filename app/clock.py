"""The time, from one place, so that tests can hold it."""

from datetime import UTC, datetime, timedelta

_behind = timedelta()


def utc_now() -> datetime:
    """Now, with its zone."""
    return datetime.now(UTC) + _behind


def go_by(other: datetime) -> timedelta:
    """From now on tell the time that another clock tells, ours being so far behind it."""
    global _behind  # noqa: PLW0603 - a process has one time
    _behind = other - datetime.now(UTC)
    return _behind


def go_by_own() -> None:
    """Tell this machine's time."""
    global _behind  # noqa: PLW0603
    _behind = timedelta()
