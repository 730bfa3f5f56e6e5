"""Robust Pass over s, the seeds of each random transformation, and over k, the samples to choose from."""

from collections.abc import Sequence
from typing import Any

from app.charts import robustness_sentences
from app.charts.curves import MOST_DRAWN, Curve, Point, traces
from app.charts.exhibit import Exhibit, Figure
from app.charts.measured import Document, share_in_words
from app.charts.measured import percent as percent_of
from app.charts.robustness_models import (
    DROP,
    NOMINAL,
    PASS,
    RELATIVE,
    RobustModel,
    RobustModels,
    at,
    category_label,
    estimate_of,
    value_of,
    whole_of,
)
from app.charts.tables import Cell, Column, Table
from app.charts.theme import axis, figure, legend, plain
from app.charts.words import percent, sentence
from app.words import gettext, human_number


def over_seeds(results: RobustModels, category: str, k: int = 1) -> Exhibit:
    """From the nominal pass@k (s = 0) on, under the first s seeds of each random transformation."""
    curves = [_over_seeds(model, category, k) for model in results.models]
    title = gettext("%(category)s changes: more seeds", category=category_label(category))
    xaxis = axis(gettext("s, seeds of each random transformation (0: nominal prompts)"), dtick=1)
    return Exhibit(
        f"robustness-seeds-{category}",
        title,
        _seeds_in_words(results, category, k),
        _seed_table(results, category, k),
        _figure(
            results.models,
            curves,
            xaxis,
            ytitle=gettext("Robust Pass, %% of problems, with 95 %% interval"),
            brief=gettext("s, seeds (0: nominal)"),
        ),
    )


def _over_seeds(model: RobustModel, category: str, k: int) -> list[Point]:
    steps = model.over_seeds.get(category, ())
    nominal = estimate_of(whole_of(model, category), NOMINAL, k)
    cells = [(0, nominal), *((step["s"], estimate_of(step, PASS, k)) for step in steps)] if steps else []
    return [
        Point(s, cell, share_in_words(gettext("%(model)s, s = %(s)s", model=plain(model.name), s=s), cell))
        for s, cell in cells
        if cell is not None and cell["value"] is not None
    ]


def _seed_table(results: RobustModels, category: str, k: int) -> Table:
    columns = (
        Column("model", gettext("Model"), is_text=True),
        Column("s", "s", decimals=0),
        Column("variants", gettext("Prompts"), gettext("of each problem"), 0),
        Column("robust_pass", gettext("Robust Pass"), "%", 1, term="robust-pass"),
        Column("robust_drop", gettext("Robust Drop"), "%", 1, term="robust-drop"),
        Column("robust_relative", gettext("Robust Relative"), "%", 1, term="robust-relative"),
    )
    rows = tuple(
        (
            Cell(model.name),
            Cell(step["s"]),
            Cell(step["variants"]),
            *(Cell(percent_of(estimate_of(step, measure, k))) for measure in (PASS, DROP, RELATIVE)),
        )
        for model in results.models
        for step in model.over_seeds.get(category, ())
    )
    caption = gettext(
        "The first s seeds of each random transformation; those that know only one result take part with it. "
        "+up −down: 95 %% interval over problems."
    )
    title = gettext("%(category)s changes: more seeds", category=category_label(category))
    return Table(f"robustness-seeds-{category}", title, caption, columns, rows)


def over_k(results: RobustModels, category: str) -> Exhibit:
    """Robust Pass@k over k with its band, and nominal pass@k as a thin line."""
    curves = [_over_k(model, category, PASS) for model in results.models]
    title = gettext("%(category)s changes: more samples", category=category_label(category))
    ks = sorted({point.x for points in curves for point in points})
    xaxis = axis(
        gettext("k, samples to choose from"), type="log", tickvals=ks, ticktext=[human_number(k) for k in ks]
    )
    ytitle = gettext("Solved, %% of problems, with 95 %% interval")
    chart = _figure(results.models, curves, xaxis, ytitle=ytitle, brief=gettext("k, samples"))
    if chart is not None:
        chart["data"] += [*_nominal_lines(results.models, curves, category), _key()]
        chart["layout"]["showlegend"] = True
    return Exhibit(
        f"robustness-samples-{category}",
        title,
        _samples_in_words(results, category),
        _k_table(results, category, ks),
        chart,
    )


def _over_k(model: RobustModel, category: str, measure: str) -> list[Point]:
    whole = whole_of(model, category)
    known = [each for each in (whole["at"] if whole else ()) if each[measure]["value"] is not None]
    label = gettext("Robust Pass") if measure == PASS else gettext("nominal prompts")
    return [
        Point(
            each["k"],
            each[measure],
            share_in_words(f"{plain(model.name)}, {label}, k = {human_number(each['k'])}", each[measure]),
        )
        for each in known
    ]


def _nominal_lines(
    models: Sequence[RobustModel], curves: Sequence[Sequence[Point]], category: str
) -> list[dict[str, Any]]:
    drawn = [model for model, points in zip(models, curves, strict=True) if points][:MOST_DRAWN]
    found = []
    for row, model in enumerate(drawn):
        points = _over_k(model, category, NOMINAL)
        (line,) = [each for each in traces([Curve(model.name, points, row)]) if each.get("fill") is None]
        line.pop("error_y", None)
        line |= {"showlegend": False, "opacity": 0.55, "line": line["line"] | {"width": 1}}
        line["marker"] |= {"symbol": f"{line['marker']['symbol']}-open", "size": 7}
        found.append(line)
    return found


def _key() -> dict[str, Any]:
    """What a thin line is, for the legend only."""
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": gettext("thin, open: nominal prompts"),
        "x": [None],
        "y": [None],
        "line": {"color": "@muted", "width": 1},
        "marker": {"color": "@muted", "symbol": "circle-open", "size": 7},
        "hoverinfo": "skip",
    }


def _k_table(results: RobustModels, category: str, ks: Sequence[int]) -> Table:
    columns = (
        Column("model", gettext("Model"), is_text=True),
        Column("k", "k", decimals=0),
        Column("nominal", gettext("Nominal"), "%", 1, term="pass-at-k"),
        Column("robust_pass", gettext("Robust Pass"), "%", 1, term="robust-pass"),
        Column("robust_drop", gettext("Robust Drop"), "%", 1, term="robust-drop"),
        Column("robust_relative", gettext("Robust Relative"), "%", 1, term="robust-relative"),
    )
    rows = tuple(
        (
            Cell(model.name),
            Cell(k),
            *(
                Cell(percent_of(estimate_of(whole_of(model, category), each, k)))
                for each in (NOMINAL, PASS, DROP, RELATIVE)
            ),
        )
        for model in results.models
        for k in ks
        if at(whole_of(model, category), k)
    )
    caption = gettext(
        "Worst case over all perturbed prompts of the category. For k greater than 1 Robust Relative is a sum of two "
        "shares, and may come to 200 %%. +up −down: 95 %% interval over problems."
    )
    title = gettext("%(category)s changes: more samples", category=category_label(category))
    return Table(f"robustness-samples-{category}", title, caption, columns, rows)


def _figure(
    models: Sequence[RobustModel], curves: Sequence[list[Point]], xaxis: dict[str, Any], *, ytitle: str, brief: str
) -> Figure | None:
    """brief: the title of the x axis on a narrow page."""
    known = [(model, points) for model, points in zip(models, curves, strict=True) if points][:MOST_DRAWN]
    if not known:
        return None
    return figure(
        traces([Curve(model.name, points, row) for row, (model, points) in enumerate(known)]),
        height=400,
        margin={"l": 8, "r": 16, "t": 40, "b": 8},
        showlegend=len(known) > 1,
        legend=legend(),
        xaxis=xaxis,
        yaxis=axis(ytitle, range=[0, 101]),
        narrow={"layout": _narrow(len(known), brief)},
    )


def _narrow(models: int, brief: str) -> dict[str, Any]:
    """The legend takes a row for each model; the axes say it shortly."""
    titles = {"xaxis": brief, "yaxis": gettext("%% of problems")}
    return {"margin": {"t": 40 + 26 * models}} | {name: {"title": {"text": text}} for name, text in titles.items()}


def _seeds_in_words(results: RobustModels, category: str, k: int = 1) -> str:
    """What the first and the last seed cost."""
    parts = [
        _from_to(model.name, whole_of(model, category), model.over_seeds[category], k)
        for model in results.models
        if model.over_seeds.get(category) and value_of(model.over_seeds[category][0], PASS, k) is not None
    ]
    return " ".join(map(sentence, parts)) if parts else robustness_sentences.nothing_measured(results, k)


def _from_to(name: str, whole: Document | None, steps: Sequence[Document], k: int) -> str:
    values = {
        "model": name,
        "k": k,
        "nominal": percent(value_of(whole, NOMINAL, k) or 0.0, 1),
        "one": percent(value_of(steps[0], PASS, k) or 0.0, 1),
    }
    if len(steps) == 1:
        return gettext("%(model)s goes from pass@%(k)s %(nominal)s to Robust Pass %(one)s with one seed", **values)
    return gettext(
        "%(model)s goes from pass@%(k)s %(nominal)s to Robust Pass %(one)s with one seed and %(last)s with %(seeds)s",
        last=percent(value_of(steps[-1], PASS, k) or 0.0, 1),
        seeds=steps[-1]["s"],
        **values,
    )


def _samples_in_words(results: RobustModels, category: str) -> str:
    """What more samples to choose from bring, with and without changes."""
    parts = [part for model in results.models if (part := _more_samples(model, whole_of(model, category)))]
    return " ".join(map(sentence, parts)) if parts else robustness_sentences.nothing_measured(results, 1)


def _more_samples(model: RobustModel, whole: Document | None) -> str:
    known = [each for each in (whole["at"] if whole else ()) if each[PASS]["value"] is not None]
    if not known:
        return ""
    first, last = known[0], known[-1]
    values = {
        "model": model.name,
        "k": first["k"],
        "nominal": percent(first[NOMINAL]["value"], 1),
        "robust": percent(first[PASS]["value"], 1),
    }
    if first is last:
        return gettext("%(model)s has pass@%(k)s %(nominal)s, and Robust Pass@%(k)s %(robust)s", **values)
    return gettext(
        "From k = %(k)s to %(last)s %(model)s rises from %(nominal)s to %(last_nominal)s on nominal prompts, and "
        "from %(robust)s to %(last_robust)s in the worst case",
        last=last["k"],
        last_nominal=percent(last[NOMINAL]["value"], 1),
        last_robust=percent(last[PASS]["value"], 1),
        **values,
    )
