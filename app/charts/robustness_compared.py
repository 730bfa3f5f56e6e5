"""Two models under the same perturbations: all numbers of every category, with intervals and p-values."""

from collections.abc import Sequence

from app.charts.exhibit import Exhibit
from app.charts.measured import Document
from app.charts.reasons import reason_in_words
from app.charts.robustness_models import (
    DROP,
    MEASURES,
    category_in_sentence,
    category_label,
    is_significant,
)
from app.charts.robustness_tables import measure_cell
from app.charts.tables import Cell, Column, Mark, Measured, PValue, Table, number
from app.charts.words import join, sentence
from app.words import gettext, human_number


def compared_models(a: str, b: str, compared: Sequence[tuple[str, int, Document]]) -> Exhibit:
    """compared: of each category its name, its seeds, and RobustnessComparison.to_json() of A and B."""
    title = gettext("%(a)s and %(b)s under the same changes", a=a, b=b)
    columns = (
        Column("category", gettext("Category"), is_text=True),
        Column("metric", gettext("Metric"), is_text=True, term="robust-pass"),
        Column("difference", "A − B", gettext("percentage points"), 1),
        Column("p_greater", gettext("P(A better)"), decimals=3),
        Column("p_bootstrap", gettext("p, bootstrap"), decimals=4, term="p-bootstrap"),
        Column("p_randomisation", gettext("p, randomisation"), decimals=4, term="p-swaps"),
        Column("problems", gettext("Problems"), decimals=0),
    )
    rows = tuple(_row(category, seeds, each, measure) for category, seeds, each in compared for measure in MEASURES)
    table = Table("robustness-compared", title, _caption(a, b, compared), columns, rows)
    return Exhibit("robustness-compared", title, _reading(a, b, compared), table)


def _row(category: str, seeds: int, found: Document, measure: str) -> tuple[Cell, ...]:
    start = (Cell(category_label(category)), measure_cell(measure, found["k"], seeds))
    cell = found[measure]
    if cell is None:
        return (*start, Cell(Measured(None, None, None)), Cell(None), Cell(None), Cell(None), Cell(None))
    mark: Mark = "significant" if is_significant(cell) else ""
    return (
        *start,
        Cell(Measured(cell["difference"], cell["low"], cell["high"]), mark),
        Cell(cell["p_a_greater"]),
        Cell(PValue(cell["p_bootstrap"], cell["draws"])),
        Cell(PValue(cell["p_randomisation"], None if measure in found["exact"] else cell["draws"])),
        Cell(cell["problems"]),
    )


def _caption(a: str, b: str, compared: Sequence[tuple[str, int, Document]]) -> str:
    draws = max((each["nominal"]["draws"] for *_, each in compared), default=0)
    parts = [
        gettext(
            "A is %(a)s, B is %(b)s, both on the same %(draws)s resamples of the problems; +up −down to the ends of "
            "the 95 %% interval. P(A better): of a drop or a change the smaller one is better. *: the interval "
            "excludes 0, and p by randomisation is at most 0.05.",
            a=a,
            b=b,
            draws=human_number(draws),
        )
    ]
    reasons = list(dict.fromkeys(each["reason"] for *_, each in compared if each["reason"]))
    parts += [
        gettext("No value for %(metrics)s: %(reason)s.", metrics=gettext("Robust Drop"), reason=reason_in_words(each))
        for each in reasons
    ]
    return " ".join(parts)


def _reading(a: str, b: str, compared: Sequence[tuple[str, int, Document]]) -> str:
    known = [(category, each[DROP]) for category, _, each in compared if each[DROP] is not None]
    k = compared[0][2]["k"] if compared else 1
    if not known:
        return gettext("The drops of %(a)s and %(b)s can’t be compared here.", a=a, b=b)
    told = [(category, cell) for category, cell in known if is_significant(cell)]
    if not told:
        where = join([category_in_sentence(category) for category, _ in known])
        return sentence(
            gettext(
                "Neither %(a)s nor %(b)s loses a significantly greater share of its pass@%(k)s than the other under "
                "changes of any category (%(categories)s)",
                categories=where,
                k=k,
                a=a,
                b=b,
            )
        )
    return " ".join(_more((a, b), category, cell, k) for category, cell in told) + _rest(len(known) - len(told))


def _more(models: tuple[str, str], category: str, cell: Document, k: int) -> str:
    a, b = models
    more, less, low, high = (
        (a, b, cell["low"], cell["high"]) if cell["difference"] > 0 else (b, a, -cell["high"], -cell["low"])
    )
    text = gettext(
        "Under %(category)s changes %(more)s loses a greater share of its pass@%(k)s than %(less)s, by %(points)s "
        "percentage points (95 %% interval %(low)s to %(high)s)",
        category=category_in_sentence(category),
        k=k,
        more=more,
        less=less,
        points=number(abs(cell["difference"]), 1),
        low=number(low, 1),
        high=number(high, 1),
    )
    return sentence(text)


def _rest(others: int) -> str:
    return " " + gettext("Under the others the difference of the drops is not significant.") if others else ""
