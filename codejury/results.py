"""Results as DataFrames. pandas is imported where a frame is made, so that the rest works without it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd


class Analysis:
    """One meta-evaluation. ``document`` is all of it; ``is_stale``: the study has moved on since."""

    def __init__(self, document: dict[str, Any], *, is_stale: bool = False) -> None:
        self.document = document
        self.is_stale = is_stale

    def scores(self) -> pd.DataFrame:
        """Each system's score by people and by each metric, 0 to 100, with its interval."""
        return _frame(
            {"system": system["name"], "synthetic": system["synthetic"], "metric": metric, **numbers}
            for system in self.document["systems"]
            for metric, numbers in system["scores"].items()
        )

    def pairs(self) -> pd.DataFrame:
        """Each pair of the original systems by people and by each metric: difference, interval, p-values."""
        return _frame(
            {"a": pair["a"], "b": pair["b"], "metric": metric, **numbers}
            for pair in self.document["original_pairs"]
            for metric, numbers in pair.items()
            if metric not in ("a", "b")
        )

    def agreement_by_delta(self) -> pd.DataFrame:
        """How often each metric errs, by the size of its difference; NS: pairs that it can't tell apart."""
        rows = []
        for metric, found in self.document["agreement"].items():
            for edges, numbers in zip(self.document["bins"], found["bins"], strict=True):
                rows.append({"metric": metric, "bin": f"[{edges[0]:g}, {edges[1]:g})", **numbers})
            rows.append({"metric": metric, "bin": "NS", **found["ns"]})
        return _frame(rows)


class Agreement:
    """What was measured of the grades alone: agreement on each question, the survey, whether it is enough."""

    def __init__(self, documents: list[dict[str, Any]]) -> None:
        self.documents = documents


def _frame(rows: Any) -> pd.DataFrame:
    import pandas as pd  # noqa: PLC0415 - only who wants frames needs it

    return pd.DataFrame(list(rows))


def frame_of(rows: Any) -> pd.DataFrame:
    """Rows of a list as a frame."""
    return _frame(rows)
