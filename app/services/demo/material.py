"""The demo's problems and outputs, read from the file beside this one."""

import tomllib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

SYSTEMS = ("oak", "birch", "cedar", "elm")


@dataclass(frozen=True, slots=True)
class DemoOutput:
    """One invented system's text and how helpful its author meant it to be, 0 to 4."""

    text: str
    quality: int


@dataclass(frozen=True, slots=True)
class DemoProblem:
    """One problem with its reference and an output of every system."""

    key: str
    intent: str
    reference: str
    outputs: dict[str, DemoOutput]


@lru_cache
def demo_problems() -> tuple[DemoProblem, ...]:
    """All problems, in the order of the file."""
    data = tomllib.loads((Path(__file__).parent / "material.toml").read_text(encoding="utf-8"))
    return tuple(
        DemoProblem(
            key=each["key"],
            intent=each["intent"],
            reference=each["reference"],
            outputs={name: DemoOutput(text=each[name][1], quality=each[name][0]) for name in SYSTEMS},
        )
        for each in data["problem"]
    )
