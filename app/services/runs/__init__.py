"""Runs: background work whose row in the database is the truth.

@handler("analysis")
def analyse(context: RunContext) -> Store:
    with context.database.read() as session: ...          # load
    for done, chunk in enumerate(chunks):
        with context.write() as session: ...               # store a chunk (refused when the run was taken over)
        context.progress(done, total, unit="outputs")      # raises RunCancelled when someone cancelled
    return lambda session: {...}                           # stored in the same commit that says "done"

A handler may be silent as long as it likes: a thread beside it keeps the lease. It may be killed at any moment and be
called again (at most three times), so it goes on from its last stored chunk. ``context.check()`` costs nothing and
raises when the run is no longer wanted: call it in inner loops; who doesn't is ended with its process some seconds
after the run was cancelled. A long run calls ``context.give_way()`` between chunks, so that runs for which somebody
waits go first. A ``"message"`` in the result is shown to people, and
``"links"``, a list of ``{"href", "label"}``, leads them to what was made.
"""

from app.services.runs.context import RunCancelled, RunContext, RunGivesWay, RunLost
from app.services.runs.execution import execute, execute_for_message
from app.services.runs.queueing import cancel, enqueue, find, retry
from app.services.runs.registry import Store, handler

__all__ = [
    "RunCancelled",
    "RunContext",
    "RunGivesWay",
    "RunLost",
    "Store",
    "cancel",
    "enqueue",
    "execute",
    "execute_for_message",
    "find",
    "handler",
    "retry",
]
