"""Tasks and samples in HumanEval's layout: what is read, byte for byte, and how each bad row is named."""

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.errors import InvalidInput
from app.execution.human_eval import Task, helpers_of, read_samples, read_tasks
from app.execution.json_lines import MOST_PROBLEMS, open_lines
from app.execution.protocol import Limits
from tests.shared_data import shared_data

TASK = Task("T/0", "def f(x):\n", "f", "def check(candidate):\n    assert candidate(1) == 2\n")
TASKS = {TASK.task_id: TASK}


def lines(*rows: object) -> list[bytes]:
    return [(row if isinstance(row, str) else json.dumps(row)).encode() + b"\n" for row in rows]


def refused(rows: list[bytes], tasks: dict[str, Task] | None = None) -> list[str]:
    with pytest.raises(InvalidInput) as caught:
        read_samples(rows, TASKS if tasks is None else tasks, "samples.jsonl")
    return [caught.value.message, *map(str, caught.value.problems)]


def test_humaneval_is_read_whole() -> None:
    with open_lines(shared_data("humaneval", "HumanEval.jsonl")) as file:
        tasks = read_tasks(file, "HumanEval.jsonl")
    assert len(tasks) == 164
    assert list(tasks)[:2] == ["HumanEval/0", "HumanEval/1"]
    assert all(task.canonical_solution and "def check(candidate)" in task.test for task in tasks.values())
    assert all(f"def {task.entry_point}(" in task.prompt for task in tasks.values())


def test_a_completion_follows_the_prompt_and_a_solution_is_the_whole() -> None:
    rows = lines(
        {"task_id": "T/0", "completion": "    return x + 1", "model": "m"},
        {"task_id": "T/0", "completion": "    return x + 1"},
        {"task_id": "T/0", "completion": "ignored", "solution": "f = lambda x: 2"},
        {"task_id": "T/0", "completion": ""},
    )
    samples = read_samples(rows, TASKS, "samples.jsonl")
    assert [sample.source for sample in samples] == [
        "def f(x):\n    return x + 1",
        "def f(x):\n    return x + 1",
        "f = lambda x: 2",
        "def f(x):\n",
    ]
    assert samples[0].fields["model"] == "m"
    program = TASK.program(samples[0].source, Limits(cpu=3))
    assert (program.tests, program.entry_point, program.helpers) == (TASK.test, "f", "")
    assert program.limits.cpu == 3


@pytest.mark.parametrize(
    ("prompt", "helpers"),
    [
        (
            'import math\n\ndef g():\n    return 1\n\ndef f(x):\n    """f"""\n',
            "import math\n\ndef g():\n    return 1\n\n",
        ),
        ("import math\n\n@cache\ndef f(x):\n", "import math\n\n"),
        ("def ff(x):\n    return 1\ndef f(x):\n    for y in x:\n", "def ff(x):\n    return 1\n"),
        ("def f(x):\n", ""),
        ("Write a function f.\n", ""),
        ("a = '\\d'\nclass f:\n", "a = '\\d'\n"),
        ("x = 1\n\0", "x = 1\n"),
    ],
)
def test_helpers_are_what_stands_before_the_entry_point(prompt: str, helpers: str) -> None:
    assert helpers_of(prompt, "f") == helpers


def test_humaneval_s_helpers_are_kept() -> None:
    with open_lines(shared_data("humaneval", "HumanEval.jsonl")) as file:
        tasks = read_tasks(file, "HumanEval.jsonl")
    for number, helper in ((10, "is_palindrome"), (32, "poly"), (38, "encode_cyclic"), (50, "encode_shift")):
        task = tasks[f"HumanEval/{number}"]
        helpers = helpers_of(task.prompt, task.entry_point)
        assert f"def {helper}(" in helpers
        assert f"def {task.entry_point}(" not in helpers


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_text_is_kept_as_it_is(text: str) -> None:
    (sample,) = read_samples(lines({"task_id": "T/0", "solution": text}), TASKS, "s")
    assert sample.source == text


def test_blank_lines_and_a_mark_at_the_start_are_no_rows_and_numbers_stay_right() -> None:
    good = b'{"task_id": "T/0", "completion": "x"}\n'
    samples = read_samples([b"\xef\xbb\xbf" + good, b"\n", b"  \r\n", good], TASKS, "s")
    assert [sample.row for sample in samples] == [1, 4]


def test_every_bad_row_is_named() -> None:
    said = refused(
        [
            *lines({"task_id": "T/0", "completion": "fine"}, "{not json", [1, 2]),
            *lines({"completion": "x"}, {"task_id": "T/0"}, {"task_id": "T/0", "completion": 5}),
            *lines({"task_id": "U/9", "completion": "x"}, '{"task_id": "T/0", "completion": "\\ud800"}'),
            b'{"task_id": "\xff"}\n',
            b"[" * 100_000 + b"\n",
        ]
    )
    assert said[0] == "samples.jsonl can't be used:"
    assert [each.split(":")[0] for each in said[1:]] == [
        "row 2",
        "row 3",
        "row 4, column 'task_id'",
        "row 5, column 'completion'",
        "row 6, column 'completion'",
        "row 7, column 'task_id'",
        "row 8, column 'completion'",
        "row 9",
        "row 10",
    ]
    assert "There is no task 'U/9'. Give the file with this benchmark's tasks." in said[6]


def test_many_bad_rows_are_counted() -> None:
    said = refused(lines(*["bad"] * 1030))
    assert len(said) == 1 + MOST_PROBLEMS + 1
    assert said[-1] == f"… and {1030 - MOST_PROBLEMS:,} more."


def test_nothing_is_an_error() -> None:
    assert refused([]) == ["samples.jsonl holds no sample."]
    with pytest.raises(InvalidInput, match="holds no task"):
        read_tasks([b"\n"], "t.jsonl")


def test_a_task_twice_or_half_is_refused() -> None:
    task = {"task_id": "T/0", "prompt": "", "entry_point": "f", "test": "", "canonical_solution": "x"}
    with pytest.raises(InvalidInput) as caught:
        read_tasks(lines(task, task, {**task, "task_id": "T/1", "test": None}, {"task_id": "T/2"}), "t.jsonl")
    assert [str(each) for each in caught.value.problems] == [
        "row 2, column 'task_id': The task T/0 stands in the file before.",
        "row 3, column 'test': This is no text.",
        "row 4, column 'prompt': There is no such field.",
        "row 4, column 'entry_point': There is no such field.",
        "row 4, column 'test': There is no such field.",
    ]


def test_gzip_is_known_by_its_first_bytes(tmp_path: Path) -> None:
    content = b"".join(lines({"task_id": "T/0", "completion": "x"}))
    packed, cut = tmp_path / "samples.jsonl.gz", tmp_path / "cut.jsonl.gz"
    packed.write_bytes(gzip.compress(content))
    cut.write_bytes(gzip.compress(content * 1000)[:-20])
    with open_lines(packed) as file:
        assert len(read_samples(file, TASKS, "s")) == 1
    with open_lines(cut) as file, pytest.raises(InvalidInput, match="can't be read"):
        read_samples(file, TASKS, "cut.jsonl.gz")


def test_a_file_that_is_not_there_or_a_folder(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"none\.jsonl can't be read: No such file"):
        open_lines(tmp_path / "none.jsonl")
    with pytest.raises(InvalidInput, match="can't be read: Is a directory"):
        open_lines(tmp_path)
