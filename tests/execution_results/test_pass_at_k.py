"""pass@k of a benchmark as pages show it: the statistics' own numbers, nothing averaged away."""

from dataclasses import asdict

import numpy as np
import pytest
from sqlalchemy import select

from app.charts.pass_at_k_samples import what_was_run
from app.errors import InvalidInput, NotFound
from app.services.execution_results.compared_models import compared_models
from app.services.execution_results.pass_at_k import DRAWS, benchmark_results, compared_pair
from app.services.execution_results.samples import tallies_of
from app.services.runs import enqueue
from app.statistics.pass_at_k import ProblemCounts, mean_pass_at_k
from app.statistics.pass_at_k_runs import compare_pass_at_k, pass_at_k_over_seeds
from app.storage.engine import Database
from app.storage.models import Completion, Execution, Generation
from tests.execution_results.rows import PROBLEMS, add_generation, make_benchmark, rising, verdicts_of

KEYS = tuple(f"b/{number}" for number in range(PROBLEMS))


def counts_of(passed: list[int], samples: int) -> ProblemCounts:
    return ProblemCounts(KEYS, np.full(PROBLEMS, samples), np.array(passed))


def test_the_numbers_are_those_of_the_statistics(database: Database) -> None:
    good, poor = [10, 9, 8, 10, 3, 0, 7, 7, 9, 2, 5, 1], [0, 0, 1, 2, 0, 0, 3, 0, 0, 1, 0, 0]
    with database.write() as session:
        benchmark = make_benchmark(session)
        add_generation(session, benchmark, "good", verdicts_of(good, 10))
        add_generation(session, benchmark, "poor", verdicts_of(poor, 10))
        found = benchmark_results(session, benchmark)
        pair = compared_pair(session, benchmark, ("poor", "good"))
    ks = found["signature"]["parameters"]["k"]
    assert ks == [1, 2, 5, 10, 100]
    for model, passed in zip(found["models"], (good, poor), strict=True):
        expected = [asdict(each) for each in mean_pass_at_k(counts_of(passed, 10), ks, draws=DRAWS)]
        assert model["pass_at_k"] == expected
    assert found["models"][0]["pass_at_k"][-1]["estimate"]["reason"] == "a problem has fewer than 100 samples"
    expected_pair = asdict(compare_pass_at_k(counts_of(poor, 10), counts_of(good, 10), 1, draws=DRAWS))
    assert pair["comparison"] == expected_pair
    assert (pair["comparison"]["p_a_greater"], pair["p_b_greater"]) == (0.0, 1.0)
    assert [(each["a"], each["b"]) for each in found["compared"]] == [("good", "poor"), ("poor", "good")]
    assert found["problems"][4] == {"problem": "b/4", "samples": [10, 10], "passed": [3, 0]}


def test_seeds_of_one_setting_are_one_model(database: Database) -> None:
    first, second = [2, 0, 1, 2, 0, 1, 2, 2, 0, 1, 1, 0], [1, 1, 1, 1, 0, 0, 2, 2, 0, 1, 1, 2]
    with database.write() as session:
        benchmark = make_benchmark(session)
        add_generation(session, benchmark, "m", verdicts_of(first, 2), seed=1)
        add_generation(session, benchmark, "m", verdicts_of(second, 2), seed=2)
        add_generation(session, benchmark, "m", verdicts_of(second, 2), seed=2, temperature=0.2)
        add_generation(session, benchmark, "m", verdicts_of(first, 2), seed=2, temperature=0.2)
        found = benchmark_results(session, benchmark)
        pair = compared_pair(session, benchmark, ("m (T = 0.8)", found["models"][1]["name"]))
    names = [each["name"] for each in found["models"]]
    assert names[0] == "m (T = 0.8)"
    assert [name.rpartition(" #")[0] for name in names[1:]] == ["m (T = 0.2)"] * 2
    ks = found["signature"]["parameters"]["k"]
    over = pass_at_k_over_seeds([counts_of(first, 2), counts_of(second, 2)], ks, draws=DRAWS)
    assert found["models"][0]["seeds"] == [asdict(each) for each in over]
    assert [each["estimate"] for each in found["models"][0]["pass_at_k"]] == [asdict(each.mean) for each in over]
    assert pair["comparison"]["difference"] == pytest.approx(100 * (sum(first) - sum(second)) / 2 / 2 / PROBLEMS)


def test_the_canonical_solutions_are_no_model(database: Database) -> None:
    """Of the two that solve most they are neither."""
    with database.write() as session:
        benchmark = make_benchmark(session)
        add_generation(session, benchmark, "canonical", verdicts_of([1] * PROBLEMS, 1), backend="replay")
        add_generation(session, benchmark, "good", rising(0.7, 2))
        alone = benchmark_results(session, benchmark)
        add_generation(session, benchmark, "poor", rising(0.3, 2))
        found = benchmark_results(session, benchmark)
    assert [(each["name"], each["is_canonical"]) for each in found["models"]] == [
        ("canonical", True),
        ("good", False),
        ("poor", False),
    ]
    assert [(each["a"], each["b"]) for each in found["compared"]] == [("good", "poor"), ("poor", "good")]
    assert alone["compared"] == []


def test_of_a_file_no_temperature_is_told(database: Database) -> None:
    """Not beside the model's name either, where others of that name have one."""
    with database.write() as session:
        benchmark = make_benchmark(session)
        add_generation(session, benchmark, "m", rising(0.5, 2))
        add_generation(session, benchmark, "m", rising(0.5, 2), backend="replay")
        document = benchmark_results(session, benchmark)
    assert [each["name"] for each in document["models"]] == ["m (T = 0.8, top-p = 0.95)", "m"]
    asked, replayed = what_was_run(document).table.flat_rows()
    assert (asked["temperature"], asked["top_p"]) == (0.8, 0.95)
    assert (replayed["temperature"], replayed["top_p"]) == (None, None)


def test_what_has_no_verdict_is_told_and_never_counted(database: Database) -> None:
    verdicts: list[list[str | None]] = [["passed", "failed"] for _ in range(PROBLEMS)]
    verdicts[0] = ["passed", "sandbox_error"]
    verdicts[1] = ["not_run", "passed"]
    verdicts[2] = ["passed", None]
    with database.write() as session:
        benchmark = make_benchmark(session)
        generation = add_generation(session, benchmark, "m", verdicts)
        written = select(Completion).where(Completion.generation_id == generation.id, Completion.sample == 1)
        lost, unanswered = session.scalars(written.order_by(Completion.problem_id.desc()).limit(2)).all()
        for each in (lost, unanswered):
            session.delete(session.scalars(select(Execution).where(Execution.completion_id == each.id)).one())
        session.flush()
        session.delete(lost)
        unanswered.finish = "error"
        session.flush()
        found = benchmark_results(session, benchmark)
    run = found["models"][0]["generations"][0]
    assert run["incomplete"] == {
        "not_written": 1,
        "no_answer": 1,
        "not_executed": 1,
        "sandbox_error": 1,
        "not_run": 1,
    }
    assert (run["samples_expected"], run["samples_counted"]) == (24, 19)
    at_1, at_2 = found["models"][0]["pass_at_k"][:2]
    assert at_1["estimate"]["value"] == round((5 * 1.0 + 7 * 0.5) / PROBLEMS, 10)
    assert (at_2["k"], at_2["estimate"]["value"], at_2["problems_short"]) == (2, None, 5)


def test_a_problem_without_any_verdict_leaves_no_number(database: Database) -> None:
    verdicts = rising(0.5, 1)
    verdicts[3] = ["sandbox_error"]
    with database.write() as session:
        benchmark = make_benchmark(session)
        add_generation(session, benchmark, "m", verdicts)
        add_generation(session, benchmark, "waits", [[None]] * PROBLEMS, seed=1)
        found = benchmark_results(session, benchmark)
    assert found["models"][0]["pass_at_k"][0]["estimate"]["value"] is None
    assert [each["label"] for each in found["not_executed"]] == ["waits"]
    assert found["compared"] == []


def test_what_is_kept_is_worked_out_again_after_a_run(database: Database) -> None:
    with database.write() as session:
        benchmark = make_benchmark(session)
        add_generation(session, benchmark, "m", rising(0.5, 1))
        first = benchmark_results(session, benchmark)
        assert benchmark_results(session, benchmark) is first
        session.scalars(select(Execution).where(Execution.completion_id.is_not(None))).first().verdict = "blocked"  # type: ignore[union-attr]
        enqueue(session, "execution", {"generation": session.scalars(select(Generation.id)).one()})
        session.flush()
        again = benchmark_results(session, benchmark)
    assert again["models"][0]["generations"][0]["outcomes"]["blocked"] == 1


def test_a_benchmark_without_results(database: Database) -> None:
    with database.write() as session:
        benchmark = make_benchmark(session)
        found = benchmark_results(session, benchmark)
        assert (found["models"], found["problems"]) == ([], [])
        assert compared_models(tallies_of(session, benchmark)) == []
        with pytest.raises(NotFound):
            compared_pair(session, benchmark, ("a", "b"))
        with pytest.raises(InvalidInput):
            compared_pair(session, benchmark, ("a", "a"))
