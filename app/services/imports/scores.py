"""Scores of metrics that were computed elsewhere: problem, system, metric, score, on 0–1 or 0–100 as was said."""

import re
from collections.abc import Iterable

from app.metrics.registry import available
from app.services.imports.cells import Cells
from app.services.imports.material import Batch, ScoreRow
from app.services.imports.request import Scale
from app.words import gettext

MAX_METRIC_NAME = 80
SAID = {"metric_label": MAX_METRIC_NAME, "signature": 500}  # what a table may say of a metric; how long at most
RESERVED = ("human",)
TOP: dict[Scale, float] = {"0-1": 1.0, "0-100": 100.0}


def metric_key(name: str) -> str:
    """The metric's column in tables and files: "My Metric-2" becomes "my_metric_2"."""
    return re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")[:MAX_METRIC_NAME]


def read_scores(rows: Iterable[Cells], scale: Scale, batch: Batch) -> None:
    """Add the rows of a table of scores to the batch."""
    own = frozenset(available()) | frozenset(RESERVED)
    seen: dict[tuple[str, str, str], int] = {}
    said: dict[str, dict[str, str]] = {field: {} for field in SAID}
    for cells in rows:
        batch.rows += 1
        if cells.flag("imported") is False:  # an export tells its own scores by it: they are computed again
            batch.own_scores += 1
            continue
        label, score = cells.name("metric"), cells.number("score")
        score_row = ScoreRow(cells.name("problem"), cells.name("system"), metric_key(label), score, cells.row.number)
        if not cells.bad:
            _check_metric(cells, label, score_row.metric, own)
            _check_range(cells, score, scale)
            _note_said(cells, score_row.metric, said)
        if not cells.bad and _is_new(cells, score_row, seen):
            score_row.score = score / TOP[scale]
            batch.scores.append(score_row)
            batch.labels.setdefault(score_row.metric, label)
    batch.labels |= said["metric_label"]
    batch.signatures |= said["signature"]


def _check_metric(cells: Cells, label: str, key: str, own: frozenset[str]) -> None:
    if not key or len(label) > MAX_METRIC_NAME:
        cells.fail(
            gettext("A metric's name has 1 to %(most)s letters and digits.", most=MAX_METRIC_NAME),
            cells.column("metric"),
        )
    elif key in own:
        remedy = gettext("Call it something else, such as %(key)s_elsewhere.", key=key)
        cells.fail(
            gettext("%(label)s is the name of a metric that is computed here.", label=repr(label)),
            cells.column("metric"),
            remedy,
        )


def _check_range(cells: Cells, score: float, scale: Scale) -> None:
    if 0 <= score <= TOP[scale]:
        return
    remedy = gettext("If the scores are from 0 to 100, say so (scale 0-100).") if 1 < score <= 100 else None
    low, high = scale.split("-")
    cells.fail(
        gettext("%(score)s lies outside %(low)s to %(high)s.", score=format(score, "g"), low=low, high=high),
        cells.column("score"),
        remedy,
    )


def _note_said(cells: Cells, metric: str, said: dict[str, dict[str, str]]) -> None:
    """Keep the metric's label and signature where the row says them: analyses print both, so there is one of each."""
    for field, most in SAID.items():
        value = cells.optional_name(field, most)
        if cells.bad or value is None:
            continue
        first = said[field].setdefault(metric, value)
        if first != value:
            message = gettext(
                "An earlier row says %(first)s of this metric, here is %(value)s.",
                first=repr(first),
                value=repr(value),
            )
            remedy = gettext("Give each its own metric, or leave the column out (--map column=ignore).")
            cells.fail(message, cells.column(field), remedy)


def _is_new(cells: Cells, score: ScoreRow, seen: dict[tuple[str, str, str], int]) -> bool:
    key = (score.problem, score.system, score.metric)
    first = seen.setdefault(key, score.row)
    if first != score.row:
        message = gettext(
            "Row %(first)s scores %(system)s on problem %(problem)s by this metric already.",
            first=first,
            system=repr(score.system),
            problem=repr(score.problem),
        )
        cells.fail(message, cells.column("score"))
    return first == score.row
