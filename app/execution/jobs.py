"""A program as the judge reads it, and an outcome from what it reports."""

import dataclasses
from typing import Any

from app.execution.protocol import Limits, Outcome, Program, Strength, Tier, Verdict

VERSION = 1  # of the sandbox: what it forbids and how it judges; part of every outcome's signature


def as_job(program: Program, strength: Strength, runtime: dict[str, Any] | None = None) -> dict[str, Any]:
    """What is sent. ``runtime``: how a program in another language than Python is run."""
    return {
        "runtime": runtime,
        "source": program.source,
        "tests": program.tests,
        "helpers": program.helpers,
        "entry_point": program.entry_point,
        "limits": dataclasses.asdict(program.limits),
        "in_process": strength is Strength.IN_PROCESS,
    }


def as_outcome(report: dict[str, Any], limits: Limits, tier: Tier, runtime: str) -> Outcome:
    """What came of it."""
    verdict = Verdict(report["verdict"])
    return Outcome(
        verdict=verdict,
        reason=storable(report["reason"]),
        stderr=storable(report["stderr"]),
        stdout=storable(report["stdout"]),
        tier=tier,
        strength=Strength(report["strength"]) if verdict is not Verdict.NOT_RUN else None,
        cpu_seconds=report["cpu"],
        wall_seconds=report["wall"],
        memory_bytes=report["memory"],
        limits=limits,
        runtime=signature(runtime),
    )


def nothing(verdict: Verdict, reason: str, limits: Limits, tier: Tier | None = None) -> Outcome:
    """The outcome where nothing came of it."""
    text = storable(" ".join(reason.split())[:500])
    return Outcome(verdict, text, "", "", tier, None, 0.0, 0.0, 0, limits, "")


def signature(runtime: str) -> str:
    """What ran a program; ``runtime`` is a language with its version, like "python:3.11.2"."""
    return f"{runtime}|sandbox:{VERSION}"


def storable(text: str) -> str:
    """With what no database holds (NUL, lone surrogates) replaced."""
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode("utf-8")
