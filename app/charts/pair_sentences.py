"""The readings of what metric and people say of pairs of systems: computed from the numbers, never typed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from app.charts.reasons import reason_in_words
from app.charts.results import Results
from app.charts.tables import number
from app.charts.theme import HUMAN
from app.charts.words import capital, join, percent, points, sentence, short
from app.statistics.advice import ERROR_LIMIT, FEWEST_PAIRS
from app.words import N_, gettext, human_number, ngettext

if TYPE_CHECKING:
    from app.charts.compare import Verdicts

NO_METRIC = N_(
    "This analysis has no metric to compare with people: import references or scores of metrics, then analyse again."
)


def labels(results: Results, metrics: Sequence[str]) -> str:
    """Their names, joined."""
    return join([results.label(metric) for metric in metrics])


def all_pairs(results: Results) -> str:
    """Below which difference no metric is right often enough, and which errs least; over all pairs."""
    if not results.metrics:
        return gettext(NO_METRIC)
    return sentence(
        gettext(
            "Counting also pairs that a metric can’t tell apart, %(where)s; %(least)s",
            where=_where_none_is_right(results),
            least=_who_errs_least(results),
        )
    )


def least_mistaken(results: Results) -> list[str]:
    """The metric with the lowest share of mismatches; several where they tie."""
    totals = {metric: results.document["agreement"][metric]["total_mismatch"] for metric in results.metrics}
    return [metric for metric, total in totals.items() if total == min(totals.values())]


def _who_errs_least(results: Results) -> str:
    least = least_mistaken(results)
    total = results.document["agreement"][least[0]]["total_mismatch"]
    share = {0: gettext("no pair"), 100: gettext("every pair")}.get(
        total, gettext("%(share)s of all pairs", share=percent(total, 100))
    )
    if len(results.metrics) == 1:
        return gettext("%(metric)s errs in %(share)s", metric=labels(results, least), share=share)
    if len(least) == len(results.metrics):
        return gettext("all metrics err in %(share)s", share=share)
    return ngettext(
        "%(metrics)s errs least, in %(share)s",
        "%(metrics)s err least, in %(share)s",
        len(least),
        metrics=labels(results, least),
        share=share,
    )


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
        return gettext("no Δ range holds the %(number)s pairs that it takes to judge a metric", number=FEWEST_PAIRS)
    return gettext("no metric is right in 95 %% of pairs in any Δ range") + _unjudged(seen)


def _right_from(
    results: Results, right: list[str], edges: tuple[float, float], seen: list[int], *, is_last: bool
) -> str:
    low, high = edges
    if seen and max(seen) >= FEWEST_PAIRS:
        none = gettext("no metric is right in 95 %% of pairs less than %(points)s apart", points=points(low))
        return none + _unjudged(seen)
    text = ngettext(
        "%(metrics)s is right in 95 %% of pairs %(where)s",
        "%(metrics)s are right in 95 %% of pairs %(where)s",
        len(right),
        metrics=labels(results, right),
        where=_how_far_apart(low, high, is_last=is_last),
    )
    too_few = gettext("nearer pairs are too few to judge a metric")
    return f"{text} ({too_few})" if seen else text


def _how_far_apart(low: float, high: float, *, is_last: bool) -> str:
    if is_last:
        return gettext("at least %(points)s apart", points=points(low))
    if low == 0:
        return gettext("less than %(points)s apart", points=points(high))
    return gettext("%(low)s to %(points)s apart", low=short(low), points=points(high))


def _unjudged(seen: list[int]) -> str:
    if not any(0 < pairs < FEWEST_PAIRS for pairs in seen):
        return ""
    text = gettext("where a range holds under %(number)s of its pairs a metric isn’t judged", number=FEWEST_PAIRS)
    return f" ({text})"


def wrong_in_range(results: Results, metric: str, place: int) -> tuple[int, int]:
    """Of all pairs in that Δ range, significant or not: on how many the metric errs, and how many there are."""
    inside = results.bin_numbers(metric) == place
    return int(np.count_nonzero(results.kinds(metric)[inside])), int(np.count_nonzero(inside))


def _is_right(wrong: int, pairs: int) -> bool:
    return pairs >= FEWEST_PAIRS and wrong <= ERROR_LIMIT * pairs


def agreement(results: Results) -> str:
    """How often metrics err on pairs that they tell apart, and on those that they can't."""
    if not results.metrics:
        return gettext(NO_METRIC)
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
        gettext("of the pairs that a metric tells apart it errs in %(share)s", share=first)
        if first
        else gettext("no metric tells any pair apart"),
        gettext("of those that it can’t tell apart people tell %(share)s apart", share=second) if second else "",
    ]
    return sentence(capital("; ".join(part for part in parts if part)))


def _extremes(results: Results, counts: Mapping[str, tuple[int, int]]) -> str:
    """ "3.1 % (chrF) to 12 % (RUBY)"; "" where no metric has such a pair."""
    known = {metric: (part, whole) for metric, (part, whole) in counts.items() if whole}
    if not known:
        return ""
    order = sorted(known, key=lambda metric: known[metric][0] / known[metric][1])
    low, high = (f"{percent(*known[metric])} ({results.label(metric)})" for metric in (order[0], order[-1]))
    return low if len(order) == 1 else gettext("%(low)s to %(high)s", low=low, high=high)


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
        each = join([f"{results.label(metric)} {number(found[metric]['delta'], 1)}" for metric in known])
        parts.append(
            gettext(
                "A metric errs in under 5 %% of all pairs at least Δ apart, significant or not, "
                "from this Δ on, in points: %(metrics)s. "
                "This averages over larger differences: close to Δ it errs more often.",
                metrics=each,
            )
        )
    reasons = {str(found[metric]["reason"]) for metric in unknown}
    for reason in sorted(reasons):
        those = labels(results, [metric for metric in unknown if found[metric]["reason"] == reason])
        why = reason_in_words(reason)
        parts.append(gettext("For %(metrics)s there is no such difference: %(reason)s.", metrics=those, reason=why))
    return " ".join(parts)


def points_of(results: Results, metric: str) -> str:
    """How often metric and people come to the same verdict, and how they part."""
    agree, type_1, type_2, sign = (int(n) for n in np.bincount(results.kinds(metric), minlength=4))
    total = results.pair_count
    label = results.label(metric)
    errors = [
        gettext("sees a difference that people don’t in %(number)s", number=human_number(type_1)) if type_1 else "",
        gettext("misses a difference that people see in %(number)s", number=human_number(type_2)) if type_2 else "",
        gettext("points the other way in %(number)s", number=human_number(sign)) if sign else "",
    ]
    text = gettext(
        "%(metric)s and people come to the same verdict on %(number)s of %(total)s pairs (%(share)s)",
        metric=label,
        number=human_number(agree),
        total=human_number(total),
        share=percent(agree, total),
    )
    rest = join([each for each in errors if each])
    return sentence(f"{text}; {label} {rest}" if rest else text)


def comparison(results: Results, a: str, b: str, cells: Mapping[str, Mapping[str, float]]) -> str:
    """What people say of two systems, and which metrics say the same."""
    people = results.verdict_between(HUMAN, a, b)
    cell = cells[HUMAN]
    if people:
        better, worse = (a, b) if people > 0 else (b, a)
        start = gettext(
            "People rate %(better)s %(size)s above %(worse)s, significantly",
            better=better,
            size=_size(cell["difference"]),
            worse=worse,
        )
    elif cell["difference"] == cell["low"] == cell["high"] == 0:
        start = gettext("People rate %(a)s and %(b)s exactly equal", a=a, b=b)
    else:
        start = gettext(
            "People see no significant difference between %(a)s and %(b)s "
            "(A − B %(difference)s, 95 %% interval %(low)s to %(high)s)",
            a=a,
            b=b,
            **{key: number(cell[key], 2) for key in ("difference", "low", "high")},
        )
    same = [metric for metric in results.metrics if results.verdict_between(metric, a, b) == people]
    rest = [metric for metric in results.metrics if metric not in same]
    return f"{sentence(start)} {_who_agrees(results, same, rest, people, (a, b))}".strip()


def _size(difference: float) -> str:
    size = gettext("%(number)s points", number=number(abs(difference), 2))
    return size if round(abs(difference), 2) else gettext("under %(number)s points", number=number(0.01, 2))


def _who_agrees(results: Results, same: list[str], rest: list[str], people: int, names: tuple[str, str]) -> str:
    if not results.metrics:
        return gettext(NO_METRIC)
    if not rest:
        return (
            gettext("Every metric says the same.")
            if len(same) > 1
            else gettext("%(metric)s says the same.", metric=results.label(same[0]))
        )
    start = gettext("No metric says the same")
    if same:
        start = ngettext(
            "%(metrics)s says the same", "%(metrics)s say the same", len(same), metrics=labels(results, same)
        )
    blind = [metric for metric in rest if results.verdict_between(metric, *names) == 0]
    against = [metric for metric in rest if metric not in blind]
    parts = [start, _who_sees_none(results, blind), _who_sees_another(results, against, is_opposite=people != 0)]
    return sentence("; ".join(filter(None, parts)))


def _who_sees_none(results: Results, metrics: list[str]) -> str:
    if not metrics:
        return ""
    return ngettext(
        "%(metrics)s sees no significant difference",
        "%(metrics)s see no significant difference",
        len(metrics),
        metrics=labels(results, metrics),
    )


def _who_sees_another(results: Results, metrics: list[str], *, is_opposite: bool) -> str:
    if not metrics:
        return ""
    named, number_of = labels(results, metrics), len(metrics)
    if is_opposite:
        return ngettext("%(metrics)s sees the opposite", "%(metrics)s see the opposite", number_of, metrics=named)
    return ngettext("%(metrics)s sees one", "%(metrics)s see one", number_of, metrics=named)


def said(results: Results, found: Sequence[Verdicts]) -> str:
    """How well such a difference of each metric predicts what people say."""
    known = [each for each in found if each.pairs > each.undirected]
    if not known:
        return gettext(
            "No metric scores any pair in the range of these two differently, so that none points anywhere."
        )
    best = max(known, key=lambda each: each.same / each.pairs)
    worst = min(known, key=lambda each: each.same / each.pairs)
    text = gettext(
        "Of pairs that %(metric)s puts %(low)s to %(high)s points apart people say the same in %(share)s",
        **_in_range(results, best),
    )
    if worst is not best:
        also = gettext(
            "of those that %(metric)s puts %(low)s to %(high)s points apart, in %(share)s",
            **_in_range(results, worst),
        )
        text = f"{text}; {also}"
    return sentence(text)


def _in_range(results: Results, found: Verdicts) -> dict[str, str]:
    return {
        "metric": results.label(found.metric),
        "low": short(found.low),
        "high": short(found.high),
        "share": percent(found.same, found.pairs),
    }
