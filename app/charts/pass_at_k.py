"""pass@k of models: the curve over k with its intervals, and the table of the values that papers give."""

from collections.abc import Sequence

from app.charts import execution_sentences
from app.charts.curves import MOST_DRAWN, Curve, Point, log_ticks, traces
from app.charts.exhibit import Exhibit, Figure
from app.charts.measured import ends
from app.charts.pass_at_k_models import Document, Model, Models
from app.charts.pass_at_k_tables import seed_table, value_table
from app.charts.tables import number
from app.charts.theme import axis, figure, legend, plain
from app.words import gettext, human_number

SHOWN = (1, 10, 100)


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
    return figure(
        traces([_curve(model, row) for row, model in enumerate(drawn)]),
        height=420,
        margin={"l": 8, "r": 16, "t": 40, "b": 8},
        showlegend=len(drawn) > 1,
        legend=legend(),
        xaxis=axis(gettext("k, samples to choose from"), type="log", **log_ticks(ks)),
        yaxis=axis(gettext("pass@k, %% of problems, with 95 %% interval"), range=[0, 100.5]),
        narrow={"layout": {"margin": {"t": 40 + 26 * len(drawn)}, "yaxis": {"title": {"text": "pass@k, %"}}}},
    )


def _curve(model: Model, row: int) -> Curve:
    points = [Point(each["k"], each["estimate"], _words(model, each)) for each in model.known]
    return Curve(model.name, points, row)


def _words(model: Model, cell: Document) -> str:
    low, high = ends(cell["estimate"])
    return gettext(
        "%(model)s: pass@%(k)s %(value)s %%, 95 %% interval %(low)s to %(high)s",
        model=plain(model.name),
        k=human_number(cell["k"]),
        value=number(100 * cell["estimate"]["value"], 1),
        low=number(100 * low, 1),
        high=number(100 * high, 1),
    )
