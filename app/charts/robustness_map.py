"""Model by transformation as a heat map: what each single transformation costs, or leaves."""

from collections.abc import Sequence
from typing import Any

from app.charts import robustness_sentences
from app.charts.exhibit import Exhibit, Figure
from app.charts.measured import Document, ends, without_width
from app.charts.reasons import reason_in_words
from app.charts.robustness_left_out import undefined
from app.charts.robustness_models import (
    DROP,
    PASS,
    RobustModels,
    category_label,
    estimate_of,
    group_of,
    transformation_label,
)
from app.charts.robustness_tables import mark_words, marked_cells, transformation_table
from app.charts.tables import Cell, Column, Table, number
from app.charts.theme import LONGEST_NARROW, axis, figure, note, plain, short
from app.words import N_, gettext

MEASURES = {DROP: N_("Robust Drop"), PASS: N_("Robust Pass")}
ROW_PX = 26
MOST_WRITTEN, MOST_WRITTEN_NARROW = 8, 3  # models whose values can be read in the cells

Row = tuple[str, str]  # category, transformation
HEAD = ""


def transformation_map(results: RobustModels, measure: str = DROP, k: int = 1) -> Exhibit:
    """measure: robust_drop or robust_pass. A table of all numbers for each model lies below."""
    rows = [(category, name) for category in results.categories for name in results.groups(category)]
    extra = [transformation_table(results, model, k, place=place) for place, model in enumerate(results.models)]
    return Exhibit(
        f"robustness-map-{measure.removeprefix('robust_')}",
        gettext("%(measure)s of each transformation", measure=gettext(MEASURES[measure])),
        robustness_sentences.transformations(results, k),
        _table(results, rows, measure, k),
        _figure(results, rows, measure, k),
        extra=tuple(extra),
    )


def _with_heads(rows: Sequence[Row]) -> list[Row]:
    """A row without a transformation above those of each category, where its name stands."""
    found: list[Row] = []
    for row in rows:
        if not found or found[-1][0] != row[0]:
            found.append((row[0], HEAD))
        found.append(row)
    return found


def _cell(results: RobustModels, row: Row, model: int, measure: str, k: int) -> Document | None:
    return estimate_of(group_of(results.models[model], *row), measure, k)


def _table(results: RobustModels, rows: Sequence[Row], measure: str, k: int) -> Table:
    columns = (
        Column("transformation", gettext("Transformation"), is_text=True),
        Column("category", gettext("Category"), is_text=True),
        *(Column(model.name, model.name, "%", 1, term=measure.replace("_", "-")) for model in results.models),
    )
    body = []
    for row in rows:
        groups = [group_of(model, *row) for model in results.models]
        cells = marked_cells(results, groups, measure, k)
        body.append((Cell(transformation_label(row[1])), Cell(category_label(row[0])), *cells))
    caption = gettext("Worst case over the seeds of each transformation; +up −down: 95 %% interval over problems.")
    ranked = [place for place, model in enumerate(results.models) if model in results.ranked]
    alike = without_width(_cell(results, row, place, measure, k) for place in ranked for row in rows)
    models = enumerate(results.models)
    why = undefined((each.name, _cell(results, row, place, measure, k)) for place, each in models for row in rows)
    caption = " ".join([caption, *alike, *why])
    name = f"robustness-map-{measure.removeprefix('robust_')}"
    title = gettext("%(measure)s of each transformation", measure=gettext(MEASURES[measure]))
    marks = mark_words(body, gettext("Bold: the best of a row; underlined: the worst."), [results], k)
    return Table(name, title, caption, columns, tuple(body), marks)


def _figure(results: RobustModels, plain_rows: Sequence[Row], measure: str, k: int) -> Figure | None:
    models, rows = range(len(results.models)), _with_heads(plain_rows)
    cells = [[_cell(results, row, model, measure, k) for model in models] for row in rows]
    values = [
        [None if each is None or each["value"] is None else 100 * each["value"] for each in row] for row in cells
    ]
    known = [value for row in values for value in row if value is not None]
    if not known:
        return None
    trace: dict[str, Any] = {
        "type": "heatmap",
        "z": [[None if value is None else round(value, 4) for value in row] for row in values],
        "x": list(models),
        "y": list(range(len(rows))),
        "zmin": 0.0,  # a gain looks like no loss; its number stands in the cell
        "zmax": max(*known, 0.0, 1.0) if measure == DROP else 100,
        "colorscale": [[0, "@sunken"], [1, "@heat"]],
        "xgap": 2,
        "ygap": 2,
        "colorbar": {"title": {"text": "%"}, "thickness": 12, "outlinewidth": 0, "len": 1},
        "hoverongaps": True,  # where there is no value, why
        "hoverinfo": "text",
        "hovertext": [
            [_words(results, row, model, cells[at][model], measure) for model in models]
            for at, row in enumerate(rows)
        ],
        "textfont": {"size": 12, "color": "@text"},
        "narrow": {"showscale": False},
    }
    if len(models) <= MOST_WRITTEN:
        trace |= {"texttemplate": "%{text}", "text": _written(values, 1)}
    if MOST_WRITTEN_NARROW < len(models) <= MOST_WRITTEN:
        trace["narrow"] |= {"text": _written(values, 0)}
    return figure(
        [trace],
        height=ROW_PX * len(rows) + 110,
        margin={"l": 8, "r": 8, "t": 8, "b": 8},
        xaxis=_axis([model.name for model in results.models]) | {"side": "top", "tickangle": _angle(results)},
        yaxis=_axis([transformation_label(name) for _, name in rows]) | {"autorange": "reversed"},
        annotations=_heads(rows),
        narrow={"layout": _narrow(results, rows)},
    )


def _written(values: Sequence[Sequence[float | None]], decimals: int) -> list[list[str]]:
    """Rounded as in the table."""
    return [["" if value is None else number(value, decimals) for value in row] for row in values]


def _angle(results: RobustModels) -> int:
    """Level as long as the names fit."""
    return 0 if len(results.models) <= 4 else -90


def _narrow(results: RobustModels, rows: Sequence[Row]) -> dict[str, Any]:
    names = [short(model.name, LONGEST_NARROW) for model in results.models]
    labels = [short(transformation_label(name), LONGEST_NARROW) for _, name in rows]
    return {"xaxis": {"ticktext": names, "tickangle": -90}, "yaxis": {"ticktext": labels}}


def _axis(labels: Sequence[str]) -> dict[str, Any]:
    return axis(
        tickvals=list(range(len(labels))),
        ticktext=[short(label) for label in labels],
        showgrid=False,
        linecolor="rgba(0,0,0,0)",
        ticks="",
    )


def _heads(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """The categories' names."""
    place = {"xref": "paper", "x": 0, "xanchor": "left", "xshift": 4, "yshift": -3}
    font = {"color": "@text", "size": 13, "weight": 600}
    return [
        note(category_label(category), y=row, font=font, **place)
        for row, (category, name) in enumerate(rows)
        if name == HEAD
    ]


def _words(results: RobustModels, row: Row, model: int, cell: Document | None, measure: str) -> str:
    names = {
        "model": plain(results.models[model].name),
        "transformation": plain(transformation_label(row[1])),
        "category": category_label(row[0]),
    }
    if row[1] == HEAD:
        return ""
    if cell is None:
        return gettext("%(model)s, %(transformation)s (%(category)s): not measured", **names)
    if cell["value"] is None:
        start = gettext("%(model)s, %(transformation)s (%(category)s)", **names)
        return f"{start}: {reason_in_words(cell['reason'])}"
    low, high = ends(cell)
    return gettext(
        "%(model)s, %(transformation)s (%(category)s): %(measure)s %(value)s %%, 95 %% interval %(low)s to %(high)s",
        measure=gettext(MEASURES[measure]),
        value=number(100 * cell["value"], 1),
        low=number(100 * low, 1),
        high=number(100 * high, 1),
        **names,
    )
