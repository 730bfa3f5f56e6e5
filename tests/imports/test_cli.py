"""``codejury import``: the same readers on the command line."""

from pathlib import Path

import pytest
from sqlalchemy import func, select
from typer.testing import CliRunner, Result

from app.config import get_settings
from app.errors import InvalidInput, NotFound
from app.storage.engine import Database
from app.storage.models import Grade, MetricScore, Output, Run, Study
from tests.imports.test_codegen_metrics import like_hearthstone

pytest.importorskip("app.cli.environment", reason="the command line's frame is not built")

LONG = "problem,system,output\np,m,x\np,n,y\n"


class CommandLine:
    """``codejury import`` on an installation of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def run(self, command: str, content: str | Path, *options: str) -> Result:
        from app.cli.importing import cli

        path = content if isinstance(content, Path) else self.folder / "table.csv"
        if isinstance(content, str):
            path.write_text(content)
        return CliRunner().invoke(cli, ["import", command, str(path), *options])


@pytest.fixture
def command_line(tmp_path: Path, database_url: str, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    monkeypatch.setenv("CODEJURY_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("DATABASE_URL", database_url)
    get_settings.cache_clear()
    return CommandLine(tmp_path)


def test_outputs_grades_and_scores(command_line: CommandLine, database: Database) -> None:
    result = command_line.run("outputs", LONG, "--study", "My Study", "--seed", "4")
    assert result.exit_code == 0, result.output
    assert "1 problem was added.\n2 outputs were added." in result.stdout
    assert "Study: my-study" in result.stdout
    grades = "task,who,label\np|m,ann,2\n"
    result = command_line.run("grades", grades, "--study", "my-study", "--map", "who=annotator")
    assert result.exit_code == 0, result.output
    scores = "problem,system,metric,score\np,m,Other,50\n"
    assert command_line.run("scores", scores, "--study", "My Study", "--scale", "0-100").exit_code == 0
    with database.read() as session:
        assert session.scalars(select(Study.seed)).one() == 4
        assert session.scalars(select(Grade.value)).one() == 2
        assert session.scalars(select(MetricScore.score)).one() == 0.5
        assert set(session.scalars(select(Run.state))) == {"done"}


def test_a_dry_run_stores_nothing(command_line: CommandLine, database: Database) -> None:
    result = command_line.run("outputs", LONG, "--study", "S", "--dry-run")
    assert result.exit_code == 0, result.output
    assert "output → output" in result.stdout
    assert "Would add 1 problems, 2 systems, 2 outputs." in result.stdout
    result = command_line.run("outputs", LONG + "q,,z\n", "--study", "S", "--dry-run")
    assert result.exit_code == 1
    assert "row 4, column 'system': It is empty." in result.stderr
    with database.read() as session:
        assert session.scalars(select(Run)).all() == []
        assert session.scalars(select(Study)).all() == []


def test_bad_rows_fail_or_are_left_out(command_line: CommandLine, database: Database) -> None:
    result = command_line.run("outputs", LONG + "q,,z\n", "--study", "S")
    assert result.exit_code == 1
    assert "row 4, column 'system': It is empty." in result.stderr
    result = command_line.run("outputs", LONG + "q,,z\n", "--study", "S", "--good-rows")
    assert result.exit_code == 0
    with database.read() as session:
        assert session.scalar(select(func.count()).select_from(Output)) == 2


def test_a_study_folder(command_line: CommandLine, tmp_path: Path, database: Database) -> None:
    folder = tmp_path / "hs"
    (folder / "images").mkdir(parents=True)
    for name, data in like_hearthstone().items():
        (tmp_path / name).write_bytes(data)
    result = command_line.run("codegen-metrics", folder, "--study", "HearthStone", "--seed", "1")
    assert result.exit_code == 0, result.output
    assert "8 grades" in result.stdout
    result = command_line.run("codegen-metrics", folder, "--study", "HearthStone")
    assert "Nothing was added" in result.stdout


def test_wrong_usage_is_told(command_line: CommandLine) -> None:
    assert command_line.run("outputs", LONG, "--study", "S", "--map", "nothing").exit_code == 2
    assert command_line.run("outputs", Path("absent.csv"), "--study", "S").exit_code == 2
    assert command_line.run("outputs", LONG, "--study", "S", "--seed", "9" * 20).exit_code == 2
    result = command_line.run("grades", "task,worker,label\np|m,a,1\n", "--study", "Absent")
    assert result.exit_code == 1
    assert isinstance(result.exception, NotFound)
    assert result.exception.message == "There is no study 'Absent'."
    result = command_line.run("outputs", LONG, "--study", "---")
    assert isinstance(result.exception, InvalidInput)  # the entry point prints it
    assert "at least one letter or digit" in result.exception.message


def test_how_items_are_made_and_a_whole_study_again(command_line: CommandLine, database: Database) -> None:
    options = ("--keep-identical-apart", "--leave-references-out")
    assert command_line.run("outputs", LONG, "--study", "S", *options).exit_code == 0
    with database.read() as session:
        study = session.scalars(select(Study)).one()
        assert (study.merge_identical, study.include_references) == (False, False)
    result = command_line.run("bundle", LONG)
    assert result.exit_code == 1
    assert "This is no bundle that CodeJury exported." in result.stderr
