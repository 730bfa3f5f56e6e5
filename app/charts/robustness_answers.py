"""The answers of a survey of perturbed prompts as bars: each row's shares of 0, 0.5 and 1."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from app.charts.exhibit import Figure
from app.charts.measured import Document
from app.charts.robustness_models import category_label
from app.charts.survey import WORDS
from app.charts.tables import number
from app.charts.theme import LONGEST_NARROW, axis, figure, legend, note, plain, short
from app.charts.words import short as brief
from app.words import N_, gettext, human_number, ngettext

Row = Mapping[str, Any]
# Of 0, 0.5 and 1: colour, pattern, and the colour of numbers that can be read on it. The first begins at 0, so that
# the axis tells its share.
LOOKS = (("@series-2", "/", None), ("@sunken", "", "@text"), ("@series-1", "", "@surface"))
PATTERN = {"fillmode": "overlay", "fgopacity": 0.5, "size": 6, "solidity": 0.2}
QUESTIONS = {"naturalness": N_("Naturalness"), "similarity": N_("Semantic similarity")}
ROW_PX, LEAST_WRITTEN = 26, 7  # percent of the width in which a number can be read


def stratum_label(row: Row, label: Callable[[str], str] = category_label) -> str:
    """Of the pooled rows which prompts they are of."""
    if row["transformation"] is not None:
        return label(row["transformation"])
    return gettext("Nominal prompts") if row["prompts"] == "nominal" else gettext("All perturbed prompts")


def share_of(row: Row, label: float) -> Document | None:
    """The Estimate of a label's share of the grades; None where the row has none of it."""
    return next((each["share"] for each in row["shares"] if each["label"] == label), None)


def answer_bars(part: Document) -> Figure | None:
    """Each row's shares of the three answers as one bar."""
    rows = [row for row in part["table"]["rows"] if row["mean"]["value"] is not None]
    if not rows:
        return None
    places = _places(rows)
    labels = sorted({each["label"] for row in rows for each in row["shares"]})
    looks = [LOOKS[min(place * 3 // len(labels), 2)] for place in range(len(labels))]
    names = [stratum_label(row) for row in rows]
    height = ROW_PX * (max(places) + 1) + 100
    return figure(
        [_bars(rows, places, label, look) for label, look in zip(labels, looks, strict=True)],
        height=height,
        barmode="stack",
        margin={"l": 8, "r": 16, "t": 36, "b": 8},
        showlegend=True,
        legend=legend(traceorder="normal"),
        annotations=_heads(rows, places),
        xaxis=axis(gettext("Share of an item’s grades, %%"), range=[0, 100.5]),
        yaxis=axis(
            tickvals=places,
            ticktext=[short(name) for name in names],
            range=[max(places) + 0.6, -1.6],
            showgrid=False,
            ticks="",
        ),
        narrow={
            "layout": {
                "height": height + 24 * (len(labels) - 1),
                "margin": {"t": 36 + 24 * (len(labels) - 1)},
                "yaxis": {"ticktext": [short(name, LONGEST_NARROW) for name in names]},
            }
        },
    )


def _legend(label: float) -> str:
    """What an answer means to either question."""
    words = [gettext(known[label]) for known in WORDS.values() if label in known]
    return f"{brief(label)}: {' / '.join(words)}" if words else brief(label)


def _places(rows: Sequence[Row]) -> list[int]:
    """One below the other, with a free row where another question begins."""
    questions = [row["question"] for row in rows]
    starts = list(dict.fromkeys(questions))
    return [place + starts.index(question) for place, question in enumerate(questions)]


def _heads(rows: Sequence[Row], places: Sequence[int]) -> list[dict[str, Any]]:
    first: dict[str, int] = {}
    for row, place in zip(rows, places, strict=True):
        first.setdefault(row["question"], place)
    font = {"color": "@text", "size": 13, "weight": 600}
    return [
        note(gettext(QUESTIONS[question]), xref="paper", x=0, xanchor="left", y=place - 0.95, font=font)
        for question, place in first.items()
    ]


def _bars(
    rows: Sequence[Row], places: Sequence[int], label: float, look: tuple[str, str, str | None]
) -> dict[str, Any]:
    colour, shape, ink = look
    shares = [100 * (share_of(row, label) or {"value": 0.0})["value"] for row in rows]
    return {
        "type": "bar",
        "orientation": "h",
        "name": _legend(label),
        "x": [round(share, 4) for share in shares],
        "y": list(places),
        "width": 0.72,
        "marker": {
            "color": colour,
            "pattern": {
                "shape": shape,
                "fillmode": "overlay",
                "fgcolor": "@surface",
                "fgopacity": 0.5,
                "size": 6,
                "solidity": 0.2,
            },
            "line": {"width": 1, "color": "@line"} if colour == "@sunken" else {"width": 0},
        },
        "text": [number(share, 0) if ink and share >= LEAST_WRITTEN else "" for share in shares],
        "textposition": "inside",
        "insidetextanchor": "middle",
        "textangle": 0,
        "textfont": {"color": ink or "@text", "size": 12},
        "constraintext": "none",
        "hoverinfo": "text",
        "hovertext": [_words(row, label, share) for row, share in zip(rows, shares, strict=True)],
    }


def _words(row: Row, label: float, share: float) -> str:
    word = WORDS[row["question"]].get(label)
    return ngettext(
        "%(question)s, %(prompts)s: %(label)s in %(share)s %% of an item’s grades; %(items)s item",
        "%(question)s, %(prompts)s: %(label)s in %(share)s %% of an item’s grades; %(items)s items",
        row["items"],
        question=gettext(QUESTIONS[row["question"]]),
        prompts=plain(stratum_label(row)),
        label=f"{brief(label)} ({gettext(word)})" if word else brief(label),
        share=number(share, 1),
        items=human_number(row["items"]),
    )
