"""The document of robustness: the numbers of the rows, nothing averaged away, worked out again when it must be."""

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.errors import InvalidInput, NotFound
from app.perturbations import Category, Form
from app.services.benchmarks import find_benchmark
from app.services.execution_results.pass_at_k import benchmark_results
from app.services.robustness_results.document import compared_pair, results_beside, robustness_results
from app.services.runs import enqueue
from app.storage.engine import Database
from app.storage.models import Benchmark, Completion, Execution, Generation
from tests.execution_results.rows import execution, make_benchmark
from tests.robustness_results.by_hand import by_hand
from tests.robustness_results.rows import (
    PIECES,
    PROBLEMS,
    add_canonical,
    add_model,
    add_rows,
    answer,
    asked_rows,
    drawn,
    make_set,
    recipe_of,
)

CATEGORIES = ["docstring", "function_name", "format"]
MEASURES = ("nominal", "robust_pass", "robust_drop", "robust_relative")


def the_set(session: Session) -> Benchmark:
    return find_benchmark(session, "robust")


def values(group: dict[str, list[dict[str, dict[str, float]]]], place: int = 0) -> list[float]:
    return [group["at"][place][measure]["value"] for measure in MEASURES]


@pytest.mark.parametrize(("samples", "ks"), [(1, [1]), (6, [1, 2, 3, 4, 5, 6]), (12, [1, 2, 5, 10, 12])])
def test_the_numbers_are_those_of_the_rows(database: Database, samples: int, ks: list[int]) -> None:
    with database.write() as session:
        made = make_set(session)
        generation = add_model(session, made, "m", drawn(0.8, 0.2, 3), samples=samples)
        document = robustness_results(session, made)
        assert document["ks"] == ks
        assert document["shown"] == [k for k in ks if samples <= 10 or k != 2]
        (model,) = document["models"]
        assert list(model["categories"]) == CATEGORIES
        for category, found in model["categories"].items():
            for place, k in enumerate(ks):
                assert values(found["whole"], place) == pytest.approx(by_hand(session, generation, category, k))
                for each in found["transformations"]:
                    expected = by_hand(session, generation, category, k, each["name"])
                    assert values(each, place) == pytest.approx(expected)
    words = model["categories"]["docstring"]
    assert [(each["name"], each["seeds"], each["unchanged"], each["pairs"]) for each in words["transformations"]] == [
        ("docstring/ButterFingers", 2, 0, 2 * PROBLEMS),
        ("docstring/Tense", 1, 4, PROBLEMS),
    ]
    assert [each["s"] for each in model["over_seeds"]["docstring"]] == [1, 2]
    assert model["over_seeds"]["docstring"][-1]["at"] == words["whole"]["at"]
    assert document["mean"] == {}
    assert words["draws"] == document["signature"]["parameters"]["draws"] == 1_000


def test_two_models_have_a_mean_and_a_comparison(results: Database) -> None:
    with results.read() as session:
        document = robustness_results(session, the_set(session))
        good, poor = document["models"]
        pair = compared_pair(session, the_set(session), ("=poor", "good <i>one</i>"))
    assert [good["name"], poor["name"]] == ["good <i>one</i>", "=poor"]
    for category in CATEGORIES:
        both = [values(each["categories"][category]["whole"]) for each in (good, poor)]
        means = [sum(each) / 2 for each in zip(*both, strict=True)]
        assert values(document["mean"][category]["whole"]) == pytest.approx(means)
        of_category = next(each for each in document["compared"] if each["category"] == category)
        difference = of_category["comparison"]["robust_pass"]["difference"]
        assert difference == pytest.approx(100 * (both[0][1] - both[1][1]))
        reverse = next(each for each in pair if each["category"] == category)["comparison"]
        assert reverse["robust_pass"]["difference"] == pytest.approx(-difference)
    with results.read() as session:
        with pytest.raises(InvalidInput, match="with itself"):
            compared_pair(session, the_set(session), ("=poor", "=poor"))
        with pytest.raises(NotFound, match="nobody"):
            compared_pair(session, the_set(session), ("nobody", "=poor"))


def test_ceilings_are_those_of_the_canonical_solutions(results: Database) -> None:
    with results.read() as session:
        document = robustness_results(session, the_set(session))
    for model in document["models"]:
        ceilings = {name: found["whole"]["ceiling"]["value"] for name, found in model["categories"].items()}
        assert ceilings == {"docstring": round(11 / 12, 10), "function_name": 1.0, "format": 1.0}
        fingers, tense = model["categories"]["docstring"]["transformations"]
        assert (fingers["ceiling"]["value"], tense["ceiling"]["value"]) == (round(11 / 12, 10), 1.0)


def test_models_are_chosen(results: Database) -> None:
    with results.read() as session:
        first, second = session.scalars(select(Generation.id).order_by(Generation.id)).all()
        both = robustness_results(session, the_set(session))
        alone = robustness_results(session, the_set(session), [second])
        assert [each["name"] for each in alone["models"]] == ["=poor"]
        assert (alone["mean"], alone["compared"]) == ({}, [])
        assert [each["generation"] for each in alone["known"]] == [first, second]
        assert alone["models"][0]["categories"] == both["models"][1]["categories"]
        assert alone["signature"]["inputs_sha256"] != both["signature"]["inputs_sha256"]
        with pytest.raises(NotFound, match="no results of a generation 99999"):
            robustness_results(session, the_set(session), [99999])


def test_unchanged_prompts_count_with_their_nominal_samples(database: Database) -> None:
    """Right on nominal prompts, and on no changed one: only what no transformation changed can be robust."""
    with database.write() as session:
        made = make_set(session)
        add_model(session, made, "m", lambda row, _: "failed" if row.transformation else "passed")
        found = robustness_results(session, made)["models"][0]["categories"]["docstring"]
    fingers, tense = found["transformations"]
    assert values(fingers) == [1, 0, 1, 1]
    assert values(tense) == pytest.approx([1, 4 / 12, 8 / 12, 8 / 12])
    assert values(found["whole"]) == [1, 0, 1, 1]


def test_what_is_incomplete_is_told_and_never_counted(database: Database) -> None:
    lost = {"b/3": "sandbox_error", "b/5 · docstring/Tense · 0": None}
    with database.write() as session:
        made = make_set(session)
        add_model(session, made, "m", lambda row, n: lost.get(row.key, "passed") if n == 0 else "passed", samples=2)
        document = robustness_results(session, made)
    (model,) = document["models"]
    assert model["generations"][0]["incomplete"] == {"not_executed": 1, "sandbox_error": 1}
    assert model["generations"][0]["samples_expected"] == 2 * (12 + 12 + 2 * 12 + 8 + 12 + 12)
    words, names = model["categories"]["docstring"], model["categories"]["function_name"]
    assert (words["samples_left_out"], names["samples_left_out"]) == (2, 1)
    assert values(words["whole"]) == [1, 1, 0, 0]
    assert values(words["whole"], 1) == [1, 1, 0, 0]
    assert (words["whole"]["at"][0]["problems_left_out"], words["whole"]["at"][1]["problems_left_out"]) == (0, 2)
    by_name = {each["name"]: each["at"][1]["problems_left_out"] for each in words["transformations"]}
    assert by_name.pop("docstring/Tense") == 2
    assert set(by_name.values()) == {1}


def test_a_further_transformation_changes_only_what_is_new(database: Database) -> None:
    new = ("docstring/Whitespace", Category.DOCSTRING, Form.WHOLE, 0)
    with database.write() as session:
        made = make_set(session)
        generation = add_model(session, made, "m", drawn(0.8, 0.2, 5))
        before = robustness_results(session, made)
        made.recipe = recipe_of([*PIECES, new]).model_dump(mode="json")
        enqueue(session, "perturbing", {"set": made.id})
        waiting = robustness_results(session, made)
        assert waiting["left_out"] == [
            {"category": "docstring", "transformation": new[0], "seed": 0, "models": []}  # not made yet
        ]
        add_rows(session, made, *new)
        enqueue(session, "perturbing", {"set": made.id})
        unasked = robustness_results(session, made)
        assert unasked["left_out"] == [
            {"category": "docstring", "transformation": new[0], "seed": 0, "models": ["m"]}
        ]
        assert unasked["models"][0]["categories"] == waiting["models"][0]["categories"]
        assert unasked["models"][0]["categories"] == before["models"][0]["categories"]
        for row in asked_rows(session, made):
            if row.transformation == new[0]:
                answer(session, generation, row, 0, "failed")
        enqueue(session, "execution", {"generation": generation.id})
        after = robustness_results(session, made)
    assert after["left_out"] == []
    old, now = (each["models"][0]["categories"] for each in (before, after))
    assert {name: now[name] for name in ("function_name", "format")} == {
        name: old[name] for name in ("function_name", "format")
    }
    assert now["docstring"]["transformations"][:2] == old["docstring"]["transformations"]
    assert values(now["docstring"]["transformations"][2])[1] == 0
    assert values(now["docstring"]["whole"])[1] == 0


def test_a_model_that_is_only_begun_takes_nothing_from_the_others(database: Database) -> None:
    with database.write() as session:
        made = make_set(session)
        add_model(session, made, "done", drawn(0.8, 0.2, 5))
        alone = robustness_results(session, made)
        begun = add_model(
            session,
            made,
            "begun",
            lambda row, _: None if row.category == "format" or row.form == "half" else "passed",
        )
        document = robustness_results(session, made)
        assert [each["name"] for each in document["models"]] == ["done"]
        assert document["set_aside"] == ["begun"]
        assert document["models"][0]["categories"] == alone["models"][0]["categories"]
        chosen = robustness_results(session, made, [each["generation"] for each in document["known"]])
        only = robustness_results(session, made, [begun.id])
    assert (chosen["set_aside"], only["set_aside"]) == ([], [])
    assert [list(each["categories"]) for each in chosen["models"]] == [CATEGORIES, CATEGORIES[:2]]
    assert chosen["mean"].keys() == set(CATEGORIES[:2])
    assert list(only["models"][0]["categories"]) == CATEGORIES[:2]
    assert [each["category"] for each in only["left_out"]] == ["format"]


def test_a_model_without_verdicts_waits(database: Database) -> None:
    with database.write() as session:
        made = make_set(session)
        assert robustness_results(session, made)["models"] == []
        add_model(session, made, "waits", lambda *_: None)
        document = robustness_results(session, made)
    assert (document["models"], [each["label"] for each in document["not_executed"]]) == ([], ["waits"])


def test_it_is_worked_out_again_after_a_run(results: Database) -> None:
    with results.write() as session:
        made = the_set(session)
        before = robustness_results(session, made)
        assert robustness_results(session, made) is before
        number = before["models"][0]["generations"][0]["generation"]
        mine = select(Completion.id).where(Completion.generation_id == number)
        for each in session.scalars(select(Execution).where(Execution.completion_id.in_(mine))):
            each.verdict = "passed"
        session.flush()
        enqueue(session, "execution", {"generation": number})
        after = robustness_results(session, made)
    assert values(after["models"][0]["categories"]["docstring"]["whole"]) == [1, 1, 0, 0]
    assert after["models"][1]["categories"] == before["models"][1]["categories"]


def test_another_set_beside_it_has_the_same_models(results: Database) -> None:
    with results.write() as session:
        other = make_set(session, "Other")
        add_model(session, other, "=poor", drawn(0.5, 0.1, 7))
        add_model(session, other, "elsewhere", drawn(0.5, 0.1, 8))
        found = results_beside(session, other, {"=poor", "good <i>one</i>"})
        assert [each["name"] for each in found["models"]] == ["=poor"]
        every = results_beside(session, other, {"good <i>one</i>"})
        assert [each["name"] for each in every["models"]] == ["=poor", "elsewhere"]


def test_ordinary_results_of_a_set_are_those_of_its_nominal_prompts(results: Database) -> None:
    with results.read() as session:
        document = benchmark_results(session, the_set(session))
        robust = robustness_results(session, the_set(session))
    assert len(document["problems"]) == PROBLEMS
    for ordinary, model in zip(document["models"], robust["models"], strict=True):
        nominal = model["categories"]["docstring"]["whole"]["at"][0]["nominal"]["value"]
        assert ordinary["pass_at_k"][0]["estimate"]["value"] == pytest.approx(nominal)


def test_another_benchmark_has_no_robustness(database: Database) -> None:
    with database.write() as session, pytest.raises(InvalidInput, match="no perturbed set"):
        robustness_results(session, make_benchmark(session))


def test_what_a_ceiling_stands_on_may_be_missing(database: Database) -> None:
    with database.write() as session:
        made = make_set(session)
        add_model(session, made, "m", drawn(0.8, 0.2, 5))
        found = robustness_results(session, made)["models"][0]["categories"]["docstring"]
        assert found["whole"]["ceiling"] is None
        first = asked_rows(session, made)[0]
        session.add(execution("passed", benchmark_problem_id=first.id))
        made.run_id = enqueue(session, "execution", {"benchmark": made.id}).id
        session.flush()
        found = robustness_results(session, made)["models"][0]["categories"]["docstring"]
        assert found["whole"]["ceiling"]["value"] is None
        assert found["whole"]["ceiling"]["reason"] == "a problem has no sample"


def test_the_replayed_canonical_solutions_are_no_model(database: Database) -> None:
    """They have their own numbers, and neither the mean nor the comparison knows them."""
    with database.write() as session:
        made = make_set(session)
        for place, label in enumerate(("a", "b")):
            add_model(session, made, label, drawn(0.8, 0.2, place))
        before = robustness_results(session, made)
        add_canonical(session, made)
        after = robustness_results(session, made)
    assert [(each["name"], each["is_canonical"]) for each in after["models"]] == [
        ("a", False),
        ("b", False),
        ("canonical", True),
    ]
    assert values(after["models"][2]["categories"]["docstring"]["whole"]) == [1, 1, 0, 0]
    assert after["mean"] == before["mean"]
    assert after["compared"] == before["compared"]
