"""The readings of "Is it enough?": precision, what a pair needs, and whether the ranking has settled."""

from collections.abc import Mapping, Sequence
from typing import Any

from app.charts.tables import number
from app.charts.words import capital, count, join, percent, sentence, verb

Document = Mapping[str, Any]


def systems(document: Document) -> str:
    """How far the intervals reach, what twice as much would make of that, and how many pairs are told apart."""
    known = [each for each in document["systems"] if each["half_width"] is not None]
    if not known:
        reason = next((each["reason"] for each in document["systems"] if each["reason"]), "there is no system")
        return sentence(f"There is nothing to tell yet: for every system, {reason}")
    text = (
        f"With {count(document['grades'], 'grade')} on {count(document['problems'], 'problem')} "
        f"{verb(len(known), 'the system’s mean is', 'the systems’ means are')} known to "
        f"{_reach([each['half_width'] for each in known])} points"
    )
    return " ".join([sentence(text), _twice(document, known), _apart(document)]).strip()


def _reach(values: Sequence[float]) -> str:
    low, high = number(min(values), 2), number(max(values), 2)
    return f"±{low}" if low == high else f"±{low} to ±{high}"


def _twice(document: Document, known: Sequence[Document]) -> str:
    problems = next((each for each in document["problem_numbers"] if each >= 2 * document["problems"]), None)
    if problems is None:
        return ""
    place = document["problem_numbers"].index(problems)
    text = f"Twice the problems would make that {_reach([each['by_problems'][place] for each in known])}"
    grades = round(2 * document["grades_per_item"])
    if known[0]["by_grades"] and grades in document["grade_numbers"]:
        at = document["grade_numbers"].index(grades)
        text += f", and {grades} grades on every item {_reach([each['by_grades'][at] for each in known])}"
    return sentence(text)


def _apart(document: Document) -> str:
    pairs = document["pairs"]
    usable = sum(half is not None for half in pairs["half_width"])
    if not usable:
        return ""
    apart = sum(pairs["separated"])
    if usable == 1:
        return f"The two systems are {'' if apart else 'not '}told apart at 95 %."
    if apart in (0, usable):
        which = f"All {count(usable, 'pair')}" if apart else f"None of the {count(usable, 'pair')}"
        return sentence(f"{which} of systems {verb(apart or 1, 'is', 'are')} told apart at 95 %")
    return sentence(f"{apart:,} of {count(usable, 'pair')} of systems {verb(apart, 'is', 'are')} told apart at 95 %")


def pair(document: Document, found: Document) -> str:
    """Whether two systems are told apart, and what it takes if not."""
    first, second = found["first"], found["second"]
    if found["half_width"] is None:
        return sentence(f"{first} and {second} can’t be compared yet: {found['reason']}")
    if found["difference"] == 0:
        return f"{first} and {second} have the same mean: no number of grades like these would tell them apart."
    better, other = (first, second) if found["difference"] > 0 else (second, first)
    text = (
        f"{better} is {number(abs(found['difference']), 2)} points above {other}, "
        f"±{number(found['half_width'], 2)}: {'' if found['separated'] else 'not '}told apart at 95 %"
    )
    needs = {need["chance"]: need for need in found["needs"]}
    if not needs:
        return sentence(text)
    even, likely = needs[min(needs)], needs[max(needs)]
    return " ".join([sentence(text), _ways(document, even), _surely(likely)]).strip()


def _ways(document: Document, need: Document) -> str:
    ways = []
    if need["problems"] is not None:
        more = need["problems"] - document["problems"]
        ways.append(f"{count(more, 'more problem')} ({count(need['more_items'], 'item')})")
    if need["grades"] is not None:
        ways.append(f"{count(need['grades'], 'grade')} on every item ({count(need['more_grades'], 'grade')} more)")
    if not ways:
        return sentence(capital(f"neither more problems ({need['problems_reason']}) nor more grades would do"))
    missing = "" if need["grades"] is not None else f"; with grades alone: {need['grades_reason']}"
    return sentence(f"If the difference stays, its interval would just exclude 0 with {join(ways, 'or')}{missing}")


def _surely(need: Document) -> str:
    if need["problems"] is None:
        return ""
    chance = percent(need["chance"], 1, 0)
    return sentence(f"To tell them apart with a chance of {chance} takes {need['problems']:,} problems in all")


def stability(document: Document) -> str:
    """Since which grade the order of the systems has stood."""
    if not document["checkpoints"]:
        return sentence(f"There is no ranking yet: {document['reason']}")
    if document["reason"]:
        return sentence(f"There is no ranking: {document['reason']}")
    total, since = document["grades"], document["since"]
    last = document["checkpoints"][-1]["grades"]
    if since >= last:
        text = f"The order of the systems still changed with the last of the {total:,} grades"
        if len(document["checkpoints"]) == 1:
            text = "The grades only just reach every system, so that the ranking has no history yet"
    else:
        text = f"The order of all systems has not changed over the last {total - since:,} of {total:,} grades"
    return " ".join([sentence(text), _sure(document)]).strip()


def _sure(document: Document) -> str:
    if document["sure_since"] is None:
        return "No two systems are told apart at 95 %, so that any order may still change."
    sure, pairs = document["sure_pairs"], document["pairs"]
    if document["sure_since"] == document["since"] and sure == pairs:
        return "All pairs are told apart at 95 %."
    over = document["grades"] - document["sure_since"]
    which = f"{sure:,} of {pairs:,} pairs that {verb(sure, 'is', 'are')} told apart at 95 %"
    if over == 0:
        return sentence(f"Among the {which} the order changed at the end, too")
    return sentence(f"The order of the {which} has stood for {over:,}")
