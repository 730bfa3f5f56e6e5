"""The readings of agreement: on a question, of pairs of annotators, and of a robustness study's survey."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from app.charts.few_items import items_compared
from app.charts.progress_sentences import agreement_word, with_interval
from app.charts.reasons import reason_in_words
from app.charts.tables import number
from app.charts.words import capital, in_words, percent, sentence, short
from app.statistics.estimates import FEWEST
from app.words import gettext, human_number, ngettext

Document = Mapping[str, Any]


def question(whole: Document, strata: Sequence[Mapping[str, Any]], level: str) -> str:
    """How far annotators agree, how often they have a majority, and where they agree most and least."""
    kappa = whole["coefficients"]["fleiss_kappa"]
    if whole["same"]["value"] is None:
        why = reason_in_words(kappa["reason"])
        return sentence(gettext("Agreement can’t be measured: %(reason)s", reason=why))
    parts = [_coefficients(whole["coefficients"], level), _majorities(whole), _extremes(strata)]
    return " ".join(part for part in parts if part)


def _coefficients(found: Mapping[str, Any], level: str) -> str:
    kappa, alpha = found["fleiss_kappa"], found["krippendorff_alpha"][level]
    if kappa["value"] is None:
        return sentence(capital(reason_in_words(kappa["reason"])))
    text = gettext(
        "On the exact grade annotators agree %(how)s (Fleiss’ κ %(value)s)",
        how=agreement_word(kappa["word"]),
        value=with_interval(kappa),
    )
    if level != "nominal" and alpha["value"] is not None:
        text = f"{text}; {_on_distance(alpha, level, is_same=alpha['word'] == kappa['word'])}"
    return sentence(text)


def _on_distance(alpha: Mapping[str, Any], level: str, *, is_same: bool) -> str:
    values = {"how": agreement_word(alpha["word"]), "value": with_interval(alpha)}
    if level == "ordinal" and is_same:
        text = gettext("on the order of the grades %(how)s, too (Krippendorff’s α %(value)s)", **values)
    elif level == "ordinal":
        text = gettext("on the order of the grades %(how)s (Krippendorff’s α %(value)s)", **values)
    elif is_same:
        text = gettext("on how far grades are apart %(how)s, too (Krippendorff’s α %(value)s)", **values)
    else:
        text = gettext("on how far grades are apart %(how)s (Krippendorff’s α %(value)s)", **values)
    return text


def _majorities(whole: Document) -> str:
    majority, top = whole["majority"], whole["top_majority"]
    text = ngettext(
        "%(count)s of %(items)s (%(share)s) has one grade with a strict majority",
        "%(count)s of %(items)s (%(share)s) have one grade with a strict majority",
        majority["count"],
        count=human_number(majority["count"]),
        items=ngettext("%(count)s item", "%(count)s items", majority["of"], count=human_number(majority["of"])),
        share=percent(majority["count"], majority["of"]),
    )
    if whole["top"] is not None:
        is_top = gettext(
            "in %(count)s it is the top grade, %(grade)s", count=human_number(top["count"]), grade=short(whole["top"])
        )
        text = f"{text}; {is_top}{_at_least(whole)}"
    return sentence(text)


def _at_least(whole: Document) -> str:
    """The same as "at least three of five": of all items, or of those with the commonest number of grades."""
    items: Counter[int] = Counter()
    for each in whole["top_counts"]:
        items[each["grades"]] += each["items"]
    if not items:
        return ""
    grades = max(items, key=lambda number: (items[number], number))
    least = grades // 2 + 1
    if len(items) == 1:
        rule = gettext("at least %(least)s of %(grades)s", least=in_words(least), grades=in_words(grades))
        return f" ({rule})"
    found = sum(each["items"] for each in whole["top_counts"] if each["grades"] == grades and each["top"] >= least)
    rule = gettext(
        "at least %(least)s of %(grades)s in %(found)s of the %(items)s items with %(grades)s grades",
        least=in_words(least),
        grades=in_words(grades),
        found=human_number(found),
        items=human_number(items[grades]),
    )
    return f" ({rule})"


def _extremes(strata: Sequence[Mapping[str, Any]]) -> str:
    enough = [each for each in strata if items_compared(each["agreement"]) >= FEWEST]
    values = {each["name"]: each["agreement"]["coefficients"]["fleiss_kappa"]["value"] for each in enough}
    known = {name: value for name, value in values.items() if value is not None}
    if len(known) < 2:
        return ""
    most, least = max(known, key=lambda name: known[name]), min(known, key=lambda name: known[name])
    if known[most] == known[least]:
        return ""
    return sentence(
        gettext(
            "Of the strata annotators agree most on %(most)s (κ %(highest)s) and least on %(least)s (κ %(lowest)s)",
            most=most,
            highest=number(known[most], 3),
            least=least,
            lowest=number(known[least], 3),
        )
    )


def pairs(document: Document, weight: str) -> str:
    """Who agree most and least, and how many pairs have no value."""
    if not document["pairs"]:
        return gettext("No two annotators have graded the same item yet.")
    known = [pair for pair in document["pairs"] if pair[weight]["value"] is not None]
    if not known:
        why = reason_in_words(document["pairs"][0][weight]["reason"])
        return sentence(gettext("No pair of annotators can be compared yet: %(reason)s", reason=why))
    values = sorted(known, key=lambda pair: pair[weight]["value"])
    if len(known) == 1:
        return sentence(gettext("The one pair that can be compared, %(pair)s", pair=_pair(known[0], weight)))
    middle = (values[(len(values) - 1) // 2][weight]["value"] + values[len(values) // 2][weight]["value"]) / 2
    text = gettext(
        "The median κ of %(number)s pairs of annotators is %(median)s; it is highest for %(highest)s, "
        "and lowest for %(lowest)s",
        number=in_words(len(known)),
        median=number(middle, 3),
        highest=_pair(values[-1], weight),
        lowest=_pair(values[0], weight),
    )
    return sentence(text)


def _pair(pair: Mapping[str, Any], weight: str) -> str:
    return gettext(
        "%(first)s and %(second)s (%(value)s, %(items)s common items)",
        first=pair["first"],
        second=pair["second"],
        value=number(pair[weight]["value"], 3),
        items=human_number(pair["items"]),
    )


def survey(document: Document) -> str:
    """How natural prompts are before and after, whether the meaning is kept, and how far annotators agree; of a
    question that has no rows nothing."""
    rows = {(row["question"], row["prompts"]): row for row in document["rows"] if row["transformation"] is None}
    similar = rows.get(("similarity", "perturbed"))
    parts = []
    if ("naturalness", "perturbed") in rows:
        nominal, perturbed = rows["naturalness", "nominal"], rows["naturalness", "perturbed"]
        if nominal["mean"]["value"] is not None and perturbed["mean"]["value"] is not None:
            parts.append(_naturalness(nominal, perturbed, document["naturalness_change"]))
        else:
            parts.append(_no_naturalness(nominal, perturbed))
    if similar is None:
        return " ".join(parts)
    if similar["mean"]["value"] is None:
        return " ".join([*parts, gettext("No pair has a grade for semantic similarity yet.")])
    exact = similar["shares"][-1]["share"]["value"]
    text = gettext(
        "On average %(share)s of the grades of a pair say that the meaning is exactly preserved "
        "(mean similarity %(mean)s)",
        share=percent(exact, 1),
        mean=_mean(similar["mean"]),
    )
    return " ".join([*parts, sentence(text)])


def _no_naturalness(nominal: Document, perturbed: Document) -> str:
    if perturbed["mean"]["value"] is not None:
        return gettext("No nominal prompt has a grade for naturalness yet.")
    if nominal["mean"]["value"] is not None:
        return gettext("No perturbed prompt has a grade for naturalness yet.")
    return gettext("No nominal and no perturbed prompt has a grade for naturalness yet.")


def _naturalness(nominal: Document, perturbed: Document, change: Mapping[str, Any]) -> str:
    text = gettext(
        "Perturbed prompts are rated %(perturbed)s for naturalness, nominal ones %(nominal)s: %(change)s",
        perturbed=_mean(perturbed["mean"]),
        nominal=_mean(nominal["mean"]),
        change=_change(change),
    )
    return sentence(text)


def _change(change: Mapping[str, Any]) -> str:
    size = number(abs(change["value"]), 2)
    if change["low"] is None:
        return gettext("a difference of %(size)s", size=size)
    ends = {"low": number(change["low"], 2), "high": number(change["high"], 2)}
    if change["low"] <= 0 <= change["high"]:
        return gettext(
            "no difference that these grades could tell from none (95 %% interval of the change %(low)s to %(high)s)",
            **ends,
        )
    if change["value"] > 0:
        return gettext("%(size)s more (95 %% interval of the change %(low)s to %(high)s)", size=size, **ends)
    return gettext("%(size)s less (95 %% interval of the change %(low)s to %(high)s)", size=size, **ends)


def _mean(cell: Mapping[str, Any]) -> str:
    return number(cell["value"], 2)
