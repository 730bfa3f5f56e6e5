"""The readings of "Is it enough?": precision, what a pair needs, and whether the ranking has settled."""

from collections.abc import Mapping, Sequence
from typing import Any

from app.charts.reasons import reason_in_words
from app.charts.tables import number
from app.charts.words import capital, in_words, percent, sentence
from app.words import N_, gettext, human_number, ngettext

Document = Mapping[str, Any]
NO_SYSTEM = N_("there is no system")


def systems(document: Document) -> str:
    """How far the intervals reach, what twice as much would make of that, and how many pairs are told apart."""
    known = [each for each in document["systems"] if each["half_width"] is not None]
    if not known:
        reason = next((each["reason"] for each in document["systems"] if each["reason"]), NO_SYSTEM)
        why = reason_in_words(reason)
        return sentence(gettext("There is nothing to tell yet: for every system, %(reason)s", reason=why))
    text = ngettext(
        "With %(grades)s on %(problems)s the system’s mean is known to %(reach)s points",
        "With %(grades)s on %(problems)s the systems’ means are known to %(reach)s points",
        len(known),
        grades=_grades(document["grades"]),
        problems=_problems(document["problems"]),
        reach=_reach([each["half_width"] for each in known]),
    )
    return " ".join([sentence(text), _twice(document, known), _apart(document)]).strip()


def _grades(count: int) -> str:
    return ngettext("%(count)s grade", "%(count)s grades", count, count=in_words(count))


def _problems(count: int) -> str:
    return ngettext("%(count)s problem", "%(count)s problems", count, count=in_words(count))


def _reach(values: Sequence[float]) -> str:
    low, high = number(min(values), 2), number(max(values), 2)
    return f"±{low}" if low == high else gettext("±%(low)s to ±%(high)s", low=low, high=high)


def _twice(document: Document, known: Sequence[Document]) -> str:
    problems = next((each for each in document["problem_numbers"] if each >= 2 * document["problems"]), None)
    if problems is None:
        return ""
    place = document["problem_numbers"].index(problems)
    reach = _reach([each["by_problems"][place] for each in known])
    grades = round(2 * document["grades_per_item"])
    if not known[0]["by_grades"] or grades not in document["grade_numbers"]:
        return sentence(gettext("Twice the problems would make that %(reach)s", reach=reach))
    at = document["grade_numbers"].index(grades)
    text = gettext(
        "Twice the problems would make that %(reach)s, and %(grades)s grades on every item %(by_grades)s",
        reach=reach,
        grades=grades,
        by_grades=_reach([each["by_grades"][at] for each in known]),
    )
    return sentence(text)


def _apart(document: Document) -> str:
    pairs = document["pairs"]
    usable = sum(half is not None for half in pairs["half_width"])
    if not usable:
        return ""
    apart = sum(pairs["separated"])
    if usable == 1:
        if apart:
            return gettext("The two systems are told apart at 95 %%.")
        return gettext("The two systems are not told apart at 95 %%.")
    values = {"apart": human_number(apart), "pairs": human_number(usable)}
    if apart == usable:
        text = gettext("All %(pairs)s pairs of systems are told apart at 95 %%", **values)
    elif apart == 0:
        text = gettext("None of the %(pairs)s pairs of systems is told apart at 95 %%", **values)
    else:
        text = ngettext(
            "%(apart)s of %(pairs)s pairs of systems is told apart at 95 %%",
            "%(apart)s of %(pairs)s pairs of systems are told apart at 95 %%",
            apart,
            **values,
        )
    return sentence(text)


def pair(document: Document, found: Document) -> str:
    """Whether two systems are told apart, and what it takes if not."""
    first, second = found["first"], found["second"]
    if found["half_width"] is None:
        why = reason_in_words(found["reason"])
        text = gettext("%(a)s and %(b)s can’t be compared yet: %(reason)s", a=first, b=second, reason=why)
        return sentence(text)
    if found["difference"] == 0:
        return gettext(
            "%(a)s and %(b)s have the same mean: no number of grades like these would tell them apart.",
            a=first,
            b=second,
        )
    text = sentence(_above(found))
    needs = {need["chance"]: need for need in found["needs"]}
    if not needs:
        return text
    even, likely = needs[min(needs)], needs[max(needs)]
    return " ".join([text, _ways(document, even), _surely(likely)]).strip()


def _above(found: Document) -> str:
    better, other = found["first"], found["second"]
    if found["difference"] < 0:
        better, other = other, better
    values = {
        "better": better,
        "other": other,
        "size": number(abs(found["difference"]), 2),
        "half": number(found["half_width"], 2),
    }
    if found["separated"]:
        return gettext("%(better)s is %(size)s points above %(other)s, ±%(half)s: told apart at 95 %%", **values)
    return gettext("%(better)s is %(size)s points above %(other)s, ±%(half)s: not told apart at 95 %%", **values)


def _ways(document: Document, need: Document) -> str:
    problems = "" if need["problems"] is None else _more_problems(need["problems"] - document["problems"], need)
    grades = "" if need["grades"] is None else _more_grades(need)
    if not problems and not grades:
        why = reason_in_words(need["problems_reason"])
        text = gettext("neither more problems (%(reason)s) nor more grades would do", reason=why)
        return sentence(capital(text))
    if problems and grades:
        text = gettext(
            "If the difference stays, its interval would just exclude 0 with %(problems)s or %(grades)s",
            problems=problems,
            grades=grades,
        )
    else:
        more = problems or grades
        text = gettext("If the difference stays, its interval would just exclude 0 with %(more)s", more=more)
    if not grades:
        alone = gettext("with grades alone: %(reason)s", reason=reason_in_words(need["grades_reason"]))
        text = f"{text}; {alone}"
    return sentence(text)


def _more_problems(more: int, need: Document) -> str:
    items = ngettext("%(count)s item", "%(count)s items", need["more_items"], count=in_words(need["more_items"]))
    return ngettext(
        "%(count)s more problem (%(items)s)",
        "%(count)s more problems (%(items)s)",
        more,
        count=in_words(more),
        items=items,
    )


def _more_grades(need: Document) -> str:
    more = _grades(need["more_grades"])
    return gettext("%(grades)s on every item (%(more)s more)", grades=_grades(need["grades"]), more=more)


def _surely(need: Document) -> str:
    if need["problems"] is None:
        return ""
    text = gettext(
        "To tell them apart with a chance of %(chance)s takes %(problems)s problems in all",
        chance=percent(need["chance"], 1, 0),
        problems=human_number(need["problems"]),
    )
    return sentence(text)


def stability(document: Document) -> str:
    """Since which grade the order of the systems has stood."""
    if not document["checkpoints"]:
        why = reason_in_words(document["reason"])
        return sentence(gettext("There is no ranking yet: %(reason)s", reason=why))
    if document["reason"]:
        why = reason_in_words(document["reason"])
        return sentence(gettext("There is no ranking: %(reason)s", reason=why))
    return " ".join([sentence(_since(document)), _sure(document)]).strip()


def _since(document: Document) -> str:
    total, since = document["grades"], document["since"]
    if since < document["checkpoints"][-1]["grades"]:
        return gettext(
            "The order of all systems has not changed over the last %(number)s of %(total)s grades",
            number=human_number(total - since),
            total=human_number(total),
        )
    if len(document["checkpoints"]) == 1:
        return gettext("The grades only just reach every system, so that the ranking has no history yet")
    return gettext(
        "The order of the systems still changed with the last of the %(total)s grades", total=human_number(total)
    )


def _sure(document: Document) -> str:
    if document["sure_since"] is None:
        return gettext("No two systems are told apart at 95 %%, so that any order may still change.")
    sure, pairs = document["sure_pairs"], document["pairs"]
    if document["sure_since"] == document["since"] and sure == pairs:
        return gettext("All pairs are told apart at 95 %%.")
    over = document["grades"] - document["sure_since"]
    which = ngettext(
        "%(sure)s of %(pairs)s pairs that is told apart at 95 %%",
        "%(sure)s of %(pairs)s pairs that are told apart at 95 %%",
        sure,
        sure=human_number(sure),
        pairs=human_number(pairs),
    )
    if over == 0:
        return sentence(gettext("Among the %(pairs)s the order changed at the end, too", pairs=which))
    text = gettext("The order of the %(pairs)s has stood for %(grades)s", pairs=which, grades=human_number(over))
    return sentence(text)
