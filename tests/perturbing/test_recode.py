"""``codejury recode``: one command from a file to tables, checks and a survey; given again, only what is new."""

import json
from pathlib import Path

import pytest
from sqlalchemy import func, select
from typer.testing import CliRunner, Result

from app.cli import make_cli
from app.config import get_settings
from app.language_models import loaded
from app.storage.engine import Database
from app.storage.models import Benchmark, ChangeScore, Completion, Execution, Generation, Study
from tests.language_models.conftest import model_libraries, tiny_models
from tests.language_models.tiny import TinyModels
from tests.perturbing.conftest import Work

__all__ = ["model_libraries", "tiny_models"]
pytestmark = [pytest.mark.sqlite_is_enough, pytest.mark.xdist_group("language_models")]

BODIES = (
    "    found = 0\n    return found\n",
    "    found = 1\n    return found\n",
    "    return 2 if n == 0 else f2(n - 1)\n",
)
PROBLEMS = [
    {
        "task_id": f"b/{number}",
        "prompt": f'def f{number}(n=0):\n    """Return {number}."""\n',
        "entry_point": f"f{number}",
        "canonical_solution": body,
        "test": f"def check(candidate):\n    assert candidate(3) == {number}\n",
    }
    for number, body in enumerate(BODIES)
]


@pytest.fixture
def file(tmp_path: Path, database_url: str, work: Work, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three problems in HumanEval's layout; the command works on the test's own installation."""
    monkeypatch.setenv("CODEJURY_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("DATABASE_URL", database_url)
    get_settings.cache_clear()
    found = tmp_path / "tiny.jsonl"
    found.write_text("".join(json.dumps(each) + "\n" for each in PROBLEMS), encoding="utf-8")
    return found


def recode(*words: object) -> Result:
    return CliRunner().invoke(make_cli(), ["recode", *map(str, words)])


def count(database: Database, table: type) -> int:
    with database.read() as session:
        return session.scalar(select(func.count()).select_from(table)) or 0


def test_the_whole_way_and_again_only_what_is_new(
    file: Path, database: Database, tmp_path: Path, tiny_models: TinyModels
) -> None:
    out = tmp_path / "out"
    words = (file, "--output", out, "--model", tiny_models.causal, "--max-tokens", "4")
    done = recode(*words, "--seeds", "1")
    assert done.exit_code == 0, (done.output, done.exception)
    # The third problem calls itself by the name that it had: the ceiling of names is 2 of 3.
    assert (
        "Ceilings, Robust Pass of the canonical solutions: Docstring 100.00 %, Function name 66.67 %" in done.stdout
    )
    assert "canonical [%]" in done.stdout
    assert "Study: are-these-prompts-natural-tiny-perturbed" in done.stdout
    assert "/benchmarks/tiny-perturbed/robustness" in done.stdout
    assert "\\begin{tabular}" in (out / "tables.tex").read_text(encoding="utf-8")
    heads = (out / "csv" / "robustness.csv").read_text(encoding="utf-8").splitlines()[0]
    assert "canonical" in heads
    assert count(database, ChangeScore) > 0
    with database.read() as session:
        asked = session.scalars(select(Generation).order_by(Generation.id)).all()
        whole = {each.id: _completions(database, each.id) for each in asked}
    assert [each.label for each in asked] == ["canonical", str(tiny_models.causal)]
    assert len(set(whole.values())) == 1
    before = {table: count(database, table) for table in (Completion, Execution, ChangeScore)}

    assert recode(*words, "--seeds", "1").exit_code == 0
    assert {table: count(database, table) for table in before} == before

    # Another seed is three more docstrings, one of which stays as it is; both models are asked for the other two.
    more = recode(*words, "--seeds", "2")
    assert more.exit_code == 0, (more.output, more.exception)
    assert "made before" in more.stdout
    assert count(database, Completion) == before[Completion] + 2 * 2
    assert "The set has" not in more.stdout

    fewer = recode(*words, "--seeds", "1")
    assert "The set has 2 seeds of each random transformation; all of them are kept and counted." in fewer.stdout
    tables = (Benchmark, Generation, Study)
    assert [count(database, table) for table in tables] == [2, 2, 1]
    loaded.close()


def _completions(database: Database, generation: int) -> int:
    with database.read() as session:
        of_it = select(func.count()).select_from(Completion).where(Completion.generation_id == generation)
        return session.scalar(of_it) or 0


def test_the_first_problems_without_a_model(file: Path, database: Database, tmp_path: Path) -> None:
    done = recode(file, "--output", tmp_path / "out", "--limit", "2", "--name", "Mine", "--no-checks")
    assert done.exit_code == 0, (done.output, done.exception)
    assert "Function name 100.00 %" in done.stdout
    assert (count(database, Generation), count(database, ChangeScore)) == (1, 0)
    with database.read() as session:
        assert session.scalars(select(Benchmark.slug).order_by(Benchmark.id)).all() == [
            "mine-first-2-problems",
            "mine-first-2-problems-perturbed",
        ]
    loaded.close()


def test_what_can_not_be_done_is_told_before_the_work(file: Path, database: Database, tmp_path: Path) -> None:
    assert "tiny.jsonl has 3 problems, not 4." in str(recode(file, "--output", tmp_path, "--limit", "4").exception)
    assert "no packaged model 'none'" in str(recode(file, "--output", tmp_path, "--model", "packaged:none").exception)
    (tmp_path / "empty").mkdir()
    for model, words in {
        "nowhere": "There is no model at",
        "w.gguf": "no model at",
        "empty": "no config.json",
    }.items():
        refused = recode(file, "--output", tmp_path, "--model", tmp_path / model)
        assert words in str(refused.exception), (model, refused.output)
    assert "The problems of" not in refused.output
    in_file = recode(file, "--output", file / "out")
    assert in_file.exit_code == 2
    assert "can't be made: Not a directory." in " ".join(in_file.output.split())
    (tmp_path / "bad.jsonl").write_text('{"task_id": "b/0"}\n', encoding="utf-8")
    assert recode(tmp_path / "bad.jsonl", "--output", tmp_path).exit_code == 1
    assert count(database, Benchmark) == 0
