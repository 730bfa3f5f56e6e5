"""The readings of the overview: how far grading is, and how far people agree with each other."""

from collections.abc import Mapping, Sequence
from typing import Any

from app.charts.reasons import reason_in_words
from app.charts.tables import number
from app.charts.words import capital, in_words, percent, sentence
from app.words import N_, gettext, human_number, ngettext

# Landis and Koch's words; analyses hold them in English.
LANDIS_KOCH_WORDS = (
    N_("poor"),
    N_("slight"),
    N_("fair"),
    N_("moderate"),
    N_("substantial"),
    N_("almost perfect"),
)


def grades_per_item(items_by_grades: Mapping[int, int], wanted: int) -> str:
    """How many items have all grades, and how many none."""
    items = sum(items_by_grades.values())
    if items == 0:
        return gettext("There is no item to grade yet.")
    complete = sum(number for grades, number in items_by_grades.items() if grades >= wanted)
    none = items_by_grades.get(0, 0)
    mean = sum(grades * number for grades, number in items_by_grades.items()) / items
    parts = [sentence(_complete(complete, items, wanted)), gettext("The mean is %(mean)s.", mean=number(mean, 2))]
    if none:
        parts.append(ngettext("%(items)s has none.", "%(items)s have none.", none, items=human_number(none)))
    return " ".join(parts)


def _complete(complete: int, items: int, wanted: int) -> str:
    asked = ngettext("the %(num)s grade asked for", "the %(num)s grades asked for", wanted)
    values = {"complete": human_number(complete), "items": human_number(items), "asked": asked}
    if complete == items:
        return ngettext("The one item has %(asked)s", "All %(items)s items have %(asked)s", items, **values)
    if complete == 0:
        return ngettext("The one item lacks %(asked)s", "None of the %(items)s items has %(asked)s", items, **values)
    return ngettext(
        "%(complete)s of %(items)s items has %(asked)s",
        "%(complete)s of %(items)s items have %(asked)s",
        complete,
        **values,
    )


def grades_per_annotator(people: Sequence[tuple[str, int]]) -> str:
    """Who did how much."""
    if not people:
        return gettext("Nobody has graded yet.")
    total = sum(number for _, number in people)
    name, most = people[0]
    if len(people) == 1:
        return sentence(gettext("%(name)s gave all %(total)s grades", name=name, total=human_number(total)))
    text = gettext(
        "%(people)s annotators gave %(total)s grades; %(name)s gave most, %(most)s (%(share)s)",
        people=in_words(len(people)),
        total=human_number(total),
        name=name,
        most=human_number(most),
        share=percent(most, total),
    )
    return sentence(capital(text))


def annotators(found: Mapping[str, Any]) -> str:
    """How far annotators agree, with the interval and the customary word."""
    kappa, alpha = found["fleiss_kappa"], found["krippendorff_alpha"]["ordinal"]
    if kappa["value"] is None:
        why = reason_in_words(kappa["reason"])
        return sentence(gettext("Agreement can’t be measured: %(reason)s", reason=why))
    text = gettext(
        "On the exact grade annotators agree %(how)s (Fleiss’ κ %(value)s)",
        how=agreement_word(kappa["word"]),
        value=with_interval(kappa),
    )
    if alpha["value"] is not None:
        values = {"how": agreement_word(alpha["word"]), "value": with_interval(alpha)}
        also = gettext("on the order of the grades %(how)s (Krippendorff’s α %(value)s)", **values)
        if alpha["word"] == kappa["word"]:
            also = gettext("on the order of the grades %(how)s, too (Krippendorff’s α %(value)s)", **values)
        text = f"{text}; {also}"
    return sentence(text)


def agreement_word(word: str) -> str:
    """Landis and Koch's word as an adverb."""
    return {
        "poor": gettext("poorly"),
        "slight": gettext("slightly"),
        "fair": gettext("fairly"),
        "moderate": gettext("moderately"),
        "substantial": gettext("substantially"),
        "almost perfect": gettext("almost perfectly"),
    }[word]


def with_interval(cell: Mapping[str, Any]) -> str:
    """A coefficient and its interval, where it has one."""
    if cell["low"] is None:
        return number(cell["value"], 3)
    return gettext(
        "%(value)s, 95 %% interval %(low)s to %(high)s",
        **{key: number(cell[key], 3) for key in ("value", "low", "high")},
    )
