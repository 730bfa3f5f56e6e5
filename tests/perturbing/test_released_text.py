"""BackTranslation without translators: its text comes from an imported folder of the same problems."""

import json
from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient
from sqlalchemy.orm import Session

from app.cli.perturbing import tell_set
from app.config import Settings
from app.errors import InvalidInput
from app.perturbations import registry
from app.perturbations.docstring.back_translation import HARMED, BackTranslation
from app.services.benchmarks import BenchmarkFile, BenchmarkRow, find_benchmark, store_benchmark
from app.services.perturbing import Recipe, Wanted, extend_set, find_set, request_set
from app.services.perturbing.summary import summary_of
from app.storage.engine import Database
from app.storage.models import Benchmark
from tests.dashboards.study import sign_in
from tests.perturbing.conftest import Shout, Work
from tests.perturbing.released import CHANGED, NOMINAL, WHOLE, Folder, Rows, halved
from tests.perturbing.test_import import take
from tests.shared_data import shared_data

BACK = "docstring/BackTranslation"
FILE = f"{CHANGED}/nlaugmenter/humaneval_BackTranslation_s0.jsonl"
IMPORTED = "humaneval-perturbed-as-released"
ONE_SEED = Wanted(1)


@pytest.fixture(autouse=True)
def with_back_translation(rules: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """One rule that runs anywhere, and BackTranslation as it is registered: without translators."""
    monkeypatch.setattr(registry, "_known", {each.name: each for each in (Shout(), BackTranslation())})
    registry.available.cache_clear()
    yield
    registry.available.cache_clear()


def folder(rows: Rows) -> Folder:
    """The release of one transformation."""
    return Folder({WHOLE: NOMINAL, "nominal/humaneval_partial.jsonl": [halved(row) for row in NOMINAL], FILE: rows})


def translated() -> Rows:
    """The first docstring says the same otherwise, the second is as it was."""
    first, second = NOMINAL
    return [first | {"prompt": first["prompt"].replace("Do 0.", "Carry out 0.")}, second]


def parent_of(session: Session, rows: Rows = NOMINAL, name: str = "Mine") -> Benchmark:
    """The problems as a benchmark of their own."""
    problems = [
        BenchmarkRow(
            *(row["task_id"], number, row["prompt"], row["test"], row["entry_point"], row["canonical_solution"]),
            helpers="",
        )
        for number, row in enumerate(rows, start=1)
    ]
    file = BenchmarkFile("own", problems)
    return store_benchmark(session, file, name=name, file_hash=name, actor="tests").benchmark


def make(database: Database, work: Work, rows: Rows = NOMINAL, wanted: Wanted = ONE_SEED) -> Recipe:
    """A set of these problems, made."""
    with database.write() as session:
        made = request_set(session, parent_of(session, rows), wanted, actor="tests").benchmark
        recipe = Recipe.of(made)
    assert {each.state for each in work.all()} <= {"done"}
    return recipe


def test_the_text_of_the_same_problems_is_taken(database: Database, settings: Settings, work: Work) -> None:
    take(database, settings, folder(translated()).zipped())
    work.all()
    recipe = make(database, work)
    assert (recipe.text_from, BACK in recipe.transformations, recipe.left_out) == (IMPORTED, True, ())
    rows = work.rows("mine-perturbed")
    first, second = (rows[f"HumanEval/{n} · {BACK} · 0"] for n in range(2))
    assert (first.prompt, first.unchanged) == ('def do_0(x):\n    """Carry out 0."""\n', None)
    assert second.unchanged == "What was released is unchanged."


def test_another_prompt_of_the_same_name_is_another_problem(
    database: Database, settings: Settings, work: Work
) -> None:
    take(database, settings, folder(translated()).zipped())
    work.all()
    other = [NOMINAL[0] | {"prompt": 'def do_0(x):\n    """Do it."""\n'}, NOMINAL[1]]
    assert make(database, work, other).text_from == IMPORTED
    rows = work.rows("mine-perturbed")
    assert rows[f"HumanEval/0 · {BACK} · 0"].unchanged == "Nothing was released for this problem."


def test_without_released_text_it_is_left_out_and_says_what_to_do(
    database: Database, settings: Settings, work: Work
) -> None:
    take(database, settings, folder(translated()).zipped())
    work.all()
    strangers = [row | {"task_id": f"other/{n}"} for n, row in enumerate(NOMINAL)]
    recipe = make(database, work, strangers)
    assert (recipe.text_from, recipe.transformations) == ("", ("docstring/Shout",))
    [left_out] = recipe.left_out
    assert "import the released files of the same problems" in left_out.reason
    with database.write() as session, pytest.raises(InvalidInput, match="no pair of translation models"):
        extend_set(session, find_set(session, "mine-perturbed"), Wanted(1, [BACK]), actor="tests")


def test_a_set_that_lacked_it_takes_it_later(database: Database, settings: Settings, work: Work) -> None:
    assert make(database, work).text_from == ""
    take(database, settings, folder(translated()).zipped())
    # The folder is not stored yet: what is missing of it would be missing for good.
    with database.write() as session, pytest.raises(InvalidInput, match="no pair of translation models"):
        extend_set(session, find_set(session, "mine-perturbed"), Wanted(1, [BACK]), actor="tests")
    work.all()
    with database.write() as session:
        extend_set(session, find_set(session, "mine-perturbed"), Wanted(1, [BACK]), actor="tests")
    work.all()
    assert work.rows("mine-perturbed")[f"HumanEval/0 · {BACK} · 0"].unchanged is None
    with database.read() as session:
        recipe = Recipe.of(find_set(session, "mine-perturbed"))
    assert (recipe.text_from, recipe.left_out) == (IMPORTED, ())


def test_what_harms_the_program_is_not_taken(database: Database, settings: Settings, work: Work) -> None:
    rows = translated()
    rows[0]["prompt"] = 'def do_0(x):\n    """Carry out nothing."""\n    y = 1\n'
    take(database, settings, folder(rows).zipped())
    work.all()
    make(database, work)
    assert "parse as something else" in (work.rows("mine-perturbed")[f"HumanEval/0 · {BACK} · 0"].unchanged or "")


def test_the_pages_and_the_command_line_say_so(
    client: TestClient, database: Database, settings: Settings, work: Work, capsys: pytest.CaptureFixture[str]
) -> None:
    take(database, settings, folder(translated()).zipped())
    work.all()
    sign_in(client, database, "admin")
    with database.write() as session:
        parent_of(session)
    assert f"takes the released text of {IMPORTED}" in client.get("/benchmarks/mine/perturb").text
    with database.write() as session:
        request_set(session, find_benchmark(session, "mine"), Wanted(1), actor="tests")
    work.all()
    page = client.get("/benchmarks/mine-perturbed").text
    assert f'BackTranslation takes its text from the released set <a href="/benchmarks/{IMPORTED}">' in page
    with database.read() as session:
        tell_set(session, "mine-perturbed")
    assert f"BackTranslation takes its text from the released set {IMPORTED}." in capsys.readouterr().out


@pytest.mark.sqlite_is_enough
def test_the_release_itself(database: Database, settings: Settings, work: Work) -> None:
    at = shared_data("humaneval")
    found = {
        name: (at / place).read_text(encoding="utf-8")
        for name, place in (
            (WHOLE, "HumanEval.jsonl"),
            (FILE, "perturbed/full/nlaugmenter/humaneval_BackTranslation_s0.jsonl"),
        )
    }
    take(database, settings, Folder(found).zipped())
    work.all()
    rows = [json.loads(line) for line in found[WHOLE].splitlines()]
    make(database, work, rows, Wanted(1, [BACK]))
    with database.read() as session:
        [summary] = summary_of(session, find_set(session, "mine-perturbed")).transformations
    assert (summary.changed, summary.unchanged[HARMED], summary.odd) == (27, 47, {})
