"""A set is made, gone on with after a cut, and extended: nothing twice, and nothing but what is missing."""

import pytest
from sqlalchemy import func, select

from app.config import Settings
from app.errors import Conflict, InvalidInput
from app.perturbations import Category, Mode
from app.services.perturbing import Recipe, extend_set, nominal, request_set, runs, set_of
from app.services.perturbing.recipes import Piece
from app.services.perturbing.requests import Wanted
from app.services.runs import cancel, execute, retry
from app.storage.engine import Database
from app.storage.models import AuditEvent, Benchmark, BenchmarkProblem, Run
from tests.perturbing.conftest import Shout, Work, make_parent

ALL = Wanted(seeds=2)


def make_set(database: Database, wanted: Wanted = ALL, mode: Mode = Mode.PAPER) -> int:
    """Ask for a set of the benchmark; the run that makes it."""
    with database.write() as session:
        run = request_set(session, make_parent(session), wanted, mode=mode, actor="tests").run
        assert run is not None
        return run.id


def test_a_set_holds_problems_halves_and_variants(database: Database, work: Work) -> None:
    run = work(make_set(database))
    assert run.state == "done", f"{run.message} {run.trace}"
    assert (run.done, run.total) == (12, 12)
    assert (
        run.message == "10 prompts were changed.\n2 stay as they are.\nsyntax/Absent: There is no model; install one."
    )
    rows = work.rows("bench-perturbed")
    assert [key for key, each in rows.items() if each.transformation is None] == [
        *("b/0", "b/1", "b/2", "b/0 · half", "b/1 · half", "b/2 · half"),
    ]
    assert [each.position for each in rows.values()] == list(range(18))
    half = rows["b/0 · half"]
    assert half.prompt == 'def f0(n=0):\n    """Return 0."""\n    found = 0\n'
    assert half.canonical_solution == "    return found\n"
    assert (half.origin_id, half.form, half.unchanged) == (rows["b/0"].id, "half", None)
    assert rows["b/2 · half"].unchanged == "A solution of one line has no first half."
    loud = rows["b/0 · docstring/Shout · 1"]
    assert loud.prompt == 'def f0(n=0):\n    """RETURN! 0."""\n'
    assert (loud.category, loud.perturbation_seed, loud.form) == ("docstring", 1, "whole")
    assert loud.origin_id == rows["b/0"].id
    remark = rows["b/0 · format/Remark · 0"]
    assert remark.prompt == half.prompt + "    # on it goes\n"
    assert (remark.origin_id, remark.form) == (half.id, "half")
    quiet = rows["b/1 · docstring/Shout · 0"]
    assert (quiet.prompt, quiet.unchanged) == (rows["b/1"].prompt, "It is loud already.")


def test_the_recipe_says_what_was_left_out_and_why(database: Database, work: Work) -> None:
    make_set(database)
    with database.read() as session:
        made = session.scalars(select(Benchmark).where(Benchmark.layout == "recode")).one()
        assert (made.slug, made.parent_id) == ("bench-perturbed", 1)
        recipe = Recipe.of(made)
        assert recipe.transformations == ("docstring/Shout", "function_name/Rename", "format/Remark")
        assert [(each.name, each.reason) for each in recipe.left_out] == [
            ("syntax/Absent", "There is no model; install one.")
        ]
        newest = session.scalars(select(AuditEvent).order_by(AuditEvent.id.desc()).limit(1)).one()
        assert (newest.action, newest.details["seeds"]) == ("perturbed set requested", 2)


def test_a_killed_run_goes_on_and_makes_nothing_twice(
    database: Database, settings: Settings, work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs, "SECONDS_A_CHUNK", 0.0)
    monkeypatch.setattr("app.services.perturbing.sources.AT_ONCE", 2)
    run_id = make_set(database)
    kept = nominal.append

    def dying(*arguments: object) -> None:
        if len(Shout.calls) > 4:
            raise SystemExit
        kept(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr("app.services.perturbing.runs.append", dying)
    with pytest.raises(SystemExit):
        execute(database, settings, run_id)
    assert len([each for each in work.rows("bench-perturbed").values() if each.transformation]) == 3
    with database.write() as session:  # as the sweeper does for a process that is gone
        run = session.get_one(Run, run_id)
        run.state, run.lease_until = "queued", None
    monkeypatch.setattr("app.services.perturbing.runs.append", kept)
    Shout.calls.clear()
    assert work(run_id).state == "done"
    assert Shout.calls == [("b/0", 1), ("b/1", 1), ("b/2", 1)]
    assert len(work.rows("bench-perturbed")) == 18


def test_an_extension_makes_only_what_is_new(database: Database, work: Work) -> None:
    only = Wanted(seeds=1, names=("docstring/Shout",))
    assert work(make_set(database, only)).state == "done"
    before = work.rows("bench-perturbed")
    assert len(before) == 6
    Shout.calls.clear()
    with database.write() as session:
        made = session.scalars(select(Benchmark).where(Benchmark.layout == "recode")).one()
        more = extend_set(session, made, Wanted(seeds=3, categories=(Category.FORMAT,)), actor="tests")
        assert more.run is not None
    assert work(more.run.id).state == "done"
    after = work.rows("bench-perturbed")
    assert sorted(set(Shout.calls)) == [(f"b/{n}", seed) for n in range(3) for seed in (1, 2)]
    assert {key: each.id for key, each in before.items()} == {key: after[key].id for key in before}
    assert len(after) == 3 + 3 + 3 * 3 + 3  # problems, halves, shouts, remarks


def test_the_benchmark_s_set_is_extended_to_all_that_can_run(database: Database, work: Work) -> None:
    """Whoever asks for the set of a benchmark names no set: what is wanted is the same as of a new one."""
    assert work(make_set(database, Wanted(seeds=1, names=("docstring/Shout",)))).state == "done"
    with database.write() as session:
        parent = session.scalars(select(Benchmark).where(Benchmark.layout != "recode")).one()
        done = set_of(session, parent, Wanted(seeds=1), actor="tests")
        assert Recipe.of(done.benchmark).transformations == (
            *("docstring/Shout", "function_name/Rename", "format/Remark"),
        )


@pytest.mark.sqlite_is_enough
def test_in_the_released_mode_a_rule_sees_all_problems(database: Database, work: Work) -> None:
    assert work(make_set(database, Wanted(seeds=1, names=("docstring/Shout",)), Mode.RELEASED)).state == "done"
    assert Shout.calls == [("b/0", 0), ("b/1", 0), ("b/2", 0)]


@pytest.mark.sqlite_is_enough
@pytest.mark.parametrize(
    ("wanted", "mode", "said"),
    [
        (Wanted(seeds=1, names=("syntax/Absent",)), Mode.PAPER, "syntax/Absent can't be made: There is no model"),
        (Wanted(seeds=1, names=("format/Remark",)), Mode.RELEASED, "It is not made in the mode released"),
        (Wanted(seeds=1, names=("docstring/Rhyme",)), Mode.PAPER, "There is no transformation 'docstring/Rhyme'"),
        (Wanted(seeds=1, categories=(Category.SYNTAX,)), Mode.PAPER, "No transformation that was asked for"),
        (Wanted(seeds=0), Mode.PAPER, "A set has 1 to 100 seeds."),
    ],
)
def test_what_can_not_be_made_is_refused_with_the_reason(
    database: Database, wanted: Wanted, mode: Mode, said: str
) -> None:
    with pytest.raises(InvalidInput) as refused:
        make_set(database, wanted, mode)
    assert said in refused.value.message
    with database.read() as session:
        assert session.scalar(select(func.count()).select_from(Benchmark)) == 0


def test_a_set_of_a_set_and_two_runs_at_once_are_refused(database: Database, work: Work) -> None:
    make_set(database)
    with database.write() as session:
        made = session.scalars(select(Benchmark).where(Benchmark.layout == "recode")).one()
        with pytest.raises(Conflict, match="is a perturbed set itself"):
            request_set(session, made, ALL, actor="tests")
        with pytest.raises(Conflict, match="is being made already"):
            extend_set(session, made, ALL, actor="tests")
        parent = session.get_one(Benchmark, made.parent_id)
        with pytest.raises(Conflict, match="There is a benchmark 'bench-perturbed' already"):
            request_set(session, parent, Wanted(ALL.seeds + 1), actor="tests")
        with pytest.raises(InvalidInput, match="'bench' is no perturbed set"):
            extend_set(session, parent, ALL, actor="tests")


def test_pressed_twice_it_is_one_set_and_one_run(database: Database, work: Work) -> None:
    run_id = make_set(database)
    with database.write() as session:
        parent = session.scalars(select(Benchmark).where(Benchmark.slug == "bench")).one()
        again = request_set(session, parent, ALL, actor="tests")
        assert (again.benchmark.slug, again.is_new) == ("bench-perturbed", False)
        assert again.run is not None
        assert again.run.id == run_id
        assert session.scalar(select(func.count()).select_from(Benchmark)) == 2
        assert session.scalar(select(func.count()).where(Run.kind == "perturbing")) == 1


def test_a_cancelled_run_stops_and_keeps_what_it_stored(
    database: Database, work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs, "SECONDS_A_CHUNK", 0.0)
    run_id = make_set(database)

    def cancelling(perturbing: runs._Perturbing, piece: Piece) -> None:
        if perturbing.done == 3:  # all of the first seed
            with database.write() as session:
                cancel(session, session.get_one(Run, run_id))
        tell(perturbing, piece)

    tell = runs._Perturbing._tell
    monkeypatch.setattr(runs._Perturbing, "_tell", cancelling)
    assert work(run_id).state == "cancelled"
    with database.write() as session:
        assert session.scalar(select(func.count(BenchmarkProblem.transformation))) == 3
        retry(session, session.get_one(Run, run_id))
    monkeypatch.setattr(runs._Perturbing, "_tell", tell)
    assert work(run_id).state == "done"
    assert len(work.rows("bench-perturbed")) == 18
