"""The one place where a runner is opened."""

from app.config import Settings
from app.execution.protocol import Runner


def queue_of(settings: Settings) -> str:
    """Where executions wait: for workers beside the sandbox's own host, where one is set up; else for any."""
    return "runner" if settings.runner_socket else "cpu"


def open_for(settings: Settings, slots: int | None = None) -> Runner:
    """A runner for one run; the caller closes it. NoSandbox says why where no wall stands.

    slots: programs at a time, by default all cores but one; the sandbox's host has its own number.
    """
    from app.execution import RemoteRunner, open_runner  # noqa: PLC0415 - a web process never needs it

    if settings.runner_socket:
        return RemoteRunner(settings.runner_path)
    return open_runner(slots, allow_unsafe=settings.allows_no_isolation)
