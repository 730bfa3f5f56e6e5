"""A benchmark that brings no canonical solutions: its set brings none either, and nobody knows a ceiling."""

import json
import re
from pathlib import Path

import pytest
from sqlalchemy import func, select
from typer.testing import CliRunner

from app.cli.benchmarking import cli as benchmarking
from app.cli.perturbing import cli as perturbing
from app.config import get_settings
from app.errors import InvalidInput
from app.language_models import loaded
from app.services.generation.parameters import GenerationParameters
from app.services.generation.requests import create_generation, start_generation
from app.services.robustness_results.document import robustness_results
from app.storage.engine import Database
from app.storage.models import Execution
from tests.perturbing.conftest import Work, make_parent
from tests.perturbing.test_generation import the_set
from tests.security.world import World
from tests.security.world_fixture import world

__all__ = ["world"]

pytestmark = pytest.mark.sqlite_is_enough

NAMES = "docstring/Shout,function_name/Rename,format/Remark"


@pytest.fixture(autouse=True)
def _installation(tmp_path: Path, database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CODEJURY_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("DATABASE_URL", database_url)
    get_settings.cache_clear()


@pytest.fixture
def told(database: Database, work: Work) -> list[str]:
    """What the command says that makes the set."""
    with database.write() as session:
        make_parent(session, name="Lone", is_solved=False)
    made = CliRunner().invoke(perturbing, ["perturb", "lone", "--seeds", "1", "--transformations", NAMES])
    assert made.exit_code == 0, (made.output, made.exception)
    return made.stdout.splitlines()


def test_nothing_is_run_and_the_command_says_that_no_ceiling_is_known(
    told: list[str], database: Database, work: Work
) -> None:
    assert "This benchmark has no canonical solutions." in told
    assert "docstring/Shout: 2 changed, 33.3% unchanged" in told
    assert "The benchmark brings no canonical solutions, so that no ceiling is known." in told
    rows = work.rows("lone-perturbed")
    assert {each.canonical_solution for each in rows.values()} == {None}
    assert rows["b/0 · half"].unchanged == "There is no canonical solution to be halved."
    with database.read() as session:
        assert session.scalar(select(func.count()).select_from(Execution)) == 0


def test_there_is_no_file_of_canonical_solutions(told: list[str], tmp_path: Path) -> None:
    file = tmp_path / "canonical.jsonl"
    for name in ("lone", "lone-perturbed"):
        refused = CliRunner().invoke(benchmarking, ["benchmark", "canonical", name, "-o", str(file)])
        assert isinstance(refused.exception, InvalidInput), refused.output
        assert refused.exception.message == "This benchmark has no canonical solutions."
    assert not file.exists()


def test_robustness_shows_no_ceiling(told: list[str], database: Database, work: Work, tmp_path: Path) -> None:
    file = tmp_path / "written.jsonl"
    keys = [key for key, each in work.rows("lone-perturbed").items() if not each.unchanged]
    file.write_text("".join(json.dumps({"task_id": key, "completion": "    return 0\n"}) + "\n" for key in keys))
    with database.write() as session:
        spec = {"backend": "replay", "name": str(file)}
        asked = create_generation(
            session, the_set(session), GenerationParameters(spec=spec, label="zero", cut_rule="none"), actor="tests"
        )
        start_generation(session, asked, execute_on="cpu")
    work.all()
    loaded.close()
    with database.read() as session:
        (model,) = robustness_results(session, the_set(session))["models"]
    found = model["categories"]["docstring"]["whole"]
    assert found["at"][0]["robust_pass"]["value"] == round(1 / 3, 10)
    assert found["ceiling"] is None


def test_the_set_s_page_says_so(world: World, told: list[str]) -> None:  # the world takes the database's place
    answer = world.client("admin").get("/benchmarks/lone-perturbed")
    words = " ".join(re.sub(r"<[^>]+>", " ", answer.text).split())
    assert answer.status_code == 200
    assert "The benchmark brings no canonical solutions, so that nobody knows how far a model can come" in words
    assert "as far as any model can come" not in words
    viewer = world.client("admin").get("/benchmarks/lone-perturbed/perturbations")
    assert "The canonical solution on the changed prompt" not in viewer.text
