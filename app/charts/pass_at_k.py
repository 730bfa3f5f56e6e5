"""pass@k of models: the curve over k with its intervals, and the table of the values that papers give."""

from collections.abc import Sequence
from typing import Any

from app.charts import execution_sentences
from app.charts.exhibit import Exhibit, Figure
from app.charts.pass_at_k_models import Document, Model, Models
from app.charts.pass_at_k_tables import seed_table, value_table
from app.charts.tables import number
from app.charts.theme import axis, figure, legend, plain, short
from app.words import gettext, human_number

SHOWN = (1, 10, 100)
MOST_DRAWN = 6  # more bands hide each other; the table has all
MOST_MARKED = 15
SYMBOLS = ("circle", "square", "triangle-up", "cross", "triangle-down", "star")
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")


def pass_at_k(results: Models, shown: Sequence[int] = SHOWN) -> Exhibit:
    """The curve and the table of all models."""
    return Exhibit(
        "pass-at-k",
        gettext("pass@k on %(benchmark)s", benchmark=results.benchmark),
        execution_sentences.pass_at_k(results),
        value_table(results, shown),
        _figure(results.models),
        extra=(seed_table(results, shown),) if any(model.seeds for model in results.models) else (),
    )


def _figure(models: Sequence[Model]) -> Figure | None:
    drawn = [model for model in models if model.known][:MOST_DRAWN]
    if not drawn:
        return None
    ks = sorted({each["k"] for model in drawn for each in model.known})
    bands = [_band(model, row) for row, model in enumerate(drawn) if len(model.known) > 1]
    return figure(
        [*bands, *(_line(model, row) for row, model in enumerate(drawn))],
        height=420,
        margin={"l": 8, "r": 16, "t": 40, "b": 8},
        showlegend=len(drawn) > 1,
        legend=legend(),
        xaxis=axis(gettext("k, samples to choose from"), type="log", **_ticks(ks)),
        yaxis=axis(gettext("pass@k, %% of problems, with 95 %% interval"), range=[0, 100.5]),
        narrow={"layout": {"margin": {"t": 40 + 26 * len(drawn)}, "yaxis": {"title": {"text": "pass@k, %"}}}},
    )


def _ticks(ks: Sequence[int]) -> dict[str, Any]:
    """1, 2, 5, 10, 20 … as far as there are values."""
    steps = [step * 10**power for power in range(len(str(ks[-1]))) for step in (1, 2, 5)]
    ticks = [step for step in steps if ks[0] <= step <= ks[-1]] or [ks[0]]
    return {"tickvals": ticks, "ticktext": [human_number(tick) for tick in ticks]}


def _ends(cell: Document) -> tuple[float, float]:
    """Of the interval; the value itself where there is none."""
    estimate = cell["estimate"]
    low, high = estimate["low"], estimate["high"]
    return (estimate["value"], estimate["value"]) if low is None or high is None else (low, high)


def _band(model: Model, row: int) -> dict[str, Any]:
    """The intervals as one area: along the upper ends and back along the lower ones."""
    ks = [each["k"] for each in model.known]
    lows, highs = zip(*map(_ends, model.known), strict=True)
    return {
        "type": "scatter",
        "mode": "lines",
        "name": plain(model.name),
        "legendgroup": f"model-{row}",
        "showlegend": False,
        "x": [*ks, *reversed(ks)],
        "y": [round(100 * value, 4) for value in (*highs, *reversed(lows))],
        "fill": "toself",
        "fillcolor": f"@series-{row + 1}",
        "line": {"width": 0},
        "opacity": 0.16,
        "hoverinfo": "skip",
    }


def _line(model: Model, row: int) -> dict[str, Any]:
    known, colour = model.known, f"@series-{row + 1}"
    trace: dict[str, Any] = {
        "type": "scatter",
        "mode": "lines+markers" if len(known) <= MOST_MARKED else "lines",
        "name": short(model.name),
        "legendgroup": f"model-{row}",
        "x": [each["k"] for each in known],
        "y": [round(100 * each["estimate"]["value"], 4) for each in known],
        "line": {"color": colour, "dash": DASHES[row], "width": 2},
        "marker": {"color": colour, "symbol": SYMBOLS[row], "size": 8},
        "hoverinfo": "text",
        "hovertext": [_words(model, each) for each in known],
    }
    return trace | (_whiskers(known[0], colour) if len(known) == 1 else {})


def _whiskers(cell: Document, colour: str) -> dict[str, Any]:
    """A single k has no band."""
    low, high = _ends(cell)
    value = cell["estimate"]["value"]
    up, down = round(100 * (high - value), 4), round(100 * (value - low), 4)
    return {"error_y": {"type": "data", "symmetric": False, "array": [up], "arrayminus": [down], "color": colour}}


def _words(model: Model, cell: Document) -> str:
    low, high = _ends(cell)
    return gettext(
        "%(model)s: pass@%(k)s %(value)s %%, 95 %% interval %(low)s to %(high)s",
        model=plain(model.name),
        k=human_number(cell["k"]),
        value=number(100 * cell["estimate"]["value"], 1),
        low=number(100 * low, 1),
        high=number(100 * high, 1),
    )
