"""The published CoNaLa study as tests use it: merged problems, outputs, published scores, consensus."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from tests.shared_data import load_json

SYSTEMS = ("baseline", "tranx-annot", "best-tranx", "best-tranx-rerank", "codex")
# Our name of a metric -> the prefix of its keys in the published files.
PUBLISHED_KEYS = {
    "bleu": "bleu",
    "rouge_l": "rougel",
    "chrf": "chrf",
    "meteor": "meteor",
    "ruby": "ruby",
    "codebleu": "codebleu",
}


@dataclass(frozen=True)
class Problem:
    """One of the 472 problems (rows with the same intent merged), in the order of the published file."""

    index: int
    intent: str
    references: tuple[str, ...]
    outputs: dict[str, str]  # by system
    published: dict[str, dict[str, float]]  # by metric, by system: segment score in 0-1, three decimals
    consensus: dict[str, float]  # by system: the published M-MSR grade, 0-4


@dataclass(frozen=True)
class Pair:
    """One of the 2,360 (problem, system) pairs."""

    problem: Problem
    system: str

    @property
    def output(self) -> str:
        return self.problem.outputs[self.system]

    @property
    def references(self) -> tuple[str, ...]:
        return self.problem.references

    def published(self, metric: str) -> float:
        return self.problem.published[metric][self.system]


@cache
def problems() -> tuple[Problem, ...]:
    """The 472 merged problems."""
    rows = load_json("conala", "published", "conala-all-grades.json")
    return tuple(
        Problem(
            index=index,
            intent=row["intent"],
            references=tuple(row["snippet"]),
            outputs={system: row[system] for system in SYSTEMS},
            published={
                name: {system: float(row[f"{key}-{system}"]) for system in SYSTEMS}
                for name, key in PUBLISHED_KEYS.items()
            },
            consensus={system: float(row[f"grade-{system}"]) for system in SYSTEMS},
        )
        for index, row in enumerate(rows)
    )


def pairs() -> Iterator[Pair]:
    """The 2,360 pairs, problem by problem; the systems of a problem in the order of SYSTEMS."""
    for problem in problems():
        for system in SYSTEMS:
            yield Pair(problem, system)
