"""The readings of what metric and people say of pairs of systems: computed from the numbers, never typed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from app.charts.results import Results
from app.charts.tables import number
from app.charts.theme import HUMAN
from app.charts.words import capital, join, percent, points, sentence, verb
from app.statistics.advice import ERROR_LIMIT, FEWEST_PAIRS

if TYPE_CHECKING:
    from app.charts.compare import Verdicts

NO_METRIC = (
    "This analysis has no metric to compare with people: import references or scores of metrics, then analyse again."
)


def labels(results: Results, metrics: Sequence[str]) -> str:
    """Their names, joined."""
    return join([results.label(metric) for metric in metrics])


def all_pairs(results: Results) -> str:
    """Below which difference no metric is right often enough, and which errs least; over all pairs."""
    if not results.metrics:
        return NO_METRIC
    start = f"Counting also pairs that a metric can’t tell apart, {_where_none_is_right(results)}"
    return sentence(f"{start}; {_who_errs_least(results)}")


def least_mistaken(results: Results) -> list[str]:
    """The metric with the lowest share of mismatches; several where they tie."""
    totals = {metric: results.document["agreement"][metric]["total_mismatch"] for metric in results.metrics}
    return [metric for metric, total in totals.items() if total == min(totals.values())]


def _who_errs_least(results: Results) -> str:
    least = least_mistaken(results)
    total = results.document["agreement"][least[0]]["total_mismatch"]
    share = {0: "no pair", 100: "every pair"}.get(total, f"{percent(total, 100)} of all pairs")
    if len(results.metrics) == 1:
        return f"{labels(results, least)} errs in {share}"
    if len(least) == len(results.metrics):
        return f"all metrics err in {share}"
    return f"{labels(results, least)} {verb(len(least), 'errs', 'err')} least, in {share}"


def _where_none_is_right(results: Results) -> str:
    """Walks the Δ ranges from below, over all pairs in them, until a metric is right in 95 %."""
    seen: list[int] = []
    for place, (low, high) in enumerate(results.bins):
        counts = {metric: wrong_in_range(results, metric, place) for metric in results.metrics}
        right = [metric for metric, (wrong, pairs) in counts.items() if _is_right(wrong, pairs)]
        if right:
            return _right_from(results, right, (low, high), seen, is_last=place == len(results.bins) - 1)
        seen += [pairs for _, pairs in counts.values()]
    if max(seen) < FEWEST_PAIRS:
        return f"no Δ range holds the {FEWEST_PAIRS} pairs that it takes to judge a metric"
    return f"no metric is right in 95 % of pairs in any Δ range{_unjudged(seen)}"


def _right_from(
    results: Results, right: list[str], edges: tuple[float, float], seen: list[int], *, is_last: bool
) -> str:
    low, high = edges
    if seen and max(seen) >= FEWEST_PAIRS:
        return f"no metric is right in 95 % of pairs less than {points(low)} apart{_unjudged(seen)}"
    where = f"less than {points(high)} apart" if low == 0 else f"{low:g} to {points(high)} apart"
    if is_last:
        where = f"at least {points(low)} apart"
    text = f"{labels(results, right)} {verb(len(right), 'is', 'are')} right in 95 % of pairs {where}"
    return f"{text} (nearer pairs are too few to judge a metric)" if seen else text


def _unjudged(seen: list[int]) -> str:
    is_thin = any(0 < pairs < FEWEST_PAIRS for pairs in seen)
    return f" (where a range holds under {FEWEST_PAIRS} of its pairs a metric isn’t judged)" if is_thin else ""


def wrong_in_range(results: Results, metric: str, place: int) -> tuple[int, int]:
    """Of all pairs in that Δ range, significant or not: on how many the metric errs, and how many there are."""
    inside = results.bin_numbers(metric) == place
    return int(np.count_nonzero(results.kinds(metric)[inside])), int(np.count_nonzero(inside))


def _is_right(wrong: int, pairs: int) -> bool:
    return pairs >= FEWEST_PAIRS and wrong <= ERROR_LIMIT * pairs


def agreement(results: Results) -> str:
    """How often metrics err on pairs that they tell apart, and on those that they can't."""
    if not results.metrics:
        return NO_METRIC
    found = results.document["agreement"]
    told = {
        metric: (
            sum(cell["mismatches"] for cell in found[metric]["bins"]),
            sum(cell["pairs"] for cell in found[metric]["bins"]),
        )
        for metric in results.metrics
    }
    untold = {metric: (found[metric]["ns"]["mismatches"], found[metric]["ns"]["pairs"]) for metric in results.metrics}
    first = _extremes(results, told)
    second = _extremes(results, untold)
    parts = [
        f"of the pairs that a metric tells apart it errs in {first}" if first else "no metric tells any pair apart",
        f"of those that it can’t tell apart people tell {second} apart" if second else "",
    ]
    return sentence(capital("; ".join(part for part in parts if part)))


def _extremes(results: Results, counts: Mapping[str, tuple[int, int]]) -> str:
    """ "3.1 % (chrF) to 12 % (RUBY)"; "" where no metric has such a pair."""
    known = {metric: (part, whole) for metric, (part, whole) in counts.items() if whole}
    if not known:
        return ""
    order = sorted(known, key=lambda metric: known[metric][0] / known[metric][1])
    low, high = (f"{percent(*known[metric])} ({results.label(metric)})" for metric in (order[0], order[-1]))
    return low if len(order) == 1 else f"{low} to {high}"


def advice(results: Results) -> str:
    """From which difference of each metric on it errs in under 5 % of all pairs."""
    found = results.document["advice"]
    known = sorted(
        (metric for metric in results.metrics if found[metric]["delta"] is not None),
        key=lambda metric: float(found[metric]["delta"]),
    )
    unknown = [metric for metric in results.metrics if metric not in known]
    parts = []
    if known:
        each = join([f"{results.label(metric)} {found[metric]['delta']:.1f}" for metric in known])
        parts.append(
            "A metric errs in under 5 % of all pairs at least Δ apart, significant or not, "
            f"from this Δ on, in points: {each}. "
            "This averages over larger differences: close to Δ it errs more often."
        )
    reasons = {str(found[metric]["reason"]) for metric in unknown}
    for reason in sorted(reasons):
        those = [metric for metric in unknown if found[metric]["reason"] == reason]
        parts.append(f"For {labels(results, those)} there is no such difference: {reason}.")
    return " ".join(parts)


def points_of(results: Results, metric: str) -> str:
    """How often metric and people come to the same verdict, and how they part."""
    agree, type_1, type_2, sign = (int(n) for n in np.bincount(results.kinds(metric), minlength=4))
    total = results.pair_count
    label = results.label(metric)
    errors = [
        f"sees a difference that people don’t in {type_1:,}" if type_1 else "",
        f"misses a difference that people see in {type_2:,}" if type_2 else "",
        f"points the other way in {sign:,}" if sign else "",
    ]
    text = f"{label} and people come to the same verdict on {agree:,} of {total:,} pairs ({percent(agree, total)})"
    rest = join([each for each in errors if each])
    return sentence(f"{text}; {label} {rest}" if rest else text)


def comparison(results: Results, a: str, b: str, cells: Mapping[str, Mapping[str, float]]) -> str:
    """What people say of two systems, and which metrics say the same."""
    people = results.verdict_between(HUMAN, a, b)
    cell = cells[HUMAN]
    if people:
        better, worse = (a, b) if people > 0 else (b, a)
        start = f"People rate {better} {_size(cell['difference'])} above {worse}, significantly"
    elif cell["difference"] == cell["low"] == cell["high"] == 0:
        start = f"People rate {a} and {b} exactly equal"
    else:
        start = f"People see no significant difference between {a} and {b} ({_interval_of(cell)})"
    same = [metric for metric in results.metrics if results.verdict_between(metric, a, b) == people]
    rest = [metric for metric in results.metrics if metric not in same]
    return f"{sentence(start)} {_who_agrees(results, same, rest, people, (a, b))}".strip()


def _size(difference: float) -> str:
    text = number(abs(difference), 2)
    return f"{text} points" if float(text.replace(",", "")) else "under 0.01 points"


def _interval_of(cell: Mapping[str, float]) -> str:
    difference, low, high = (number(cell[key], 2) for key in ("difference", "low", "high"))
    return f"A − B {difference}, 95 % interval {low} to {high}"


def _who_agrees(results: Results, same: list[str], rest: list[str], people: int, names: tuple[str, str]) -> str:
    if not results.metrics:
        return NO_METRIC
    if not rest:
        return f"{'Every metric says' if len(same) > 1 else results.label(same[0]) + ' says'} the same."
    start = (
        "No metric says the same"
        if not same
        else f"{labels(results, same)} {verb(len(same), 'says', 'say')} the same"
    )
    blind = [metric for metric in rest if results.verdict_between(metric, *names) == 0]
    against = [metric for metric in rest if metric not in blind]
    parts = [start]
    if blind:
        parts.append(f"{labels(results, blind)} {verb(len(blind), 'sees', 'see')} no significant difference")
    if against:
        seen = "the opposite" if people else "one"
        parts.append(f"{labels(results, against)} {verb(len(against), 'sees', 'see')} {seen}")
    return sentence("; ".join(parts))


def said(results: Results, found: Sequence[Verdicts]) -> str:
    """How well such a difference of each metric predicts what people say."""
    known = [each for each in found if each.pairs > each.undirected]
    if not known:
        return "No metric scores any pair in the range of these two differently, so that none points anywhere."
    best = max(known, key=lambda each: each.same / each.pairs)
    worst = min(known, key=lambda each: each.same / each.pairs)
    text = f"Of pairs that {results.label(best.metric)} puts {best.low:g} to {best.high:g} points apart"
    text += f" people say the same in {percent(best.same, best.pairs)}"
    if worst is not best:
        text += (
            f"; of those that {results.label(worst.metric)} puts {worst.low:g} to {worst.high:g} points apart, "
            f"in {percent(worst.same, worst.pairs)}"
        )
    return sentence(text)
