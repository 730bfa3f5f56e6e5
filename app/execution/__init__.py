"""Running programs that nobody can vouch for: a sandbox, a judge that holds the tests, and verdicts."""

from app.execution.protocol import COUNTED, Limits, Outcome, Program, Runner, Strength, Tier, Verdict
from app.execution.refusal import NoSandbox
from app.execution.remote import RemoteRunner
from app.execution.runner import open_runner

__all__ = [
    "COUNTED",
    "Limits",
    "NoSandbox",
    "Outcome",
    "Program",
    "RemoteRunner",
    "Runner",
    "Strength",
    "Tier",
    "Verdict",
    "open_runner",
]
