"""``codejury execute`` end to end, in the sandbox that this machine has."""

import gzip
import json
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from app.execution.human_eval import Task, read_tasks
from app.execution.json_lines import open_lines
from tests.cli.test_cli import codejury
from tests.shared_data import shared_data


@pytest.fixture(scope="module")
def tasks() -> dict[str, Task]:
    with open_lines(shared_data("humaneval", "HumanEval.jsonl")) as file:
        return read_tasks(file, "HumanEval.jsonl")


@pytest.fixture
def problems() -> str:
    return str(shared_data("humaneval", "HumanEval.jsonl"))


def write(path: Path, rows: list[dict[str, str]]) -> Path:
    content = "".join(json.dumps(row) + "\n" for row in rows).encode()
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return path


def read(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def first_line(answer: CompletedProcess[str]) -> str:
    assert answer.returncode == 0, answer.stderr
    return answer.stdout.splitlines()[0]


def test_canonical_solutions_pass_and_others_fail(tasks: dict[str, Task], problems: str, tmp_path: Path) -> None:
    """Eight tasks, a right sample and a wrong one each: by the formula, pass@1 is 0.5 and pass@2 is 1."""
    chosen = list(tasks.values())[:8]
    right = [{"task_id": each.task_id, "completion": each.canonical_solution or ""} for each in chosen]
    wrong = [{"task_id": each.task_id, "completion": "    return None\n"} for each in chosen]
    both = write(tmp_path / "both.jsonl.gz", [*right, *wrong])
    answer = codejury("execute", str(both), "--problems", problems, "--k", "1,2,10")
    assert first_line(answer) == "{'pass@1': 0.5, 'pass@2': 1.0}"
    assert "pass@10  undefined: 8 of 8 tasks have fewer than 10 samples" in answer.stdout
    assert "156 of the 164 tasks have no sample" in answer.stdout
    rows = read(tmp_path / "both.jsonl.gz_results.jsonl")
    assert [row["passed"] for row in rows] == [True] * 8 + [False] * 8
    assert {row["verdict"] for row in rows[:8]} == {"passed"}
    assert {row["tier"] for row in rows} <= {"ns", "landlock"}
    assert {row["completion"] for row in rows[8:]} == {"    return None\n"}


@pytest.mark.slow
def test_all_canonical_solutions_pass(tasks: dict[str, Task], problems: str, tmp_path: Path) -> None:
    rows = [{"task_id": each.task_id, "completion": each.canonical_solution or ""} for each in tasks.values()]
    samples = write(tmp_path / "samples.jsonl", rows)
    answer = codejury(
        "execute", str(samples), "--problems", problems, "--k", "1", "--json", "--out", str(tmp_path / "o")
    )
    assert answer.returncode == 0, answer.stderr
    found = json.loads(answer.stdout)
    assert found["pass_at_k"]["pass@1"]["estimate"]["value"] == 1
    assert (found["verdicts"], found["incomplete"]) == ({"passed": 164}, 0)


def test_whole_programs_limits_and_the_end_of_stderr(tasks: dict[str, Task], problems: str, tmp_path: Path) -> None:
    task = tasks["HumanEval/0"]
    whole = task.prompt + (task.canonical_solution or "")
    rows = [
        {"task_id": task.task_id, "solution": whole},
        {"task_id": task.task_id, "solution": "while True: pass"},
        {"task_id": task.task_id, "solution": "raise KeyError('missing')"},
        {"task_id": task.task_id, "solution": "x = 'a' * (1 << 40)"},
    ]
    out = tmp_path / "out.jsonl"
    options = ("--cpu", "1", "--wall", "5", "--memory", "256", "--jobs", "2", "--out", str(out))
    answer = codejury("execute", str(write(tmp_path / "s.jsonl", rows)), "--problems", problems, *options)
    assert first_line(answer) == "{'pass@1': 0.25}"
    found = read(out)
    assert [row["verdict"] for row in found] == ["passed", "timeout", "error", "memory"]
    assert found[0]["limits"] == {"cpu": 1, "wall": 5, "memory": 256 << 20, "output": 16 << 20}
    assert "KeyError" in str(found[2]["reason"])
    assert "missing" in str(found[2]["stderr"])


def test_a_file_of_results_is_not_written_over(tasks: dict[str, Task], problems: str, tmp_path: Path) -> None:
    samples = write(tmp_path / "s.jsonl", [{"task_id": "HumanEval/0", "completion": "    return 1"}])
    out = tmp_path / "out.jsonl"
    out.write_text("kept")
    command = ("execute", str(samples), "--problems", problems, "--out", str(out))
    refused = codejury(*command)
    assert refused.returncode == 2
    assert "add --replace" in refused.stderr
    assert out.read_text() == "kept"
    assert first_line(codejury(*command, "--replace")) == "{'pass@1': 0.0}"
    assert read(out)[0]["passed"] is False


def test_bad_rows_are_named_and_nothing_runs(problems: str, tmp_path: Path) -> None:
    rows = [{"task_id": "HumanEval/0", "completion": ""}, {"task_id": "HumanEval/164", "completion": ""}, {"x": "y"}]
    answer = codejury("execute", str(write(tmp_path / "s.jsonl", rows)), "--problems", problems)
    assert answer.returncode == 1
    assert "row 2, column 'task_id': There is no task 'HumanEval/164'." in answer.stderr
    assert "row 3, column 'task_id': There is no such field." in answer.stderr
    assert [each.name for each in tmp_path.iterdir()] == ["s.jsonl"]
    assert "Traceback" not in answer.stderr


@pytest.mark.parametrize(
    ("options", "hint"),
    [
        (("--k", "1,x"), "--k"),
        (("--k", "0"), "--k"),
        (("--cpu", "0"), "--cpu"),
        (("--wall", "-1"), "--wall"),
        (("--wall", "nan"), "--wall"),
        (("--memory", "0"), "--memory"),
        (("--jobs", "0"), "--jobs"),
        (("--seed", "-1"), "--seed"),
        (("--out", "no/such/folder/out.jsonl"), "--out"),
    ],
)
def test_wrong_usage_names_the_option(options: tuple[str, str], hint: str, problems: str, tmp_path: Path) -> None:
    samples = write(tmp_path / "s.jsonl", [{"task_id": "HumanEval/0", "completion": ""}])
    answer = codejury("execute", str(samples), "--problems", problems, *options)
    assert answer.returncode == 2
    assert hint in answer.stderr


def test_files_that_are_not_there(problems: str, tmp_path: Path) -> None:
    answer = codejury("execute", str(tmp_path / "none.jsonl"), "--problems", problems)
    assert answer.returncode == 1
    assert "none.jsonl can't be read: No such file" in answer.stderr


def test_results_are_never_written_over_the_samples(problems: str, tmp_path: Path) -> None:
    samples = write(tmp_path / "samples.jsonl", [{"task_id": "HumanEval/0", "completion": "    return True\n"}])
    before = samples.read_bytes()
    answer = codejury("execute", str(samples), "--problems", problems, "--out", str(samples), "--replace")
    assert answer.returncode == 2
    assert "written over the samples" in answer.stderr
    assert samples.read_bytes() == before
