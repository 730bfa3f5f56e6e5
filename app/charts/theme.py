"""The one look of all figures. Colours are roles ("@series-1") that the page resolves from its style sheet."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from app.charts.words import short as short_number
from app.words import N_, gettext, in_locale

HUMAN = "human"
LABELS = {
    "bleu": "BLEU",
    "rouge_l": "ROUGE-L",
    "chrf": "chrF",
    "meteor": "METEOR",
    "ruby": "RUBY",
    "codebleu": "CodeBLEU",
    "codebertscore_f1": "CodeBERTScore F1",
    "codebertscore_f3": "CodeBERTScore F3",
    "embedding_cosine": "Embedding cosine",
}


@dataclass(frozen=True, slots=True)
class Style:
    """How one metric looks on every page: never by colour alone."""

    colour: str
    symbol: str
    dash: str = "solid"


STYLES = {
    HUMAN: Style("@series-7", "diamond"),
    "bleu": Style("@series-1", "circle"),
    "rouge_l": Style("@series-2", "square", "dash"),
    "chrf": Style("@series-3", "triangle-up", "dot"),
    "meteor": Style("@series-4", "cross", "dashdot"),
    "ruby": Style("@series-5", "triangle-down", "longdash"),
    "codebleu": Style("@series-6", "star", "longdashdot"),
}
# Metrics computed elsewhere: in the order of the study, open symbols, so that they differ from our own.
IMPORTED = tuple(
    Style(f"@series-{number}", f"{symbol}-open", "dash")
    for number, symbol in zip(
        (5, 1, 2, 3, 4, 6), ("hexagon", "pentagon", "bowtie", "hourglass", "star-square", "x"), strict=True
    )
)


def style_of(metric: str, metrics: Sequence[str]) -> Style:
    """The metric's fixed style; an imported metric's follows from its place among the imported ones."""
    if metric in STYLES:
        return STYLES[metric]
    imported = [name for name in metrics if name not in STYLES]
    return IMPORTED[imported.index(metric) % len(IMPORTED)]


@dataclass(frozen=True, slots=True)
class Kind:
    """One way in which metric and people agree or differ, the same colour and pattern on every page."""

    key: str
    name: str
    colour: str
    pattern: str
    symbol: str

    @property
    def label(self) -> str:
        """In the reader's language."""
        return gettext(self.name)


AGREE = Kind("agree", N_("Agree"), "@kind-agree", "", "circle-open")
TYPE_1 = Kind("type_1", N_("Type-I error"), "@kind-type-1", "/", "triangle-up")
TYPE_2 = Kind("type_2", N_("Type-II error"), "@kind-type-2", ".", "square")
SIGN = Kind("sign_error", N_("Sign error"), "@kind-sign", "x", "x")
KINDS = (AGREE, TYPE_1, TYPE_2, SIGN)


def plain(text: str) -> str:
    """Text that Plotly prints as it is: it reads a little HTML and entities otherwise.

    No figure uses that HTML: its <b> and <i> set inline styles, which the page's policy forbids.
    """
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


LONGEST_LABEL, LONGEST_NARROW = 28, 14  # letters that fit beside a figure on a wide and on a narrow page
FIRST_RIGHT_TO_LEFT = "\u0590"


def short(text: str, most: int = LONGEST_LABEL) -> str:
    """A label of a figure: cut in the middle where it is long, and kept from turning its neighbours round.

    The whole name is in the hover and in the table.
    """
    if len(text) > most:
        text = f"{text[: most // 2]}…{text[len(text) - (most - most // 2 - 1) :]}"
    if any(letter >= FIRST_RIGHT_TO_LEFT and unicodedata.bidirectional(letter) in ("R", "AL") for letter in text):
        text = f"\u2068{text}\u2069"
    return plain(text).replace(" ", "\u00a0")  # a blank would let a tick's label break


def axis(title: str = "", **options: Any) -> dict[str, Any]:
    """An axis: hairline grid, no zooming by accident."""
    base: dict[str, Any] = {
        "title": {"text": title, "standoff": 12, "font": {"size": 13, "color": "@muted"}},
        "gridcolor": "@hairline",
        "zerolinecolor": "@line",
        "linecolor": "@line",
        "tickfont": {"color": "@text", "size": 12},
        "automargin": True,
        "fixedrange": True,
        "zeroline": False,
    }
    return base | options


def figure(
    data: list[dict[str, Any]], *, height: int, narrow: dict[str, Any] | None = None, **layout: Any
) -> dict[str, Any]:
    """A figure: traces, layout, and what changes of the layout on a narrow page."""
    base: dict[str, Any] = {
        "height": height,
        "margin": {"l": 8, "r": 16, "t": 8, "b": 8},
        "font": {"color": "@text", "size": 13},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "hoverlabel": {"bgcolor": "@surface", "bordercolor": "@line", "font": {"color": "@text", "size": 13}},
        "hovermode": "closest",
        "dragmode": False,
        "showlegend": False,
        "legend": legend(),
        "separators": in_locale(".,"),
    }
    return {"data": data, "layout": base | layout, "narrow": narrow or {}}


def legend(**options: Any) -> dict[str, Any]:
    """A legend above the figure, in a row."""
    base = {"orientation": "h", "x": 0, "xanchor": "left", "y": 1, "yanchor": "bottom", "font": {"size": 13}}
    return base | {"itemclick": False, "itemdoubleclick": False} | options


def note(text: str, **options: Any) -> dict[str, Any]:
    """A word written into a figure."""
    return {"text": text, "showarrow": False, "font": {"color": "@muted", "size": 12}} | options


def patterned(kind: Kind) -> dict[str, Any]:
    """The marker of a bar of that kind."""
    pattern = {
        "shape": kind.pattern,
        "fillmode": "overlay",
        "fgcolor": "@surface",
        "fgopacity": 0.75,
        "size": 6,
        "solidity": 0.25,
    }
    return {"color": kind.colour, "pattern": pattern, "line": {"width": 0}}


def delta_label(low: float, high: float) -> str:
    """A Δ bin: "2–5"."""
    return f"{short_number(low)}–{short_number(high)}"
