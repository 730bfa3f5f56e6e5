"""Every figure of every page: titled, labelled with units, without NaN, in the fixed colours, inert."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from app.charts import (
    cohen_map,
    compare,
    delta_bars,
    execution_agreement,
    forest,
    half_widths,
    pass_at_k,
    points,
    progress,
    question_agreement,
    ranking,
    ranking_over_time,
    robustness,
    robustness_breaks,
    robustness_checks,
    robustness_compared,
    robustness_curves,
    robustness_map,
    robustness_people,
    robustness_scores,
    robustness_surveys,
    survey,
)
from app.charts.exhibit import Exhibit
from app.charts.glossary import PAGES, TERMS
from app.charts.progress import Progress
from app.charts.theme import KINDS, STYLES, style_of
from tests.charts import executions, questions, robust
from tests.charts.study import SYSTEMS, analysed


def all_exhibits(*, synthetic: bool = True) -> Iterator[Exhibit]:
    results = analysed(synthetic=synthetic)
    grading = Progress({0: 3, 2: 5}, [("grader1", 6), ("<i>x</i>", 4)], 3)
    yield progress.grades_per_item(grading)
    yield progress.grades_per_annotator(grading)
    yield progress.annotator_agreement(results)
    yield forest.systems_forest(results)
    yield ranking.metric_ranking(results)
    yield ranking.consensus_ranking(results)
    yield delta_bars.significance_by_delta(results)
    yield delta_bars.agreement_by_delta(results)
    yield points.metric_against_people(results, "mine")
    yield compare.two_systems(results, SYSTEMS[2], SYSTEMS[0])
    yield compare.what_people_said(results, SYSTEMS[2], SYSTEMS[0])


def exhibits_of_questions() -> Iterator[Exhibit]:
    whole, strata = questions.agreement()
    yield question_agreement.question_agreement("helpfulness <1>", whole, strata)
    yield question_agreement.question_agreement("helpfulness <1>", whole, level="nominal")
    yield cohen_map.pairwise_kappa("helpfulness <1>", whole)
    yield survey.survey(questions.survey())
    for found in (questions.precision(), questions.precision(grades=1)):
        document = questions.stored(found.to_json())
        yield half_widths.system_half_widths(document)
        pair = questions.stored(found.pair(SYSTEMS[1], SYSTEMS[0]).to_json())
        yield half_widths.pair_half_widths(document, pair)
    yield ranking_over_time.ranking_over_time(questions.stability())


def exhibits_of_executions() -> Iterator[Exhibit]:
    yield pass_at_k.pass_at_k(executions.three_models())
    yield pass_at_k.pass_at_k(executions.with_seeds(0.2, 0.6))
    yield execution_agreement.execution_agreement(executions.agreement())


def exhibits_of_robustness() -> Iterator[Exhibit]:
    results, sampled = robust.three_models(), robust.sampled()
    yield robustness.robustness(results)
    yield robustness.robustness(sampled, 10)
    yield robustness.benchmarks_side_by_side([results, sampled])
    yield robustness_map.transformation_map(results)
    yield robustness_map.transformation_map(results, "robust_pass")
    yield robustness_curves.over_seeds(results, "docstring")
    yield robustness_curves.over_k(sampled, "syntax")
    yield robustness_breaks.broken_problems(SYSTEMS[1], "docstring", robust.broken(), robust.PROBLEMS)
    yield robustness_breaks.flipped_samples(SYSTEMS[1], "docstring", robust.flipped())
    compared = [(name, robust.SEEDS, results.compared[SYSTEMS[0], SYSTEMS[1], name]) for name in results.categories]
    yield robustness_compared.compared_models(SYSTEMS[0], SYSTEMS[1], compared)
    yield robustness_people.survey_by_category(robust.survey())
    yield robustness_surveys.surveys_side_by_side(
        [("HumanEval <1>", robust.survey())], name="surveys", title="People"
    )
    yield robustness_checks.checks_against_people(robust.checks())
    yield robustness_scores.mean_scores("docstring", [("HumanEval <1>", robust.scores())])


EXHIBITS = [
    *all_exhibits(),
    *all_exhibits(synthetic=False),
    *exhibits_of_questions(),
    *exhibits_of_executions(),
    *exhibits_of_robustness(),
]
FIGURES = [each for each in EXHIBITS if each.figure]


def strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from strings(each)
    elif isinstance(value, list):
        for each in value:
            yield from strings(each)


@pytest.mark.parametrize("exhibit", EXHIBITS, ids=lambda each: each.name)
def test_each_has_a_title_a_reading_and_a_table(exhibit: Exhibit) -> None:
    assert exhibit.title
    assert exhibit.reading.endswith(".")
    assert exhibit.table.rows
    assert exhibit.table.caption


@pytest.mark.parametrize("exhibit", FIGURES, ids=lambda each: each.name)
def test_figures_are_plain_json_without_nan(exhibit: Exhibit) -> None:
    assert json.loads(json.dumps(exhibit.figure, allow_nan=False)) == exhibit.figure


@pytest.mark.parametrize("exhibit", FIGURES, ids=lambda each: each.name)
def test_colours_are_roles(exhibit: Exhibit) -> None:
    assert not [text for text in strings(exhibit.figure) if re.fullmatch(r"#[0-9a-fA-F]{3,8}", text)]


@pytest.mark.parametrize("exhibit", FIGURES, ids=lambda each: each.name)
def test_no_template_and_no_html(exhibit: Exhibit) -> None:
    assert exhibit.figure is not None
    assert "template" not in exhibit.figure["layout"]
    tags = {tag for text in strings(exhibit.figure) for tag in re.findall(r"<[^>]*>", text)}
    assert not tags


@pytest.mark.parametrize(
    "name", ["scores", "significance", "agreement", "points-mine", "comparison", "said", "half-widths"]
)
def test_numeric_axes_name_their_unit(name: str) -> None:
    exhibit = next(each for each in FIGURES if each.name == name)
    titles = " ".join(text for text in strings(exhibit.figure["layout"]) if "points" in text or "%" in text)
    assert titles


def test_every_metric_and_kind_looks_like_no_other() -> None:
    assert len({style.colour for style in STYLES.values()}) == len(STYLES)
    assert len({style.symbol for style in STYLES.values()}) == len(STYLES)
    assert len({kind.colour for kind in KINDS}) == len({kind.pattern for kind in KINDS}) == len(KINDS)


def test_an_imported_metric_keeps_its_look_whatever_else_is_chosen() -> None:
    assert style_of("mine", ["human", "bleu", "mine"]) == style_of("mine", ["mine"])
    assert style_of("mine", ["mine"]).symbol.endswith("-open")


def test_each_term_of_a_table_is_defined() -> None:
    terms = {column.term for each in EXHIBITS for table in each.tables for column in table.columns} - {""}
    assert terms <= set(TERMS)
    assert {key for keys in PAGES.values() for key in keys} <= set(TERMS)


def test_points_are_all_pairs_once() -> None:
    results = analysed()
    figure = points.metric_against_people(results, "bleu").figure
    assert figure is not None
    clouds = figure["data"][:-1]
    assert sum(len(trace["x"]) for trace in clouds) == results.pair_count


def test_panels_show_the_shares_of_the_table() -> None:
    results = analysed()
    exhibit = delta_bars.significance_by_delta(results)
    assert exhibit.figure is not None
    for trace, row in zip(exhibit.figure["data"], exhibit.table.rows, strict=True):
        expected = [cell.value.percent for cell in row[1:]]
        assert trace["y"] == [None if each is None else round(each, 2) for each in expected]


def test_a_comparison_turned_round_is_its_mirror() -> None:
    results = analysed()
    there, back = results.comparison(*SYSTEMS[:2]), results.comparison(SYSTEMS[1], SYSTEMS[0])
    for metric in results.scored:
        assert back[metric]["difference"] == -there[metric]["difference"]
        assert (back[metric]["low"], back[metric]["high"]) == (-there[metric]["high"], -there[metric]["low"])
        total = there[metric]["p_a_greater"] + back[metric]["p_a_greater"] + there[metric]["p_equal"]
        assert total == pytest.approx(1)


def test_what_people_said_covers_all_pairs_of_the_range() -> None:
    results = analysed()
    for each in compare.verdicts_of_people(results, SYSTEMS[0], SYSTEMS[1]):
        inside = results.bin_numbers(each.metric) == results.bins.index((each.low, each.high))
        assert each.pairs == inside.sum()
