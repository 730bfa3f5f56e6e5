"""Benchmarks side by side in the paper's form: of each its models, with best and worst, by category and by change."""

from collections.abc import Sequence

from app.charts.measured import percent
from app.charts.robustness_left_out import undefined
from app.charts.robustness_models import (
    DROP,
    MEASURES,
    RobustModels,
    category_label,
    estimate_of,
    group_of,
    mean_whole,
    seeds_of,
    transformation_label,
    whole_of,
)
from app.charts.robustness_tables import (
    canonical_caption,
    mark_words,
    marked_cells,
    measure_cell,
    relative_caption,
    undefined_caption,
)
from app.charts.tables import Cell, Column, Table
from app.words import gettext


def categories_beside(benchmarks: Sequence[RobustModels], k: int = 1) -> Table:
    """A row for each category and number; of each benchmark its seeds, its models, and their mean where given."""
    columns = (
        Column("category", gettext("Category"), is_text=True),
        Column("metric", gettext("Metric"), is_text=True, term="robust-pass"),
        *(column for each in benchmarks for column in [*_columns(each, 2), *_mean_column(each)]),
    )
    rows = tuple(
        (
            Cell(category_label(category)),
            measure_cell(measure, k, None),
            *(cell for each in benchmarks for cell in _category_cells(each, category, measure, k)),
        )
        for category in _categories(benchmarks)
        for measure in MEASURES
    )
    seeds = gettext("s: the most seeds of a transformation of the category, on each benchmark its own.")
    caption = " ".join([seeds, _interval(), *relative_caption(k), *_undefined(benchmarks, k)])
    title, marks = gettext("Robustness, benchmarks side by side"), _marks(rows, benchmarks, k)
    return Table("robustness-benchmarks", title, caption, columns, rows, marks)


def transformations_beside(benchmarks: Sequence[RobustModels], k: int = 1) -> Table:
    """The Robust Drop under each transformation; of each benchmark its seeds and its models."""
    columns = (
        Column("transformation", gettext("Transformation"), is_text=True),
        Column("category", gettext("Category"), is_text=True),
        *(column for each in benchmarks for column in _columns(each, 1)),
    )
    rows = tuple(
        (
            Cell(transformation_label(name)),
            Cell(category_label(category)),
            *(cell for each in benchmarks for cell in _transformation_cells(each, category, name, k)),
        )
        for category in _categories(benchmarks)
        for name in dict.fromkeys(name for each in benchmarks for name in each.groups(category))
    )
    seeds = gettext("Worst case over the s seeds of each transformation, on each benchmark its own.")
    title = gettext("Robust Drop of each transformation, benchmarks side by side")
    caption = " ".join([seeds, _interval(), *_undefined_drops(benchmarks, k)])
    return Table("robustness-benchmarks-drop", title, caption, columns, rows, _marks(rows, benchmarks, k))


def _categories(benchmarks: Sequence[RobustModels]) -> list[str]:
    return list(dict.fromkeys(category for each in benchmarks for category in each.categories))


def _columns(results: RobustModels, decimals: int) -> list[Column]:
    """The seeds have a column, since a category may have more of them than another, and a benchmark than another."""
    name = results.benchmark
    models = [Column(f"{name}_{model.name}", model.name, f"{name}, %", decimals) for model in results.models]
    return [Column(f"{name}_s", "s", name, 0), *models]


def _mean_column(results: RobustModels) -> list[Column]:
    name = results.benchmark
    title = gettext("Mean over models")
    return [Column(f"{name}_mean_over_models", title, f"{name}, %", 2)] if results.mean else []


def _category_cells(results: RobustModels, category: str, measure: str, k: int) -> list[Cell]:
    cells = marked_cells(results, [whole_of(model, category) for model in results.models], measure, k)
    mean = percent(estimate_of(mean_whole(results, category), measure, k))
    return [Cell(seeds_of(results, category) or None), *cells, *([Cell(mean)] if results.mean else [])]


def _transformation_cells(results: RobustModels, category: str, name: str, k: int) -> list[Cell]:
    groups = [group_of(model, category, name) for model in results.models]
    seeds = max((each["seeds"] for each in groups if each is not None), default=None)
    return [Cell(seeds), *marked_cells(results, groups, DROP, k)]


def _interval() -> str:
    return gettext("+up −down: 95 %% interval over problems.")


def _marks(rows: Sequence[Sequence[Cell]], benchmarks: Sequence[RobustModels], k: int) -> str:
    meaning = gettext("Bold: the best of a row on each benchmark; underlined: the worst.")
    return mark_words(rows, meaning, benchmarks, k)


def _undefined(benchmarks: Sequence[RobustModels], k: int) -> list[str]:
    return [
        gettext("%(benchmark)s: %(reading)s", benchmark=each.benchmark, reading=reason)
        for each in benchmarks
        for reason in [*canonical_caption(each), *undefined_caption(each, k)]
    ]


def _undefined_drops(benchmarks: Sequence[RobustModels], k: int) -> list[str]:
    return [
        gettext("%(benchmark)s: %(reading)s", benchmark=each.benchmark, reading=reason)
        for each in benchmarks
        for reason in undefined(
            (model.name, estimate_of(group_of(model, category, name), DROP, k))
            for model in each.models
            for category in each.categories
            for name in each.groups(category)
        )
    ]
