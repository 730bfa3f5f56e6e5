"""Programs and outcomes as lines of JSON, between a worker and the runner service."""

import dataclasses
import json
from typing import Any

from app.execution.protocol import Limits, Outcome, Program, Strength, Tier, Verdict

LONGEST = 64 << 20
GREETING = {"ask": "tier"}


def line(message: dict[str, Any]) -> bytes:
    """One message."""
    return json.dumps(message).encode() + b"\n"


def program_to_json(program: Program) -> dict[str, Any]:
    """As it travels."""
    return dataclasses.asdict(program)


def program_from_json(data: Any) -> Program:
    """ValueError says what is wrong with what came."""
    try:
        return Program(**{**data, "limits": Limits(**data["limits"])})
    except (TypeError, KeyError) as error:
        raise ValueError(f"no program: {error}") from None


def outcome_to_json(outcome: Outcome) -> dict[str, Any]:
    """As it travels."""
    return dataclasses.asdict(outcome)


def outcome_from_json(data: dict[str, Any]) -> Outcome:
    """What the service answered."""
    return Outcome(
        **{
            **data,
            "verdict": Verdict(data["verdict"]),
            "tier": Tier(data["tier"]) if data["tier"] else None,
            "strength": Strength(data["strength"]) if data["strength"] else None,
            "limits": Limits(**data["limits"]),
        }
    )
