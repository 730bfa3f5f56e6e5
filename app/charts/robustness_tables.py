"""Robustness in numbers: by category as ReCode's Tables 3 to 5 and by transformation."""

from collections.abc import Sequence

from app.charts.measured import Document, percent, without_width
from app.charts.robustness_left_out import (
    models_left_out,
    problems_left_out,
    problems_left_out_of,
    undefined,
)
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
    marks = mark_words(rows, gettext("Bold: the best of a row; underlined: the worst."), [results], k)
    return Table("robustness", title, _caption(results, k), columns, rows, marks)


def _category_row(results: RobustModels, category: str, measure: str, k: int) -> tuple[Cell, ...]:
    wholes = [whole_of(model, category) for model in results.models]
    mean = results.mean.get(category)
    return (
        Cell(category_label(category)),
        measure_cell(measure, k, seeds_of(results, category)),
        *marked_cells(results, wholes, measure, k),
        *([Cell(percent(estimate_of(mean["whole"] if mean else None, measure, k)))] if results.mean else []),
    )


def measure_cell(measure: str, k: int, seeds: int | None) -> Cell:
    """What a row's numbers are; the arrow is for readers."""
    label = measure_label(measure, k, seeds)
    return Cell(label, in_csv=label.rstrip(" ↑↓"))


def marked_cells(results: RobustModels, groups: Sequence[Document | None], measure: str, k: int) -> list[Cell]:
    """One number of the models in their order, the best and the worst marked.

    Neither are canonical solutions, nor a model that solves nothing on nominal prompts: it can't lose anything.
    """
    pairs = list(zip(results.models, groups, strict=True))
    markable = [group if model in results.ranked and value_of(group, NOMINAL, k) else None for model, group in pairs]
    values = [value_of(group, measure, k) for group in markable]
    marks = marks_of(values, lower_is_better=measure in LOWER_IS_BETTER)
    return [Cell(percent(estimate_of(each, measure, k)), mark) for each, mark in zip(groups, marks, strict=True)]


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
        *relative_caption(k),
        *without_width(
            estimate_of(whole_of(model, category), measure, k)
            for model in results.ranked
            for category in results.categories
            for measure in MEASURES
        ),
        *canonical_caption(results),
        *undefined_caption(results, k),
        *problems_left_out(results, k),
        *(models_left_out(results, k) if results.mean else []),
    ]
    return " ".join(parts)


def relative_caption(k: int) -> list[str]:
    """What RR may come to."""
    if k == 1:
        return []
    return [gettext("For k greater than 1 RR is a sum of two shares, and may come to 200 %%.")]


def mark_words(rows: Sequence[Sequence[Cell]], meaning: str, benchmarks: Sequence[RobustModels], k: int) -> str:
    """What the marks mean, where a row has any, and whose numbers have none."""
    if not any(cell.mark for row in rows for cell in row):
        return ""
    if not any(_solves_nothing(results, model, k) for results in benchmarks for model in results.ranked):
        return meaning
    unmarked = gettext("A model whose nominal pass@%(k)s is 0 has no mark: it can lose nothing.", k=human_number(k))
    return f"{meaning} {unmarked}"


def _solves_nothing(results: RobustModels, model: RobustModel, k: int) -> bool:
    return any(value_of(whole_of(model, category), NOMINAL, k) == 0 for category in results.categories)


def canonical_caption(results: RobustModels) -> list[str]:
    """Which column is no model's."""
    names = [model.name for model in results.models if model not in results.ranked]
    if not names:
        return []
    text = gettext("%(models)s: the canonical solutions, the ceiling; in no mean and no mark.", models=join(names))
    return [text]


def undefined_caption(results: RobustModels, k: int) -> list[str]:
    """Why there are dashes in a row of a category."""
    return undefined(
        (model.name, estimate_of(whole_of(model, category), DROP, k))
        for model in results.models
        for category in results.categories
    )


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
    groups = [
        (category, group)
        for category in results.categories
        if category in model.categories
        for group in [*model.categories[category]["transformations"], model.categories[category]["whole"]]
    ]
    rows = tuple(_transformation_row(*each, k) for each in groups)
    caption = gettext(
        "Last of each category: all of its transformations and seeds as one group. +up −down: 95 %% interval over "
        "problems. A prompt in which a transformation found nothing to change counts with its nominal samples. "
        "Ceiling: what the canonical solutions reach under the same changes."
    )
    why = undefined((gettext("Robust Drop"), estimate_of(group, DROP, k)) for _, group in groups)
    caption = " ".join([caption, *why, *problems_left_out_of(model, k)])
    title = gettext("%(model)s under each transformation", model=model.name)
    name = f"robustness-transformations-{place + 1}"
    return Table(name, title, caption, columns, rows, only_in_csv=(("model", model.name),))


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
