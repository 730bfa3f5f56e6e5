"""``codejury perturb``, ``perturbations``, ``benchmark import FOLDER`` and ``benchmark canonical``."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from app.cli.benchmarking import cli as benchmarking
from app.cli.generating import cli as generating
from app.cli.perturbing import cli as perturbing
from app.config import get_settings
from app.language_models import loaded
from app.storage.engine import Database
from tests.perturbing.conftest import Work, make_parent
from tests.perturbing.released import make_folder

pytestmark = pytest.mark.sqlite_is_enough


@pytest.fixture(autouse=True)
def _installation(tmp_path: Path, database_url: str, work: Work, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CODEJURY_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("DATABASE_URL", database_url)
    get_settings.cache_clear()


def _told(result: Result) -> list[str]:
    assert result.exit_code == 0, (result.output, result.exception)
    return result.stdout.splitlines()


def test_transformations_are_listed(database: Database) -> None:
    assert _told(CliRunner().invoke(perturbing, ["perturbations"])) == [
        "docstring/Shout: random, whole prompts, paper and released",
        "function_name/Rename: one way, whole prompts, paper and released",
        "syntax/Absent: one way, half prompts, paper and released; not here: There is no model; install one.",
        "format/Remark: one way, half prompts, paper",
    ]


def test_a_set_is_made_extended_and_solved(database: Database, tmp_path: Path) -> None:
    with database.write() as session:
        make_parent(session)
    only = ["perturb", "bench", "--seeds", "1", "--transformations", "docstring/Shout, function_name/Rename"]
    told = _told(CliRunner().invoke(perturbing, only))
    assert told[:2] == ["5 prompts were changed.", "1 stays as it is."]
    assert told[2] == "7 of 8 passed."
    assert told[-6:] == [
        "docstring/Shout: 2 changed, 33.3% unchanged; canonical solutions pass 2 of 2",
        "  1 unchanged: It is loud already.",
        "function_name/Rename: 3 changed, 0.0% unchanged; canonical solutions pass 2 of 3",
        "  1 is called by its old name, which is defined after the program: b/2",
        "  canonical solution fails: b/2",
        "Perturbed set: bench-perturbed",
    ]
    more = ["perturb", "bench-perturbed", "--seeds", "2", "--category", "format", "--category", "syntax"]
    told = _told(CliRunner().invoke(perturbing, more))
    assert "format/Remark: 3 changed, 0.0% unchanged; canonical solutions pass 3 of 3" in told
    assert "syntax/Absent: left out: There is no model; install one." in told
    file = tmp_path / "canonical.jsonl"
    told = _told(CliRunner().invoke(benchmarking, ["benchmark", "canonical", "bench-perturbed", "-o", str(file)]))
    assert told == [f"15 solutions were written to {file}."]
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert rows[0] == {"task_id": "b/0", "completion": "    found = 0\n    return found\n"}
    assert "b/0 · docstring/Shout · 1" in {each["task_id"] for each in rows}


def test_a_file_that_can_not_be_written_is_wrong_usage(database: Database, tmp_path: Path) -> None:
    for place, said in ((tmp_path / "nowhere" / "x", "There is no folder"), (tmp_path, "is a folder")):
        asked = ["benchmark", "canonical", "bench", "-o", str(place)]
        refused = CliRunner().invoke(benchmarking, asked)
        words = " ".join(refused.output.replace("│", " ").split())  # a long path breaks the lines in the box
        assert (refused.exit_code, said in words) == (2, True), refused.output


def _made(database: Database) -> int:
    """A set of one seed of one transformation of all; how many rows it has."""
    with database.write() as session:
        make_parent(session)
    _told(
        CliRunner().invoke(perturbing, ["perturb", "bench", "--seeds", "1", "--transformations", "docstring/Shout"])
    )
    return 6


def test_more_seeds_alone_are_seeds_of_what_the_set_has(database: Database, work: Work) -> None:
    before = _made(database)
    assert len(work.rows("bench-perturbed")) == before
    told = _told(CliRunner().invoke(perturbing, ["perturb", "bench-perturbed"]))
    assert (told[0], len(work.rows("bench-perturbed"))) == ("2 prompts were changed.", before)
    _told(CliRunner().invoke(perturbing, ["perturb", "bench-perturbed", "--seeds", "2", "--mode", "paper"]))
    rows = work.rows("bench-perturbed")
    assert len(rows) == before + 3
    assert {each.transformation for each in rows.values()} == {None, "docstring/Shout"}


def test_on_an_extended_set_the_same_file_goes_on_in_its_generation(database: Database, tmp_path: Path) -> None:
    _made(database)
    tasks = [f"b/{n}{rest}" for n in range(3) for rest in ("", " · docstring/Shout · 0", " · docstring/Shout · 1")]
    file = tmp_path / "written.jsonl"
    file.write_text("".join(json.dumps({"task_id": each, "completion": "    return 0\n"}) + "\n" for each in tasks))
    asked = ["bench-perturbed", "--backend", "replay", "--model", str(file), "--no-execute"]
    assert _told(CliRunner().invoke(generating, asked)) == ["5 completions are stored.", "Generation: 1"]
    _told(CliRunner().invoke(perturbing, ["perturb", "bench-perturbed", "--seeds", "2"]))
    assert _told(CliRunner().invoke(generating, asked)) == ["7 completions are stored.", "Generation: 1"]
    loaded.close()


@pytest.mark.parametrize(
    ("option", "said"),
    [
        (("--mode", "released"), "The set was made by the paper's rules."),
        (("--name", "Another"), "The set is called 'Bench, perturbed' already."),
    ],
)
def test_a_set_keeps_its_rules_and_its_name(
    database: Database, work: Work, option: tuple[str, str], said: str
) -> None:
    before = _made(database)
    refused = CliRunner().invoke(perturbing, ["perturb", "bench-perturbed", "--seeds", "2", *option])
    assert (refused.exit_code, said in str(refused.exception)) == (1, True), refused.output
    assert len(work.rows("bench-perturbed")) == before


def test_an_absent_transformation_is_refused(database: Database) -> None:
    with database.write() as session:
        make_parent(session)
    refused = CliRunner().invoke(perturbing, ["perturb", "bench", "--transformations", "syntax/Absent"])
    assert refused.exit_code == 1
    assert "syntax/Absent can't be made: There is no model; install one." in str(refused.exception)


def test_a_released_folder_is_imported(database: Database, tmp_path: Path) -> None:
    folder = tmp_path / "release"
    for name, rows in make_folder().files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(rows if isinstance(rows, str) else "".join(json.dumps(each) + "\n" for each in rows))
    told = _told(CliRunner().invoke(benchmarking, ["benchmark", "import", str(folder)]))
    assert told[:2] == ["5 prompts were changed.", "1 stays as it is."]
    assert told[-1] == "Perturbed set: humaneval-perturbed-as-released"
    told = _told(CliRunner().invoke(benchmarking, ["benchmark", "import", str(folder)]))
    assert told[0] == "Everything in this folder is there already. Nothing was added."
