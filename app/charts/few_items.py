"""Intervals that rest on too few items to be believed: they are stored, but no page, table or sentence shows them."""

from collections.abc import Mapping, Sequence
from typing import Any

from app.statistics.estimates import FEWEST
from app.words import gettext, human_number

Document = Mapping[str, Any]
LEVELS = ("nominal", "ordinal", "interval")  # of Krippendorff's alpha


def has_few(row: Document) -> bool:
    """Whether a row of a survey is of fewer items than can be compared with others."""
    return bool(row["items"] < FEWEST)


def believable(table: Document) -> dict[str, Any]:
    """SurveyTable.to_json() without the intervals of fewer than FEWEST items."""
    pooled = [row["items"] for row in table["rows"] if row["transformation"] is None and _is_natural(row)]
    change = _kept(table["naturalness_change"], min(pooled, default=0))
    return {**table, "rows": list(map(_row, table["rows"])), "naturalness_change": change}


def _is_natural(row: Document) -> bool:
    return bool(row["question"] == "naturalness")


def _row(row: Document) -> dict[str, Any]:
    shares = [{**each, "share": _kept(each["share"], row["items"])} for each in row["shares"]]
    kappa = _kept(row["kappa"], row["items_with_two"])
    return {**row, "mean": _kept(row["mean"], row["items"]), "shares": shares, "kappa": kappa}


def _kept(estimate: Document, items: int) -> Document:
    return estimate if items >= FEWEST else {**estimate, "low": None, "high": None}


def believable_agreement(document: Document) -> dict[str, Any]:
    """QuestionAgreement.to_json() without its intervals where fewer than FEWEST items have two grades."""
    found, items = document["coefficients"], items_compared(document)
    alpha = found["krippendorff_alpha"]
    coefficients = {
        **found,
        "fleiss_kappa": _kept(found["fleiss_kappa"], items),
        "krippendorff_alpha": {**alpha, **{level: _kept(alpha[level], items) for level in LEVELS}},
    }
    shares = {name: _kept(document[name], items) for name in ("same", "majority", "top_majority")}
    return {**document, **shares, "coefficients": coefficients}


def items_compared(document: Document) -> int:
    """How many items of a QuestionAgreement have two grades or more."""
    return int(document["coefficients"]["fleiss_kappa"]["items_used"])


def without_interval(rows: Sequence[Document]) -> list[str]:
    """Why rows have numbers without an interval."""
    return no_interval([row[column] for row in rows for column in ("mean", "kappa")])


def no_interval(cells: Sequence[Document]) -> list[str]:
    """Why some of these numbers have no interval; nothing where all have one."""
    if not any(cell["value"] is not None and cell["low"] is None for cell in cells):
        return []
    return [gettext("No interval where there are fewer than %(fewest)s items.", fewest=human_number(FEWEST))]
