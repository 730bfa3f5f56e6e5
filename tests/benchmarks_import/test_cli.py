"""``codejury benchmark``, ``generate`` and ``execute-study``: from a file to a scored study, in the real sandbox."""

import json
from pathlib import Path

import pytest
from sqlalchemy import select
from typer.testing import CliRunner, Result

from app.cli.executing import cli as executing
from app.config import get_settings
from app.execution import NoSandbox, open_runner
from app.execution.languages import program_at
from app.language_models import loaded
from app.services.benchmarks import BenchmarkFile, BenchmarkRow, store_benchmark
from app.storage.engine import Database
from app.storage.models import Benchmark, Execution, MetricScore, Scoring
from tests.services.programs import JDK
from tests.shared_data import skip_or_fail

PROBLEMS = [
    {
        "task_id": f"T/{n}",
        "prompt": f'def add{n}(x):\n    """x + {n}"""\n',
        "entry_point": f"add{n}",
        "canonical_solution": f"    return x + {n}\n" if n else "    return None\n",
        "test": f"def check(candidate):\n    assert candidate(1) == {n + 1}\n",
    }
    for n in range(3)
]
JAVA_ROW = {
    "task_id": "J/0",
    "prompt": "class Solution {\n    int add(int a, int b) { return",
    "canonical_solution": " a + b; }\n}\n",
    "tests": "public class Main {\n    public static void main(String[] args) {\n"
    '        if (new Solution().add(1, 2) != 3) throw new AssertionError("1 + 2");\n    }\n}\n',
}

WRITTEN = [{"task_id": f"T/{n}", "completion": f"    return x + {n // 2 * 2}\n"} for n in range(3)]


def _lines(path: Path, rows: list[dict[str, str]]) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


def _run(*words: str) -> Result:
    from app.cli import make_cli

    return CliRunner().invoke(make_cli(), words)


def _told(result: Result) -> list[str]:
    """What was printed: log lines go to standard error."""
    return result.stdout.splitlines()


@pytest.fixture(autouse=True)
def _installation(tmp_path: Path, database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CODEJURY_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("DATABASE_URL", database_url)
    get_settings.cache_clear()


def test_a_file_s_samples_are_all_replayed(database: Database, tmp_path: Path) -> None:
    """Without -n and without a temperature."""
    with database.write() as session:
        store_benchmark(
            session,
            BenchmarkFile(
                "own",
                [
                    BenchmarkRow(row["task_id"], n, row["prompt"], row["test"], row["entry_point"])
                    for n, row in enumerate(PROBLEMS, start=1)
                ],
            ),
            name="tiny",
            file_hash="tiny",
            actor="tests",
        )
    replay = _lines(tmp_path / "written.jsonl", [*WRITTEN, *WRITTEN])
    asked = ("generate", "tiny", "--backend", "replay", "--model")
    done = _run(*asked, replay, "--no-execute")
    assert done.exit_code == 0, done.output
    assert _told(done) == ["6 completions are stored.", "Generation: 1"]
    again = _run(*asked, replay, "--no-execute")
    assert again.exit_code == 0, again.output
    assert _told(again) == [
        "6 completions are stored.",
        "This generation was there already: nothing new was written.",
        "Generation: 1",
    ]
    _lines(tmp_path / "written.jsonl", [*WRITTEN, *reversed(WRITTEN)])
    other = _run(*asked, replay, "--no-execute")
    assert _told(other) == ["6 completions are stored.", "Generation: 2"], other.output
    short = _run(*asked, _lines(tmp_path / "short.jsonl", WRITTEN[:2]), "--no-execute")
    assert (short.exit_code, "Not written: 1." in short.stderr) == (1, True), short.output
    broken = _run(*asked, _lines(tmp_path / "empty.jsonl", []), "--no-execute")
    assert broken.exit_code == 2
    assert "holds no completions" in " ".join(broken.output.split())
    loaded.close()


def test_from_a_file_to_a_scored_study(database: Database, tmp_path: Path) -> None:
    try:
        open_runner(slots=1).close()
    except NoSandbox as error:
        pytest.skip(error.in_words())
    file = _lines(tmp_path / "tiny.jsonl", PROBLEMS)
    done = _run("benchmark", "import", file, "--layout", "humaneval")
    assert done.exit_code == 0, done.output
    assert _told(done)[:3] == ["3 problems were added.", "2 of 3 passed.", "1 failed"]
    assert _told(done)[3].startswith("T/0: failed: ")
    assert _told(done)[4:] == ["Benchmark: tiny"]
    again = _run("benchmark", "import", file, "--layout", "humaneval")
    assert "Nothing was added." in again.stdout
    replay = _lines(tmp_path / "written.jsonl", WRITTEN)
    done = _run("generate", "tiny", "--backend", "replay", "--model", replay, "--label", "m")
    assert done.exit_code == 0, done.output
    assert _told(done) == ["3 completions are stored.", "2 of 3 passed.", "1 failed", "Generation: 1"]
    done = _run("benchmark", "study", "tiny", "--title", "Graded", "--generation", "1", "--seed", "3")
    assert done.exit_code == 0, done.output
    assert _told(done) == ["Study: graded", "2 of 3 passed.", "1 failed"]
    assert _run("execute-study", "graded").exit_code == 0
    with database.read() as session:
        assert "strength:judge" in session.scalars(select(Scoring.signature)).one()
        assert session.scalars(select(MetricScore.score).order_by(MetricScore.output_id)).all() == [1, 0, 1]
        assert set(session.scalars(select(Execution.strength))) == {"judge"}
    loaded.close()


@pytest.mark.sqlite_is_enough
def test_a_benchmark_in_java_is_imported_and_its_samples_are_run(database: Database, tmp_path: Path) -> None:
    if program_at("javac") is None:
        skip_or_fail(f"there is no JDK: {JDK.remedy}.")
    try:
        open_runner(slots=1).close()
    except NoSandbox as error:
        pytest.skip(error.in_words())
    file = _lines(tmp_path / "javas.jsonl", [JAVA_ROW])
    done = _run("benchmark", "import", file, "--layout", "own", "--language", "java")
    assert done.exit_code == 0, done.output
    assert _told(done)[:2] == ["1 problem was added.", "1 of 1 passed."]
    with database.read() as session:
        assert session.scalars(select(Benchmark.language)).one() == "java"
        assert session.scalars(select(Execution.strength)).one() == "in_process"
    wrong = _lines(tmp_path / "wrong.jsonl", [{"task_id": "J/0", "completion": " a - b; }\n}\n"}])
    done = CliRunner().invoke(executing, [wrong, "--problems", "javas", "--k", "1"])
    assert done.exit_code == 0, done.output
    result = json.loads((tmp_path / "wrong.jsonl_results.jsonl").read_text())
    assert result["verdict"] == "failed", result


@pytest.mark.sqlite_is_enough
@pytest.mark.parametrize(("left_out", "other", "said"), [("test", "", "'test'"), ("test", "check", "'test'")])
def test_a_file_like_humaneval_is_told_what_that_layout_lacks(
    database: Database, tmp_path: Path, left_out: str, other: str, said: str
) -> None:
    row = {name: value for name, value in PROBLEMS[0].items() if name != left_out} | ({other: "x"} if other else {})
    done = _run("benchmark", "import", _lines(tmp_path / "cut.jsonl", [row]))
    assert done.exit_code == 1
    told = str(done.exception) + str(getattr(done.exception, "problems", ""))
    assert f"There is no column {said}." in told, told


@pytest.mark.sqlite_is_enough
@pytest.mark.parametrize(
    ("row", "layout", "language", "said"),
    [
        (JAVA_ROW, "own", "cobol", "No program in 'cobol' can be run here."),
        (JAVA_ROW, "humaneval", "java", "The layout 'humaneval' is for Python alone."),
        (JAVA_ROW | {"tests": "class Main { }"}, "own", "java", "The tests can't be run: the tests have no class"),
    ],
)
def test_what_can_not_be_run_is_told(
    database: Database, tmp_path: Path, row: dict[str, str], layout: str, language: str, said: str
) -> None:
    file = _lines(tmp_path / "javas.jsonl", [row])
    done = _run("benchmark", "import", file, "--layout", layout, "--language", language)
    assert done.exit_code == 1
    assert said in str(done.exception) + str(getattr(done.exception, "problems", "")), done.exception


@pytest.mark.sqlite_is_enough
def test_wrong_usage_is_told(database: Database, tmp_path: Path) -> None:
    wrong = _run("generate", "tiny", "--model", "m", "-n", "3")
    assert wrong.exit_code == 2
    assert "At temperature 0" in wrong.output
    broken = _run("generate", "tiny", "--model", "m", "--label", "a\tb")
    assert (broken.exit_code, "A label holds no line break, tab" in " ".join(broken.output.split())) == (2, True)
    missing = _run("generate", "tiny", "--model", "m")
    assert missing.exit_code == 1
    assert "There is no benchmark 'tiny'." in str(missing.exception)
