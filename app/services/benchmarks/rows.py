"""A benchmark's problems as a file gives them, whatever its layout."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class BenchmarkRow:
    """One problem: a prompt, tests that judge what continues it, and a solution that should pass them."""

    key: str
    row: int  # where it stands in the file
    prompt: str
    tests: str
    entry_point: str | None = None
    canonical_solution: str | None = None
    partial: str | None = None  # the visible half of the solution
    helpers: str = ""  # trusted source that the tests need around them


@dataclass(slots=True)
class BenchmarkFile:
    """All problems of one file."""

    layout: str
    rows: list[BenchmarkRow] = field(default_factory=list)
    keys: set[str] = field(default_factory=set)
    language: str = "python"  # of prompts, solutions and tests
