"""The reading of each figure in a sentence or two: computed from the numbers, never typed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from app.charts.results import Results, verdict
from app.charts.theme import HUMAN
from app.charts.words import capital, count, join, percent, points, sentence, verb
from app.statistics.advice import ERROR_LIMIT

if TYPE_CHECKING:
    from app.charts.compare import Verdicts

SURE = 0.95
METHODS = {
    "m_msr": "M-MSR",
    "majority": "Majority vote",
    "mean": "Mean",
    "dawid_skene": "Dawid–Skene",
    "mace": "MACE",
}


def labels(results: Results, metrics: Sequence[str]) -> str:
    """Their names, joined."""
    return join([results.label(metric) for metric in metrics])


def scores(results: Results) -> str:
    """Whom people rate best, whether significantly, and which metrics put another first."""
    best, second = sorted(results.originals, key=lambda system: -system["scores"][HUMAN]["score"])[:2]
    first, next_ = best["scores"][HUMAN], second["scores"][HUMAN]
    if first["score"] == next_["score"]:
        start = f"People rate {best['name']} and {second['name']} equal, at {first['score']:.2f} points"
        return sentence(start)
    apart = results.is_told_apart(HUMAN, best["name"], second["name"])
    start = (
        f"People rate {best['name']} best, at {first['score']:.2f} points "
        f"({first['low']:.2f} to {first['high']:.2f}), "
        f"{'significantly above' if apart else 'but not significantly above'} {second['name']} "
        f"({next_['score']:.2f})"
    )
    return f"{sentence(start)} {_who_else_puts_first(results, best['name'])}"


def _who_else_puts_first(results: Results, best: str) -> str:
    others = []
    for metric in results.metrics:
        winner = max(results.originals, key=lambda system: system["scores"][metric]["score"])
        if winner["name"] != best:
            others.append(f"{results.label(metric)} ({winner['name']})")
    if not others:
        return "Every metric puts it first, too."
    if len(others) == len(results.metrics):
        return f"No metric does: {join(others)} {verb(len(others), 'puts', 'put')} another first."
    return f"Every metric but {join(others)} puts it first, too."


def ranking(results: Results, ranks: Mapping[str, Sequence[float]]) -> str:
    """Which metrics order the systems as people do."""
    same = [metric for metric in results.metrics if list(ranks[metric]) == list(ranks[HUMAN])]
    other = [metric for metric in results.metrics if metric not in same]
    systems = count(len(results.originals), "system")
    if not other:
        return sentence(f"All {count(len(same), 'metric')} rank the {systems} as people do")
    start = f"{labels(results, same)} {verb(len(same), 'ranks', 'rank')} the {systems} as people do"
    if not same:
        start = f"No metric ranks the {systems} as people do"
    return f"{sentence(start)} {' '.join(_moves(results, ranks, metric) for metric in other)}"


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
        f"{METHODS.get(each['method'], each['method'])} ({each['reason']})" for each in rankings if not each["ranks"]
    ]
    if not usable:
        text = "No other method gives a consensus here"
    elif not moved:
        text = f"The ranking by people is the same under {verb(len(usable), 'the other method', 'all other methods')}"
    else:
        text = f"The ranking by people changes with {join([_name(each) for each in moved])}"
    return sentence(text) + (f" No consensus by {join(failed)}." if failed else "")


def _name(ranking_: dict[str, Any]) -> str:
    return f"{METHODS.get(ranking_['method'], ranking_['method'])} (moves {join(ranking_['moved'])})"


def grades_per_item(items_by_grades: Mapping[int, int], wanted: int) -> str:
    """How many items have all grades, and how many none."""
    items = sum(items_by_grades.values())
    if items == 0:
        return "There is no item to grade yet."
    complete = sum(number for grades, number in items_by_grades.items() if grades >= wanted)
    none = items_by_grades.get(0, 0)
    asked = f"the {wanted} {verb(wanted, 'grade', 'grades')} asked for"
    text = f"{complete:,} of {items:,} items {verb(complete, 'has', 'have')} {asked}"
    if complete == items:
        text = f"All {items:,} items have {asked}"
    mean = sum(grades * number for grades, number in items_by_grades.items()) / items
    missing = f" {none:,} {verb(none, 'has', 'have')} none." if none else ""
    return f"{sentence(text)} The mean is {mean:.2f}.{missing}"


def grades_per_annotator(people: Sequence[tuple[str, int]]) -> str:
    """Who did how much."""
    if not people:
        return "Nobody has graded yet."
    total = sum(number for _, number in people)
    name, most = people[0]
    if len(people) == 1:
        return sentence(f"{name} gave all {total:,} grades")
    return sentence(
        f"{capital(count(len(people), 'annotator'))} gave {total:,} grades; "
        f"{name} gave most, {most:,} ({percent(most, total)})"
    )


def annotators(found: Mapping[str, Any]) -> str:
    """How far annotators agree, with the interval and the customary word."""
    kappa, alpha = found["fleiss_kappa"], found["krippendorff_alpha"]["ordinal"]
    if kappa["value"] is None:
        return sentence(f"Agreement can’t be measured: {kappa['reason']}")
    text = f"On the exact grade annotators agree {_word(kappa['word'])} (Fleiss’ κ {_with_interval(kappa)})"
    if alpha["value"] is not None:
        also = "just as" if alpha["word"] == kappa["word"] else _word(alpha["word"])
        text += f"; on the order of the grades {also} (Krippendorff’s α {_with_interval(alpha)})"
    return sentence(text)


def _word(word: str) -> str:
    return {
        "poor": "poorly",
        "slight": "slightly",
        "fair": "fairly",
        "moderate": "moderately",
        "substantial": "substantially",
        "almost perfect": "almost perfectly",
    }[word]


def _with_interval(cell: Mapping[str, Any]) -> str:
    if cell["low"] is None:
        return f"{cell['value']:.3f}"
    return f"{cell['value']:.3f}, 95 % interval {cell['low']:.3f} to {cell['high']:.3f}"


def significance(results: Results) -> str:
    """From which difference on differences are nearly always significant, and how it is below."""
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
    low, high = round(100 * min(first)), round(100 * max(first))
    share = f"{low} to {high} %" if low != high else f"{low} %"
    return f"Below a difference of {points(edge)} {share} of the pairs are significant, depending on the metric"


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


def agreement(results: Results) -> str:
    """Below which difference no metric can be trusted, and which errs least."""
    least = least_mistaken(results)
    total = min(results.document["agreement"][metric]["total_mismatch"] for metric in results.metrics)
    errs = f"{labels(results, least)} {verb(len(least), 'errs', 'err')} least, in {percent(total, 100)}"
    return sentence(f"On this study {_where_none_is_right(results)}; {errs} of all pairs")


def least_mistaken(results: Results) -> list[str]:
    """The metric with the lowest share of mismatches; several where they tie."""
    totals = {metric: results.document["agreement"][metric]["total_mismatch"] for metric in results.metrics}
    return [metric for metric, total in totals.items() if total == min(totals.values())]


def _where_none_is_right(results: Results) -> str:
    """Walks the Δ ranges from below, over all pairs in them, until a metric is right in 95 %."""
    edge = 0.0
    for number, (_, high) in enumerate(results.bins):
        right = [metric for metric in results.metrics if _is_right(results, metric, number)]
        if right:
            if edge == 0:
                return (
                    f"{labels(results, right)} {verb(len(right), 'is', 'are')} right in 95 % of pairs "
                    f"even below a difference of {points(high)}"
                )
            return f"no metric is right in 95 % of pairs below a difference of {points(edge)}"
        edge = high
    return "no metric is right in 95 % of pairs at any difference"


def _is_right(results: Results, metric: str, number: int) -> bool:
    inside = results.bin_numbers(metric) == number
    pairs = int(np.count_nonzero(inside))
    wrong = int(np.count_nonzero(results.kinds(metric)[inside]))
    return pairs > 0 and wrong <= ERROR_LIMIT * pairs


def advice(results: Results) -> str:
    """From which difference of each metric on to trust it."""
    found = results.document["advice"]
    known = sorted(
        (metric for metric in results.metrics if found[metric]["delta"] is not None),
        key=lambda metric: float(found[metric]["delta"]),
    )
    unknown = [metric for metric in results.metrics if metric not in known]
    parts = []
    if known:
        each = join([f"{found[metric]['delta']:.1f} points of {results.label(metric)}" for metric in known])
        parts.append(
            "A difference can be trusted, with errors in under 5 % of all pairs at least that far apart, "
            f"from {each} on."
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
        f"misses one that people see in {type_2:,}" if type_2 else "",
        f"points the other way in {sign:,}" if sign else "",
    ]
    text = f"{label} and people come to the same verdict on {agree:,} of {total:,} pairs ({percent(agree, total)})"
    rest = join([each for each in errors if each])
    return sentence(f"{text}; {label} {rest}" if rest else text)


def comparison(results: Results, a: str, b: str, cells: Mapping[str, Mapping[str, float]]) -> str:
    """What people say of two systems, and which metrics say the same."""
    people = _signed(results, a, b, HUMAN)
    cell = cells[HUMAN]
    size = f"{abs(cell['difference']):.2f} points"
    if people == 0:
        start = f"People see no significant difference between {a} and {b} ({_interval_of(cell)})"
    else:
        better, worse = (a, b) if people > 0 else (b, a)
        start = f"People rate {better} {size} above {worse}, significantly"
    same = [metric for metric in results.metrics if _signed(results, a, b, metric) == people]
    rest = [metric for metric in results.metrics if metric not in same]
    return f"{sentence(start)} {_who_agrees(results, same, rest, people, (a, b))}"


def _interval_of(cell: Mapping[str, float]) -> str:
    return f"A − B {cell['difference']:.2f}, 95 % interval {cell['low']:.2f} to {cell['high']:.2f}"


def _signed(results: Results, a: str, b: str, metric: str) -> int:
    """The verdict as stored, turned where the pair is asked for the other way round."""
    for pair in results.document["original_pairs"]:
        if {pair["a"], pair["b"]} == {a, b}:
            stored = verdict(pair[metric]["p_a_greater"])
            return stored if pair["a"] == a else -stored
    raise KeyError((a, b))


def _who_agrees(results: Results, same: list[str], rest: list[str], people: int, names: tuple[str, str]) -> str:
    if not rest:
        return f"{'Every metric says' if len(same) > 1 else results.label(same[0]) + ' says'} the same."
    start = (
        "No metric says the same"
        if not same
        else f"{labels(results, same)} {verb(len(same), 'says', 'say')} the same"
    )
    blind = [metric for metric in rest if _signed(results, *names, metric) == 0]
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
    known = [each for each in found if each.pairs]
    if not known:
        return "No pair of systems lies as far apart as these two."
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
