"""The reading of each figure in a sentence or two: computed from the numbers, never typed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from app.charts.pair_sentences import labels
from app.charts.results import Results
from app.charts.tables import number
from app.charts.theme import HUMAN
from app.charts.words import capital, count, join, percent, points, sentence, verb

SURE = 0.95
METHODS = {
    "m_msr": "M-MSR",
    "majority": "Majority vote",
    "mean": "Mean",
    "dawid_skene": "Dawid–Skene",
    "mace": "MACE",
}


def scores(results: Results) -> str:
    """Whom people rate best, whether significantly, and which metrics put another first."""
    leaders = firsts(results, HUMAN)
    rest = [system for system in results.originals if system["name"] not in leaders]
    best = next(system["scores"][HUMAN] for system in results.originals if system["name"] == leaders[0])
    others = _who_else_puts_first(results, leaders)
    if len(leaders) > 1:
        who = f"all {count(len(leaders), 'system')}" if not rest else join(leaders)
        equal = "equal" if not rest else "equally best"
        start = f"People rate {who} {equal}, at {number(best['score'], 2)} points"
        return f"{sentence(start)} {others}".strip()
    second = max(rest, key=lambda system: system["scores"][HUMAN]["score"])
    apart = results.is_told_apart(HUMAN, leaders[0], second["name"])
    start = (
        f"People rate {leaders[0]} best, at {number(best['score'], 2)} points "
        f"({number(best['low'], 2)} to {number(best['high'], 2)}), "
        f"{'significantly above' if apart else 'but not significantly above'} {second['name']} "
        f"({number(second['scores'][HUMAN]['score'], 2)})"
    )
    return f"{sentence(start)} {others}".strip()


def firsts(results: Results, metric: str) -> list[str]:
    """The system that the metric scores highest; all of them where several share the first place."""
    top = max(system["scores"][metric]["score"] for system in results.originals)
    return [system["name"] for system in results.originals if system["scores"][metric]["score"] == top]


def _who_else_puts_first(results: Results, leaders: list[str]) -> str:
    if not results.metrics:
        return ""
    them = "it" if len(leaders) == 1 else "them"
    other = [metric for metric in results.metrics if firsts(results, metric) != leaders]
    named = join([f"{results.label(metric)} ({_first_place(results, metric)})" for metric in other])
    if len(results.metrics) == 1 and not other:
        return f"{results.label(results.metrics[0])} puts {them} first, too."
    if not other:
        return f"Every metric puts {them} first, too."
    if len(other) == len(results.metrics):
        return f"No metric has the same first place: {named}."
    return f"Every metric but {named} puts {them} first, too."


def _first_place(results: Results, metric: str) -> str:
    first = firsts(results, metric)
    return "all equal" if len(first) == len(results.originals) else join(first)


def ranking(results: Results, ranks: Mapping[str, Sequence[float]]) -> str:
    """Which metrics order the systems as people do."""
    if not results.metrics:
        return "This analysis has no metric whose ranking could be compared with people’s."
    same = [metric for metric in results.metrics if list(ranks[metric]) == list(ranks[HUMAN])]
    other = [metric for metric in results.metrics if metric not in same]
    systems = count(len(results.originals), "system")
    if not other and len(same) > 1:
        return sentence(f"All {count(len(same), 'metric')} rank the {systems} as people do")
    start = f"{labels(results, same)} {verb(len(same), 'ranks', 'rank')} the {systems} as people do"
    if not same:
        start = f"No metric ranks the {systems} as people do"
    return f"{sentence(start)} {' '.join(_moves(results, ranks, metric) for metric in other)}".strip()


def _moves(results: Results, ranks: Mapping[str, Sequence[float]], metric: str) -> str:
    moved = [
        f"{name} at {ours:g} instead of {theirs:g}"
        for name, ours, theirs in zip(results.original_names, ranks[metric], ranks[HUMAN], strict=True)
        if ours != theirs
    ]
    return sentence(f"{results.label(metric)} puts {join(moved)}")


def consensus(rankings: Sequence[dict[str, Any]]) -> str:
    """Whether another way of forming the consensus changes the ranking."""
    usable = [each for each in rankings[1:] if each["ranks"]]
    moved = [each for each in usable if each["moved"]]
    failed = [
        f"{METHODS.get(each['method'], each['method'])} ({_why(each)})" for each in rankings if not each["ranks"]
    ]
    if not usable:
        text = "No other method gives a consensus here"
    elif not moved:
        text = f"The ranking by people is the same under {verb(len(usable), 'the other method', 'all other methods')}"
    else:
        text = f"The ranking by people changes with {join([_name(each) for each in moved])}"
    return sentence(text) + (f" No consensus by {join(failed)}." if failed else "")


def _why(ranking_: dict[str, Any]) -> str:
    """The reason as part of a sentence."""
    reason = ranking_["reason"] or "no problem has a consensus for all systems"
    return f"{reason[0].lower()}{reason[1:]}".removesuffix(".")


def _name(ranking_: dict[str, Any]) -> str:
    return f"{METHODS.get(ranking_['method'], ranking_['method'])} (moves {join(ranking_['moved'])})"


def significance(results: Results) -> str:
    """From which difference on differences are nearly always significant, and how it is below."""
    if not results.metrics:
        return "This analysis has no metric; the table holds what people’s own grades tell apart."
    shares = {
        metric: [_known_share(yes, no) for yes, no in results.document["significance"][metric]]
        for metric in results.metrics
    }
    start = _first_sure_bin(list(shares.values()))
    if start == 0:
        return sentence("Nearly every difference of every metric is significant, however small")
    edge = results.bins[start][0] if start is not None else None
    first = [row[0] for row in shares.values() if row[0] is not None]
    below = _range_of_shares(first, results.bins[0][1]) if first else ""
    if edge is None:
        return sentence(
            f"{below}; at no difference do all metrics tell 95 % of the pairs apart"
            if below
            else "At no difference do all metrics tell 95 % of the pairs apart"
        )
    rest = f"from {points(edge)} on every metric tells at least 95 % of the pairs apart"
    return sentence(f"{below}; {rest}" if below else capital(rest))


def _range_of_shares(first: list[float], edge: float) -> str:
    low, high = percent(min(first), 1, 0), percent(max(first), 1, 0)
    share = f"{low.removesuffix(' %')} to {high}" if low != high else low
    which = "depending on the metric" if low != high else "whichever the metric"
    return f"Below a difference of {points(edge)} {share} of the pairs are significant, {which}"


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
