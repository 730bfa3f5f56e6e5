"""The reading of each figure in a sentence or two: computed from the numbers, never typed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from app.charts.pair_sentences import labels
from app.charts.reasons import NO_PROBLEM, reason_in_words
from app.charts.results import Results
from app.charts.tables import number
from app.charts.theme import HUMAN
from app.charts.words import capital, in_words, join, points, sentence, share, short
from app.words import N_, gettext, ngettext

SURE = 0.95
METHODS = {
    "m_msr": "M-MSR",
    "majority": N_("Majority vote"),
    "mean": N_("Mean"),
    "dawid_skene": "Dawid–Skene",
    "mace": "MACE",
}


def method_in_words(method: str) -> str:
    """A way of forming the consensus, as papers call it."""
    return gettext(METHODS[method]) if method in METHODS else method


def scores(results: Results) -> str:
    """Whom people rate best, whether significantly, and which metrics put another first."""
    leaders = firsts(results, HUMAN)
    rest = [system for system in results.originals if system["name"] not in leaders]
    best = next(system["scores"][HUMAN] for system in results.originals if system["name"] == leaders[0])
    start = _tie(leaders, best, is_all=not rest) if len(leaders) > 1 else _leader(results, leaders[0], best, rest)
    return f"{sentence(start)} {_who_else_puts_first(results, leaders)}".strip()


def _tie(leaders: list[str], best: dict[str, float], *, is_all: bool) -> str:
    score = number(best["score"], 2)
    if is_all:
        text = gettext(
            "People rate all %(number)s systems equal, at %(score)s points",
            number=in_words(len(leaders)),
            score=score,
        )
    else:
        text = gettext(
            "People rate %(systems)s equally best, at %(score)s points", systems=join(leaders), score=score
        )
    return text


def _leader(results: Results, leader: str, best: dict[str, float], rest: list[dict[str, Any]]) -> str:
    second = max(rest, key=lambda system: system["scores"][HUMAN]["score"])
    values = {
        "system": leader,
        "score": number(best["score"], 2),
        "low": number(best["low"], 2),
        "high": number(best["high"], 2),
        "other": second["name"],
        "other_score": number(second["scores"][HUMAN]["score"], 2),
    }
    if results.is_told_apart(HUMAN, leader, second["name"]):
        return gettext(
            "People rate %(system)s best, at %(score)s points (%(low)s to %(high)s), "
            "significantly above %(other)s (%(other_score)s)",
            **values,
        )
    return gettext(
        "People rate %(system)s best, at %(score)s points (%(low)s to %(high)s), "
        "but not significantly above %(other)s (%(other_score)s)",
        **values,
    )


def firsts(results: Results, metric: str) -> list[str]:
    """The system that the metric scores highest; all of them where several share the first place."""
    top = max(system["scores"][metric]["score"] for system in results.originals)
    return [system["name"] for system in results.originals if system["scores"][metric]["score"] == top]


def _who_else_puts_first(results: Results, leaders: list[str]) -> str:
    if not results.metrics:
        return ""
    leading = len(leaders)
    other = [metric for metric in results.metrics if firsts(results, metric) != leaders]
    named = join([f"{results.label(metric)} ({_first_place(results, metric)})" for metric in other])
    if len(results.metrics) == 1 and not other:
        label = results.label(results.metrics[0])
        return ngettext("%(metric)s puts it first, too.", "%(metric)s puts them first, too.", leading, metric=label)
    if not other:
        return ngettext("Every metric puts it first, too.", "Every metric puts them first, too.", leading)
    if len(other) == len(results.metrics):
        return gettext("No metric has the same first place: %(metrics)s.", metrics=named)
    return ngettext(
        "Every metric but %(metrics)s puts it first, too.",
        "Every metric but %(metrics)s puts them first, too.",
        leading,
        metrics=named,
    )


def _first_place(results: Results, metric: str) -> str:
    first = firsts(results, metric)
    return gettext("all equal") if len(first) == len(results.originals) else join(first)


def ranking(results: Results, ranks: Mapping[str, Sequence[float]]) -> str:
    """Which metrics order the systems as people do."""
    if not results.metrics:
        return gettext("This analysis has no metric whose ranking could be compared with people’s.")
    same = [metric for metric in results.metrics if list(ranks[metric]) == list(ranks[HUMAN])]
    other = [metric for metric in results.metrics if metric not in same]
    systems = in_words(len(results.originals))
    if not other and len(same) > 1:
        return sentence(
            gettext(
                "All %(metrics)s metrics rank the %(systems)s systems as people do",
                metrics=in_words(len(same)),
                systems=systems,
            )
        )
    start = ngettext(
        "%(metrics)s ranks the %(systems)s systems as people do",
        "%(metrics)s rank the %(systems)s systems as people do",
        len(same),
        metrics=labels(results, same),
        systems=systems,
    )
    if not same:
        start = gettext("No metric ranks the %(systems)s systems as people do", systems=systems)
    return f"{sentence(start)} {' '.join(_moves(results, ranks, metric) for metric in other)}".strip()


def _moves(results: Results, ranks: Mapping[str, Sequence[float]], metric: str) -> str:
    moved = [
        gettext("%(system)s at %(rank)s instead of %(other)s", system=name, rank=short(ours), other=short(theirs))
        for name, ours, theirs in zip(results.original_names, ranks[metric], ranks[HUMAN], strict=True)
        if ours != theirs
    ]
    return sentence(gettext("%(metric)s puts %(systems)s", metric=results.label(metric), systems=join(moved)))


def consensus(rankings: Sequence[dict[str, Any]]) -> str:
    """Whether another way of forming the consensus changes the ranking."""
    usable = [each for each in rankings[1:] if each["ranks"]]
    moved = [each for each in usable if each["moved"]]
    failed = [f"{method_in_words(each['method'])} ({_why(each)})" for each in rankings if not each["ranks"]]
    if not usable:
        text = gettext("No other method gives a consensus here")
    elif not moved:
        text = ngettext(
            "The ranking by people is the same under the other method",
            "The ranking by people is the same under all other methods",
            len(usable),
        )
    else:
        text = gettext(
            "The ranking by people changes with %(methods)s", methods=join([_name(each) for each in moved])
        )
    without = gettext("No consensus by %(methods)s.", methods=join(failed)) if failed else ""
    return f"{sentence(text)} {without}".strip()


def _why(ranking_: dict[str, Any]) -> str:
    """The reason as part of a sentence."""
    reason = reason_in_words(ranking_["reason"] or NO_PROBLEM)
    return f"{reason[0].lower()}{reason[1:]}".removesuffix(".")


def _name(ranking_: dict[str, Any]) -> str:
    method = method_in_words(ranking_["method"])
    return gettext("%(method)s (moves %(systems)s)", method=method, systems=join(ranking_["moved"]))


def significance(results: Results) -> str:
    """From which difference on differences are nearly always significant, and how it is below."""
    if not results.metrics:
        return gettext("This analysis has no metric; the table holds what people’s own grades tell apart.")
    shares = {
        metric: [_known_share(yes, no) for yes, no in results.document["significance"][metric]]
        for metric in results.metrics
    }
    start = _first_sure_bin(list(shares.values()))
    if start == 0:
        return sentence(gettext("Nearly every difference of every metric is significant, however small"))
    first = [row[0] for row in shares.values() if row[0] is not None]
    below = _range_of_shares(first, results.bins[0][1]) if first else ""
    rest = gettext("at no difference do all metrics tell 95 %% of the pairs apart")
    if start is not None:
        edge = points(results.bins[start][0])
        rest = gettext("from %(points)s on every metric tells at least 95 %% of the pairs apart", points=edge)
    return sentence(f"{below}; {rest}" if below else capital(rest))


def _range_of_shares(first: list[float], edge: float) -> str:
    low, high = share(min(first), 1, 0), share(max(first), 1, 0)
    if low == high:
        return gettext(
            "Below a difference of %(points)s %(share)s %% of the pairs are significant, whichever the metric",
            points=points(edge),
            share=low,
        )
    return gettext(
        "Below a difference of %(points)s %(low)s to %(high)s %% of the pairs are significant, "
        "depending on the metric",
        points=points(edge),
        low=low,
        high=high,
    )


def _known_share(yes: int, no: int) -> float | None:
    return yes / (yes + no) if yes + no else None


def _first_sure_bin(rows: list[list[float | None]]) -> int | None:
    """The first bin from which on all shares are high; bins without pairs say nothing against it."""
    columns = list(zip(*rows, strict=True))
    sure = [all(share is None or share >= SURE for share in column) for column in columns]
    for start in range(len(sure)):
        if all(sure[start:]) and any(share is not None for column in columns[start:] for share in column):
            return start
    return None
