"""Samples run and summed up, by a runner of the tests' own: a real Python for each program."""

import itertools
import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from app.cli.executed import Result, run
from app.cli.execution_summary import Summary
from app.execution.human_eval import Sample, Task
from app.execution.protocol import Limits, Outcome, Program, Verdict
from tests.cli.plain_runner import PlainRunner

TASKS = {
    name: Task(name, "def f(x):\n", "f", f"def check(candidate):\n    assert candidate(1) == {result}\n")
    for name, result in (("T/0", 2), ("T/1", 3), ("T/2", 4))
}
RIGHT, WRONG, BROKEN = "    return x + 1\n", "    return 'é'\n", "    return ("


def sample(name: str, completion: str, row: int = 1) -> Sample:
    return Sample(
        TASKS[name], TASKS[name].prompt + completion, row, {"task_id": name, "completion": completion, "by": "\ud800"}
    )


def summary(results: list[Result], ks: tuple[int, ...] = (1, 2, 10)) -> Summary:
    return Summary(results, TASKS, ks, draws=200, seed=0)


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> list[Result]:
    target = tmp_path_factory.mktemp("executed") / "results.jsonl"
    samples = [sample("T/0", RIGHT), sample("T/0", WRONG), sample("T/1", BROKEN), sample("T/1", RIGHT)]
    found = run(samples, Limits(wall=20), PlainRunner(), target)
    rows = [json.loads(line) for line in target.read_text(encoding="utf-8").splitlines()]
    assert rows == [json.loads(json.dumps(each.as_row())) for each in found]
    assert list(target.parent.iterdir()) == [target]
    return found


def test_each_row_holds_the_sample_and_its_verdict(results: list[Result]) -> None:
    rows = [each.as_row() for each in results]
    assert [row["verdict"] for row in rows] == ["passed", "failed", "error", "failed"]
    assert [row["passed"] for row in rows] == [True, False, False, False]
    assert [row["result"].split(":")[0] for row in rows] == ["passed", "failed", "error", "failed"]
    assert rows[0]["completion"] == RIGHT
    assert rows[0]["by"] == "\ud800"  # half of a pair, in a field that nothing runs
    assert "SyntaxError" in rows[2]["stderr"]


def test_the_first_line_is_that_of_the_usual_harness(results: list[Result]) -> None:
    words = summary(results).in_words().splitlines()
    assert words[0] == "{'pass@1': 0.25, 'pass@2': 0.5}"
    assert words[1].startswith("pass@1    25.00 %  +")
    assert words[3] == "pass@10  undefined: 2 of 2 tasks have fewer than 10 samples"
    assert words[4] == "Verdicts: 1 passed, 2 failed, 1 error."
    assert "could reach all that this account can" in words[5]
    assert words[6] == "1 of the 3 tasks have no sample and count in no number above."


def test_the_numbers_are_human_eval_s(results: list[Result]) -> None:
    """estimate_pass_at_k of the published harness, 1 - prod(1 - k / arange(n - c + 1, n + 1)), and their mean."""
    found = json.loads(summary(results).as_json())
    grouped = itertools.groupby(results, key=lambda result: result.sample.task.task_id)
    cases = [[result.passed for result in of_task] for _, of_task in grouped]
    for k in (1, 2):
        published = [
            1.0
            if len(case) - sum(case) < k
            else 1.0 - np.prod(1.0 - k / np.arange(len(case) - sum(case) + 1, len(case) + 1))
            for case in cases
        ]
        assert found["pass_at_k"][f"pass@{k}"]["estimate"]["value"] == pytest.approx(np.mean(published))
    assert found["pass_at_k"]["pass@10"]["estimate"] == {
        "value": None,
        "low": None,
        "high": None,
        "reason": "a problem has fewer than 10 samples",
    }
    assert found["tasks_without_samples"] == ["T/2"]
    assert (found["samples"], found["tiers"], found["runtimes"]) == (4, ["none"], ["python:test"])


def test_our_own_fault_counts_neither_way_and_is_shown(results: list[Result]) -> None:
    ours = replace(results[1].outcome, verdict=Verdict.SANDBOX_ERROR, reason="the judge went away", tier=None)
    found = summary([results[0], Result(replace(results[1].sample, row=7), ours)], (1,))
    assert found.incomplete == 1
    assert found.results[1].as_row()["passed"] is None
    words = found.in_words()
    assert words.startswith("{'pass@1': 1.0}")
    assert "1 passed, 1 sandbox_error" in words
    assert "1 of 2 samples have no verdict" in words
    assert "the first is row 7: the judge went away" in words


def test_no_verdict_at_all_is_undefined_and_not_zero(results: list[Result]) -> None:
    ours = replace(results[0].outcome, verdict=Verdict.NOT_RUN, reason="no wall", tier=None, strength=None)
    words = summary([Result(results[0].sample, ours)], (1,)).in_words().splitlines()
    assert words[0] == "{}"
    assert words[1] == "pass@1   undefined: 1 of 1 tasks have fewer than 1 samples"
    assert words[3] == "Sandbox: nothing ran."


def test_a_stopped_run_leaves_no_file_of_results(tmp_path: Path) -> None:
    class Stopping(PlainRunner):
        def run_all(self, programs: Iterable[Program]) -> Iterator[Outcome]:
            yield self.run(next(iter(programs)))
            raise KeyboardInterrupt

    target = tmp_path / "results.jsonl"
    with pytest.raises(KeyboardInterrupt):
        run([sample("T/0", RIGHT), sample("T/0", WRONG)], Limits(wall=20), Stopping(), target)
    assert not target.exists()
    assert len((tmp_path / "results.jsonl.part").read_text(encoding="utf-8").splitlines()) == 1
