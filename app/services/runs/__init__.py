"""Runs: background work whose row in the database is the truth.

@handler("analysis")
def analyse(context: RunContext) -> Store:
    with context.database.read() as session: ...          # load
    for done, chunk in enumerate(chunks):
        with context.write() as session: ...               # store a chunk (refused when the run was taken over)
        context.progress(done, total, unit="outputs")      # raises RunCancelled when someone cancelled
    return lambda session: {...}                           # stored in the same commit that says "done"
"""

from app.services.runs.context import RunCancelled, RunContext, RunLost
from app.services.runs.execution import execute
from app.services.runs.queueing import cancel, enqueue, retry
from app.services.runs.registry import Store, handler

__all__ = ["RunCancelled", "RunContext", "RunLost", "Store", "cancel", "enqueue", "execute", "handler", "retry"]
