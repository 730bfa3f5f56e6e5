"""One generation serves a whole set: what is changed is asked and run, what is unchanged is its origin's."""

import json
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import delete, func, select, update
from sqlalchemy.orm import Session

from app.errors import InvalidInput
from app.language_models import loaded
from app.perturbations import Category
from app.services.benchmarks import overview
from app.services.benchmarks.canonical import canonical_lines
from app.services.benchmarks.tasks import tasks_of
from app.services.benchmarks.to_study import make_study_of
from app.services.execution_results.samples import tallies_of
from app.services.generation.estimating import estimate
from app.services.generation.overview import standing_of
from app.services.generation.parameters import GenerationParameters
from app.services.generation.requests import create_generation, start_generation
from app.services.generation.shards import wanted_samples
from app.services.perturbing import extend_set, request_set
from app.services.perturbing.requests import Wanted
from app.services.perturbing.summary import summary_of
from app.services.robustness import FAILED, NO_VERDICT, PASSED, verdicts_of_generation, verdicts_of_solutions
from app.storage.engine import Database
from app.storage.models import Benchmark, Completion, Execution, Generation, Problem, Run
from tests.perturbing.conftest import Work, make_parent

WORDS = ("docstring/Shout", "function_name/Rename")


def make_set(database: Database, work: Work, *names: str, seeds: int = 2) -> None:
    """A finished set whose canonical solutions were run."""
    with database.write() as session:
        request_set(session, make_parent(session), Wanted(seeds, names), actor="tests")
    assert {each.state for each in work.all()} == {"done"}


def the_set(session: Session) -> Benchmark:
    """The one that there is."""
    return session.scalars(select(Benchmark).where(Benchmark.layout == "recode")).one()


def ask(database: Database, folder: Path, *, samples: int = 1) -> int:
    """A replayed model that writes the canonical solutions, asked for the whole set."""
    file = folder / "canonical.jsonl"
    with database.write() as session:
        lines = list(canonical_lines(session, the_set(session)))
        copies = [json.dumps(json.loads(line) | {"sample": n}) + "\n" for line in lines for n in range(samples)]
        file.write_text("".join(copies), encoding="utf-8")
        spec = {"backend": "replay", "name": str(file)}
        parameters = GenerationParameters(spec=spec, label="right", samples=samples, cut_rule="none")
        generation = create_generation(session, the_set(session), parameters, actor="tests")
        start_generation(session, generation, execute_on="cpu")
        return generation.id


def test_ceilings_come_from_the_canonical_solutions(database: Database, work: Work) -> None:
    make_set(database, work)
    with database.read() as session:
        found = verdicts_of_solutions(session, the_set(session))
    assert list(found) == [Category.DOCSTRING, Category.FUNCTION_NAME, Category.FORMAT]
    names = found[Category.FUNCTION_NAME]
    assert names.problems == ("b/0", "b/1", "b/2")
    assert names.variants == (("function_name/Rename", 0),)
    assert names.nominal[:, 0].tolist() == [PASSED] * 3
    assert names.perturbed[:, 0, 0].tolist() == [PASSED, PASSED, FAILED]  # the last calls itself by its old name
    words = found[Category.DOCSTRING]
    assert words.variants == (("docstring/Shout", 0), ("docstring/Shout", 1))
    assert words.changed.tolist() == [[True, True], [False, False], [True, True]]
    assert words.perturbed.shape == (3, 2, 1)
    assert (words.perturbed == PASSED).all()
    assert {each.missing for each in found.values()} == {0}


def test_the_summary_tells_of_changes_reasons_and_ceilings(database: Database, work: Work) -> None:
    make_set(database, work)
    with database.read() as session:
        summary = summary_of(session, the_set(session))
        assert (summary.problems, summary.halves, summary.is_complete) == (3, 2, True)  # of one line there is no half
        assert summary.parent is not None
        shout, rename, remark = summary.transformations
        assert (shout.name, shout.seeds, shout.changed, shout.passed) == ("docstring/Shout", 2, 4, 4)
        assert shout.unchanged == {"It is loud already.": 2}
        assert shout.unchanged_share == pytest.approx(1 / 3)
        assert rename.odd == {"old_name": ["b/2 · function_name/Rename · 0"]}
        assert [(each.key, each.verdict) for each in rename.failing] == [("b/2 · function_name/Rename · 0", "error")]
        assert "NameError" in rename.failing[0].reason
        assert (remark.form, remark.judged, remark.passed) == ("half", 3, 3)
        assert [each.name for each in summary.unavailable] == ["syntax/Absent"]


def test_unchanged_rows_are_never_asked_and_have_their_origin_s_samples(
    database: Database, work: Work, tmp_path: Path
) -> None:
    make_set(database, work)
    number = ask(database, tmp_path, samples=2)
    assert {each.state for each in work.all()} == {"done"}
    loaded.close()
    with database.read() as session:
        generation = session.get_one(Generation, number)
        # 3 problems, 2 halves (one solution has a line only), and what changed: 4 + 3 + 3
        assert session.scalar(select(func.count()).select_from(Completion)) == 2 * (3 + 2 + 10)
        standing = standing_of(session, generation)
        assert (standing.whole, standing.left, standing.judged) == (30, 0, 30)
        found = verdicts_of_generation(session, generation)
        words = found[Category.DOCSTRING]
        assert words.perturbed[1].tolist() == [[PASSED, PASSED]] * 2
        remarks = found[Category.FORMAT]
        assert remarks.nominal.tolist() == [[PASSED, PASSED]] * 3  # of problem 2 those of the whole prompt
        assert found[Category.FUNCTION_NAME].perturbed[2].tolist() == [[FAILED, FAILED]]


def test_what_is_not_known_is_missing_and_not_failed(database: Database, work: Work, tmp_path: Path) -> None:
    make_set(database, work, *WORDS, seeds=1)
    number = ask(database, tmp_path)
    work.all()
    loaded.close()
    rows = work.rows("bench-perturbed")
    with database.write() as session:
        of = {each.problem_id: each.id for each in session.scalars(select(Completion))}
        gone, broken = of[rows["b/0"].id], of[rows["b/0 · function_name/Rename · 0"].id]
        session.execute(delete(Execution).where(Execution.completion_id == gone))
        session.execute(update(Execution).where(Execution.completion_id == broken).values(verdict="sandbox_error"))
    with database.read() as session:
        found = verdicts_of_generation(session, session.get_one(Generation, number))
    names = found[Category.FUNCTION_NAME]
    assert names.nominal[0, 0] == NO_VERDICT
    assert names.perturbed[0, 0, 0] == NO_VERDICT
    assert names.missing == 2
    assert found[Category.DOCSTRING].missing == 1
    assert np.count_nonzero(names.perturbed == FAILED) == 1  # the one that fails


def test_after_an_extension_only_new_rows_are_asked(database: Database, work: Work, tmp_path: Path) -> None:
    make_set(database, work, "docstring/Shout", seeds=1)
    number = ask(database, tmp_path)
    work.all()
    loaded.close()
    with database.write() as session:
        before = set(session.scalars(select(Completion.id)))
        assert len(before) == 3 + 2
        extend_set(session, the_set(session), Wanted(2, WORDS), actor="tests")
    work.all()
    with database.write() as session:
        assert verdicts_of_generation(session, session.get_one(Generation, number))[Category.DOCSTRING].missing == 2
        file = Path(session.get_one(Generation, number).spec["name"])
        file.write_text("".join(canonical_lines(session, the_set(session))), encoding="utf-8")
        session.get_one(Generation, number).signature = None  # the file has more lines now
        start_generation(session, session.get_one(Generation, number), execute_on="cpu")
    ran = len(work.runner.programs)
    work.all()
    loaded.close()
    with database.read() as session:
        after = set(session.scalars(select(Completion.id)))
        assert before < after
        assert len(after) == 5 + 2 + 3  # the second seed, the names
        assert len(work.runner.programs) - ran == 5
        assert verdicts_of_generation(session, session.get_one(Generation, number))[Category.DOCSTRING].missing == 0


def test_a_prompt_and_its_variants_are_drawn_alike(database: Database, work: Work, tmp_path: Path) -> None:
    make_set(database, work)
    number = ask(database, tmp_path, samples=2)
    with database.read() as session:
        generation = session.get_one(Generation, number)
        rows = {each.id: each for each in work.rows("bench-perturbed").values()}
        seeds: dict[tuple[str, int], set[int]] = {}
        for each in wanted_samples(session, generation, None):
            task = rows[each.problem_id].key.split(" · ")[0]
            seeds.setdefault((task, each.sample), set()).add(each.prompt.seed)
    assert len(seeds) == 6
    assert {len(each) for each in seeds.values()} == {1}
    assert len({min(each) for each in seeds.values()}) == 6


def test_lists_and_results_count_problems(database: Database, work: Work, tmp_path: Path) -> None:
    make_set(database, work)
    number = ask(database, tmp_path)
    work.all()
    loaded.close()
    with database.write() as session:
        made = the_set(session)
        standing = overview.standing_of(session, made)
        assert (standing.problems, standing.variants, standing.solutions, standing.passed) == (3, 12, 15, 14)
        assert [each.key for each in overview.problem_lines(session, made)] == ["b/0", "b/1", "b/2"]
        failing = overview.problem_lines(session, made, show="failing")
        assert [each.key for each in failing] == ["b/2 · function_name/Rename · 0"]
        tally = tallies_of(session, made)[0]
        assert (tally.counts.problems, tally.counted, tally.incomplete) == (("b/0", "b/1", "b/2"), 3, {})
        parameters = GenerationParameters(spec={"backend": "replay", "name": "x"}, label="x")
        assert estimate(session, made, parameters).completions == 15
        assert estimate(session, made, parameters, first=1).completions == 1 + 1 + 2 + 1 + 1
        assert len(tasks_of(session, made)) == 18
        study, _ = make_study_of(session, made, [session.get_one(Generation, number)], title="G", actor="tests")
        assert session.scalar(select(func.count()).where(Problem.study_id == study.id)) == 3


@pytest.mark.sqlite_is_enough
def test_a_visible_half_is_refused(database: Database, work: Work) -> None:
    make_set(database, work, "docstring/Shout")
    spec = {"backend": "replay", "name": "x"}
    parameters = GenerationParameters(spec=spec, label="x", prompt_mode="partial")
    with database.write() as session, pytest.raises(InvalidInput, match="no visible half beside"):
        create_generation(session, the_set(session), parameters, actor="tests")
    with database.read() as session:
        assert session.scalar(select(Run.id).where(Run.kind == "generation")) is None
