"""Robustness in numbers: by category as ReCode's Tables 3 to 5, by transformation, and benchmarks side by side."""

from collections.abc import Sequence

from app.charts.measured import Document, percent
from app.charts.reasons import reason_in_words
from app.charts.robustness_models import (
    DROP,
    LOWER_IS_BETTER,
    MEASURES,
    NOMINAL,
    PASS,
    RELATIVE,
    RobustModel,
    RobustModels,
    category_label,
    estimate_of,
    mean_whole,
    measure_label,
    seeds_of,
    transformation_label,
    value_of,
    whole_of,
)
from app.charts.tables import Cell, Column, Mark, Share, Table
from app.charts.words import join
from app.words import gettext, human_number


def category_table(results: RobustModels, k: int = 1) -> Table:
    """A row for each category and number, a column for each model, and their mean where it is given."""
    columns = (
        Column("category", gettext("Category"), is_text=True),
        Column("metric", gettext("Metric"), is_text=True, term="robust-pass"),
        *(Column(model.name, model.name, "%", 2) for model in results.models),
        *([Column("mean_over_models", gettext("Mean over models"), "%", 2)] if results.mean else []),
    )
    rows = tuple(
        _category_row(results, category, measure, k) for category in results.categories for measure in MEASURES
    )
    title = gettext("Robustness on %(benchmark)s", benchmark=results.benchmark)
    return Table("robustness", title, _caption(results, k), columns, rows)


def _category_row(results: RobustModels, category: str, measure: str, k: int) -> tuple[Cell, ...]:
    wholes = [whole_of(model, category) for model in results.models]
    marks = marks_of([value_of(whole, measure, k) for whole in wholes], lower_is_better=measure in LOWER_IS_BETTER)
    mean = results.mean.get(category)
    return (
        Cell(category_label(category)),
        Cell(measure_label(measure, k, seeds_of(results, category))),
        *(Cell(percent(estimate_of(whole, measure, k)), mark) for whole, mark in zip(wholes, marks, strict=True)),
        *([Cell(percent(estimate_of(mean["whole"] if mean else None, measure, k)))] if results.mean else []),
    )


def marks_of(values: Sequence[float | None], *, lower_is_better: bool) -> list[Mark]:
    """The best and the worst of a row; no mark where there are no two different values."""
    known = [value for value in values if value is not None]
    if len(set(known)) < 2:
        return [""] * len(values)
    best, worst = (min(known), max(known)) if lower_is_better else (max(known), min(known))
    return ["best" if value == best else "worst" if value == worst else "" for value in values]


def _caption(results: RobustModels, k: int) -> str:
    parts = [
        gettext(
            "RP: the share of problems solved where only samples count that pass on every perturbed prompt of the "
            "category; RD: the share of the nominal pass@%(k)s that is lost; RR: what changes in either direction. "
            "+up −down: 95 %% interval over problems.",
            k=human_number(k),
        ),
        *_relative_caption(k),
        *_mark_caption(len(results.models)),
        *_undefined_caption(results, k),
    ]
    return " ".join(parts)


def _relative_caption(k: int) -> list[str]:
    if k == 1:
        return []
    return [gettext("For k greater than 1 RR is a sum of two shares, and may come to 200 %%.")]


def _mark_caption(models: int) -> list[str]:
    return [gettext("Bold: the best of a row; underlined: the worst.")] if models > 1 else []


def _undefined_caption(results: RobustModels, k: int) -> list[str]:
    """Why there are dashes."""
    reasons: dict[str, list[str]] = {}
    for model in results.models:
        for category in results.categories:
            found = estimate_of(whole_of(model, category), DROP, k)
            if found is not None and found["value"] is None:
                names = reasons.setdefault(found["reason"], [])
                names += [] if model.name in names else [model.name]
    return [
        gettext("No value for %(metrics)s: %(reason)s.", metrics=join(names), reason=reason_in_words(reason))
        for reason, names in reasons.items()
    ]


def transformation_table(results: RobustModels, model: RobustModel, k: int = 1, *, place: int = 0) -> Table:
    """One model under each transformation: all numbers, what was unchanged, and what canonical solutions reach.

    place: the model's, for the table's name.
    """
    columns = (
        Column("transformation", gettext("Transformation"), is_text=True),
        Column("category", gettext("Category"), is_text=True),
        Column("seeds", gettext("Seeds"), decimals=0),
        Column("nominal", gettext("Nominal"), "%", 1, term="pass-at-k"),
        Column("robust_pass", gettext("Robust Pass"), "%", 1, term="robust-pass"),
        Column("robust_drop", gettext("Robust Drop"), "%", 1, term="robust-drop"),
        Column("robust_relative", gettext("Robust Relative"), "%", 1, term="robust-relative"),
        Column("unchanged", gettext("Unchanged"), gettext("%% of prompts"), 1, term="unchanged"),
        Column("ceiling", gettext("Ceiling"), "%", 1, term="ceiling"),
    )
    rows = tuple(
        _transformation_row(category, group, k)
        for category in results.categories
        if category in model.categories
        for group in [*model.categories[category]["transformations"], model.categories[category]["whole"]]
    )
    caption = gettext(
        "Last of each category: all of its transformations and seeds as one group. +up −down: 95 %% interval over "
        "problems. A prompt in which a transformation found nothing to change counts with its nominal samples. "
        "Ceiling: what the canonical solutions reach under the same changes."
    )
    title = gettext("%(model)s under each transformation", model=model.name)
    return Table(f"robustness-transformations-{place + 1}", title, caption, columns, rows)


def _transformation_row(category: str, group: Document, k: int) -> tuple[Cell, ...]:
    is_whole = group["name"] == category
    label = gettext("All of the category") if is_whole else transformation_label(group["name"])
    return (
        Cell(label),
        Cell(category_label(category)),
        Cell(group["seeds"]),
        *(Cell(percent(estimate_of(group, measure, k))) for measure in (NOMINAL, PASS, DROP, RELATIVE)),
        Cell(Share(group["unchanged"], group["pairs"])),
        Cell(percent(group["ceiling"])),
    )


def benchmark_table(benchmarks: Sequence[RobustModels], k: int = 1) -> Table:
    """A row for each category and number, a column for each benchmark's mean over models, or its only model."""
    columns = (
        Column("category", gettext("Category"), is_text=True),
        Column("metric", gettext("Metric"), is_text=True, term="robust-pass"),
        *(Column(each.benchmark, each.benchmark, "%", 2) for each in benchmarks),
    )
    categories = list(dict.fromkeys(category for each in benchmarks for category in each.categories))
    rows = tuple(
        (
            Cell(category_label(category)),
            Cell(measure_label(measure, k, max(seeds_of(each, category) for each in benchmarks))),
            *(Cell(percent(estimate_of(mean_whole(each, category), measure, k))) for each in benchmarks),
        )
        for category in categories
        for measure in MEASURES
    )
    caption = " ".join(
        [*map(_whose, benchmarks), gettext("+up −down: 95 %% interval over problems."), *_relative_caption(k)]
    )
    return Table("robustness-benchmarks", gettext("Robustness, benchmarks side by side"), caption, columns, rows)


def _whose(results: RobustModels) -> str:
    names = join([model.name for model in results.models])
    if len(results.models) == 1:
        return gettext("%(benchmark)s: %(models)s.", benchmark=results.benchmark, models=names)
    return gettext("%(benchmark)s: the mean over %(models)s.", benchmark=results.benchmark, models=names)
