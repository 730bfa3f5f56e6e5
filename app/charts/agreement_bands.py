"""Landis and Koch's ranges behind figures of agreement."""

from itertools import pairwise
from typing import Any

from app.charts.theme import note
from app.statistics.agreement import LANDIS_KOCH
from app.words import gettext


def bands() -> list[dict[str, Any]]:
    """Landis and Koch's ranges as stripes."""
    edges = [0.0, *(upper for upper, _ in LANDIS_KOCH)]
    stripe = {"type": "rect", "yref": "paper", "y0": 0, "y1": 1, "layer": "below", "line": {"width": 0}}
    return [stripe | {"x0": low, "x1": high, "fillcolor": "@sunken"} for low, high in list(pairwise(edges))[::2]]


def band_names() -> list[dict[str, Any]]:
    """Their words above."""
    edges = [0.0, *(upper for upper, _ in LANDIS_KOCH)]
    return [
        note(gettext(word), x=(low + high) / 2, y=1, yref="paper", yanchor="bottom")
        for low, (high, word) in zip(edges, LANDIS_KOCH, strict=False)
    ]
