"""Robustness by category: how far the worst case over perturbed prompts lies below pass@k, model by model."""

from collections.abc import Sequence
from typing import Any

from app.charts import robustness_sentences
from app.charts.curves import MOST_DRAWN, SYMBOLS
from app.charts.exhibit import Exhibit, Figure
from app.charts.measured import Document, share_in_words, whiskers
from app.charts.robustness_beside import categories_beside, transformations_beside
from app.charts.robustness_models import (
    NOMINAL,
    PASS,
    RobustModel,
    RobustModels,
    category_label,
    estimate_of,
    whole_of,
)
from app.charts.robustness_tables import category_table
from app.charts.tables import number
from app.charts.theme import LONGEST_NARROW, axis, figure, legend, plain, short
from app.charts.words import join
from app.words import gettext

ROW_PX, GAP = 26, 0.7  # rows of one category lie closer together than categories


def robustness(results: RobustModels, k: int = 1) -> Exhibit:
    """The table in the paper's form, and nominal pass@k beside the worst case as a figure."""
    return Exhibit(
        "robustness",
        gettext("Robustness on %(benchmark)s", benchmark=results.benchmark),
        robustness_sentences.categories(results, k),
        category_table(results, k),
        _figure(results, k),
    )


def benchmarks_side_by_side(benchmarks: Sequence[RobustModels], k: int = 1) -> Exhibit:
    """The models of each benchmark and their mean, and in another table the drops under each transformation."""
    parts = [
        gettext("%(benchmark)s: %(reading)s", benchmark=each.benchmark, reading=reading)
        for each in benchmarks
        for reading in robustness_sentences.extremes(each, k) or [robustness_sentences.categories(each, k)]
    ]
    title = gettext("Robustness on %(benchmarks)s", benchmarks=join([each.benchmark for each in benchmarks]))
    table, extra = categories_beside(benchmarks, k), transformations_beside(benchmarks, k)
    return Exhibit("robustness-benchmarks", title, " ".join(parts), table, extra=(extra,))


def _figure(results: RobustModels, k: int) -> Figure | None:
    drawn = [model for model in results.models if _rows_of(results, model, k)][:MOST_DRAWN]
    if not drawn:
        return None
    names, step = results.categories, len(drawn) + GAP
    centres = [-place * step for place in range(len(names))]
    traces = [trace for row, model in enumerate(drawn) for trace in _model(results, model, row, len(drawn), k)]
    height = round(ROW_PX * (len(names) * step)) + 130
    return figure(
        [*traces, *_ceilings(results, drawn), _key()],
        height=height,
        margin={"l": 8, "r": 16, "t": 52, "b": 8},
        showlegend=True,
        legend=legend(),
        xaxis=axis(gettext("Solved, %% of problems, with 95 %% interval"), range=[-2.5, 101], zeroline=True),
        yaxis=axis(
            tickvals=centres,
            ticktext=[short(category_label(name)) for name in names],
            range=[centres[-1] - step / 2, step / 2],
            showgrid=False,
        ),
        narrow=_narrow(names, len(drawn), height),
    )


def _narrow(names: Sequence[str], models: int, height: int) -> dict[str, Any]:
    top = 40 + 24 * (models + 2)  # the legend takes a row for each entry
    ticks = [short(category_label(name), LONGEST_NARROW) for name in names]
    title = {"text": gettext("Solved, %% of problems")}
    layout = {
        "margin": {"t": top},
        "height": height + top - 52,
        "yaxis": {"ticktext": ticks},
        "xaxis": {"title": title},
    }
    return {"layout": layout}


def _rows_of(results: RobustModels, model: RobustModel, k: int) -> list[tuple[int, Document, Document]]:
    """Place of each category with values, its nominal pass@k and its Robust Pass."""
    found = []
    for place, category in enumerate(results.categories):
        whole = whole_of(model, category)
        nominal, robust = estimate_of(whole, NOMINAL, k), estimate_of(whole, PASS, k)
        if nominal and robust and nominal["value"] is not None and robust["value"] is not None:
            found.append((place, nominal, robust))
    return found


def _height(place: int, row: int, models: int) -> float:
    return -place * (models + GAP) + (models - 1) / 2 - row


def _model(results: RobustModels, model: RobustModel, row: int, models: int, k: int) -> list[dict[str, Any]]:
    """A line from the nominal pass@k, an open mark, to the worst case, a filled one with its interval."""
    places, nominal, robust = zip(*_rows_of(results, model, k), strict=True)
    names = [category_label(results.categories[place]) for place in places]
    ys = [_height(place, row, models) for place in places]
    colour = f"@series-{row + 1}"
    before = _marks(model, nominal, ys, [gettext("%(category)s, nominal prompts", category=each) for each in names])
    after = _marks(model, robust, ys, [gettext("%(category)s, worst case", category=each) for each in names])
    before |= {
        "showlegend": False,
        "marker": {"color": colour, "symbol": f"{SYMBOLS[row]}-open", "size": 9, "line": {"width": 2}},
    }
    after |= {
        "marker": {"color": colour, "symbol": SYMBOLS[row], "size": 9},
        "error_x": whiskers(list(robust), 100) | {"color": colour, "thickness": 1.5, "width": 4},
    }
    return [_line(before["x"], after["x"], ys, colour), after, before]


def _marks(
    model: RobustModel, estimates: Sequence[Document], ys: Sequence[float], words: Sequence[str]
) -> dict[str, Any]:
    name = plain(model.name)
    return {
        "type": "scatter",
        "mode": "markers",
        "name": short(model.name),
        "x": [round(100 * each["value"], 4) for each in estimates],
        "y": list(ys),
        "cliponaxis": False,
        "hoverinfo": "text",
        "hovertext": [share_in_words(f"{name}, {what}", each) for what, each in zip(words, estimates, strict=True)],
    }


def _line(starts: Sequence[float], ends: Sequence[float], ys: Sequence[float], colour: str) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "lines",
        "x": [x for pair in zip(starts, ends, strict=True) for x in (*pair, None)],
        "y": [y for height in ys for y in (height, height, None)],
        "line": {"color": colour, "width": 3},
        "opacity": 0.35,
        "showlegend": False,
        "hoverinfo": "skip",
    }


def _ceilings(results: RobustModels, drawn: Sequence[RobustModel]) -> list[dict[str, Any]]:
    """What canonical solutions reach, as a line across the category's rows."""
    values = {
        place: value for place, name in enumerate(results.categories) if (value := _ceiling(name, drawn)) is not None
    }
    if not values:
        return []
    reach, step = len(drawn) / 2, len(drawn) + GAP
    words = [gettext("Canonical solutions: %(value)s %%", value=number(100 * each, 1)) for each in values.values()]
    return [
        {
            "type": "scatter",
            "mode": "lines",
            "name": gettext("ceiling: canonical solutions"),
            "x": [x for value in values.values() for x in (round(100 * value, 4), round(100 * value, 4), None)],
            "y": [y for place in values for y in (-place * step - reach, -place * step + reach, None)],
            "line": {"color": "@muted", "width": 2, "dash": "dot"},
            "hoverinfo": "text",
            "hovertext": [text for text in words for _ in range(3)],
        }
    ]


def _ceiling(category: str, drawn: Sequence[RobustModel]) -> float | None:
    """The same for all models, whose problems and transformations are the same."""
    for model in drawn:
        whole = whole_of(model, category)
        if whole and whole["ceiling"]:
            value: float | None = whole["ceiling"]["value"]
            return value
    return None


def _key() -> dict[str, Any]:
    """What an open mark means, for the legend only."""
    return {
        "type": "scatter",
        "mode": "markers",
        "name": gettext("open: nominal prompts"),
        "x": [None],
        "y": [None],
        "marker": {"color": "@muted", "symbol": "circle-open", "size": 9, "line": {"width": 2}},
        "hoverinfo": "skip",
    }
