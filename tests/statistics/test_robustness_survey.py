"""The surveys by category with their majorities: a case by hand, and the numbers of the rooms it is made of."""

import pytest

from app.statistics.agreement import NO_PAIRS, measure_agreement
from app.statistics.question_agreement import measure_question
from app.statistics.robustness_survey import MajorityRow, robustness_survey
from app.statistics.survey import NATURALNESS, NOMINAL, PERTURBED, SIMILARITY, SurveyGrades

GRADES: dict[str, list[float]] = {
    "n1": [1, 1, 1, 0.5, 0],
    "typo1": [0, 0, 0, 1, 1],
    "typo2": [0, 0.5, 1, 1, 0],
    "case1": [1, 1, 1, 1, 0.5],
    "name1": [0.5, 0.5, 0.5, 1, 1],
}
PERTURBED_ITEMS = {"typos": ["typo1", "typo2"], "case": ["case1"], "rename": ["name1"]}
CATEGORIES = {"typos": "docstring", "case": "docstring", "rename": "function_name"}


def rows() -> SurveyGrades:
    pairs = [(item, grade) for item, grades in GRADES.items() for grade in grades]
    return SurveyGrades([item for item, _ in pairs], [grade for _, grade in pairs])


def counts(row: MajorityRow) -> list[tuple[int, int]]:
    return [(each.share.count, each.share.of) for each in row.labels] + [(row.none.count, row.none.of)]


def test_by_hand() -> None:
    found = robustness_survey(
        rows(), SurveyGrades([], []), ["n1"], PERTURBED_ITEMS, {}, category_of=CATEGORIES, draws=100
    )
    docstring = found.categories.table.row(NATURALNESS, PERTURBED, "docstring")
    assert (docstring.items, docstring.grades) == (3, 15)
    assert docstring.mean.value == pytest.approx((0.4 + 0.5 + 0.9) / 3)
    by_stratum = {row.stratum: row for row in found.categories.majorities if row.prompts == PERTURBED}
    assert counts(by_stratum["docstring"]) == [(1, 3), (0, 3), (1, 3), (1, 3)]
    assert counts(by_stratum["function_name"]) == [(0, 1), (1, 1), (0, 1), (0, 1)]
    assert counts(by_stratum[None])[-1] == (0, 0)  # the last pooled row: nobody was asked for similarity
    assert [row.stratum for row in found.transformations.majorities] == [None, None, "typos", "case", "rename", None]
    assert found.to_json()["categories"]["table"]["rows"][0]["prompts"] == NOMINAL


def test_majorities_stand_in_the_order_of_the_table() -> None:
    found = robustness_survey(
        rows(), rows(), ["n1"], PERTURBED_ITEMS, PERTURBED_ITEMS, category_of=CATEGORIES, draws=100
    )
    for part in (found.categories, found.transformations):
        keys = [(row.question, row.prompts, row.transformation) for row in part.table.rows]
        assert keys == [(row.question, row.prompts, row.stratum) for row in part.majorities]


def test_it_agrees_with_the_rooms_for_single_questions() -> None:
    found = robustness_survey(
        rows(), rows(), ["n1"], PERTURBED_ITEMS, PERTURBED_ITEMS, category_of=CATEGORIES, draws=200
    )
    chosen = rows().of(["typo1", "typo2", "case1"])
    row = found.categories.table.row(SIMILARITY, PERTURBED, "docstring")
    assert row.kappa == measure_agreement(chosen.items, chosen.labels, draws=200).fleiss_kappa
    people = [f"a{place % 5}" for place in range(len(chosen.items))]
    top = measure_question(chosen.items, people, chosen.labels, top=1, draws=200).top_majority
    majority = next(each for each in found.categories.majorities if each.stratum == "docstring")
    assert majority.labels[-1].share == top


def test_single_grades_make_no_majority() -> None:
    one = SurveyGrades(["n1"], [1.0])
    found = robustness_survey(one, one, ["n1"], {}, {}, category_of={}, draws=50)
    assert found.categories.majorities[0].none.reason == NO_PAIRS
    with pytest.raises(KeyError):
        robustness_survey(one, one, ["n1"], {"typos": ["x"]}, {}, category_of={}, draws=50)
