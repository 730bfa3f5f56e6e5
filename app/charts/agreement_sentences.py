"""The readings of agreement: on a question, of pairs of annotators, and of a robustness study's survey."""

from collections.abc import Mapping, Sequence
from typing import Any

from app.charts.progress_sentences import agreement_word, with_interval
from app.charts.tables import number
from app.charts.words import capital, count, join, percent, sentence, verb

Document = Mapping[str, Any]


def question(whole: Document, strata: Sequence[Mapping[str, Any]], level: str) -> str:
    """How far annotators agree, how often they have a majority, and where they agree most and least."""
    kappa = whole["coefficients"]["fleiss_kappa"]
    if whole["same"]["value"] is None:
        return sentence(f"Agreement can’t be measured: {kappa['reason']}")
    parts = [_coefficients(whole["coefficients"], level), _majorities(whole), _extremes(strata)]
    return " ".join(part for part in parts if part)


def _coefficients(found: Mapping[str, Any], level: str) -> str:
    kappa, alpha = found["fleiss_kappa"], found["krippendorff_alpha"][level]
    if kappa["value"] is None:
        return sentence(capital(f"{kappa['reason']}"))
    text = f"On the exact grade annotators agree {agreement_word(kappa['word'])} (Fleiss’ κ {with_interval(kappa)})"
    if level != "nominal" and alpha["value"] is not None:
        on = {"ordinal": "on the order of the grades", "interval": "on how far grades are apart"}[level]
        also = agreement_word(alpha["word"]) + (", too" if alpha["word"] == kappa["word"] else "")
        text += f"; {on} {also} (Krippendorff’s α {with_interval(alpha)})"
    return sentence(text)


def _majorities(whole: Document) -> str:
    majority, top = whole["majority"], whole["top_majority"]
    text = f"{majority['count']:,} of {count(majority['of'], 'item')} ({percent(majority['count'], majority['of'])}) "
    text += f"{verb(majority['count'], 'has', 'have')} one grade with a strict majority"
    if whole["top"] is not None:
        text += f"; in {top['count']:,} it is the top grade, {whole['top']:g}"
    return sentence(text)


def _extremes(strata: Sequence[Mapping[str, Any]]) -> str:
    values = {each["name"]: each["agreement"]["coefficients"]["fleiss_kappa"]["value"] for each in strata}
    known = {name: value for name, value in values.items() if value is not None}
    if len(known) < 2:
        return ""
    most, least = max(known, key=lambda name: known[name]), min(known, key=lambda name: known[name])
    if known[most] == known[least]:
        return ""
    return sentence(
        f"Of the strata annotators agree most on {most} (κ {number(known[most], 3)}) "
        f"and least on {least} (κ {number(known[least], 3)})"
    )


def pairs(document: Document, weight: str) -> str:
    """Who agree most and least, and how many pairs have no value."""
    if not document["pairs"]:
        return "No two annotators have graded the same item yet."
    known = [pair for pair in document["pairs"] if pair[weight]["value"] is not None]
    if not known:
        reason = document["pairs"][0][weight]["reason"]
        return sentence(f"No pair of annotators can be compared yet: {reason}")
    values = sorted(known, key=lambda pair: pair[weight]["value"])
    if len(known) == 1:
        return sentence(f"The one pair that can be compared, {_pair(known[0], weight)}")
    middle = (values[(len(values) - 1) // 2][weight]["value"] + values[len(values) // 2][weight]["value"]) / 2
    text = (
        f"The median κ of {count(len(known), 'pair')} of annotators is {number(middle, 3)}; "
        f"it is highest for {_pair(values[-1], weight)}, and lowest for {_pair(values[0], weight)}"
    )
    return sentence(text)


def _pair(pair: Mapping[str, Any], weight: str) -> str:
    return (
        f"{pair['first']} and {pair['second']} ({number(pair[weight]['value'], 3)}, {pair['items']:,} common items)"
    )


def survey(document: Document) -> str:
    """How natural prompts are before and after, whether the meaning is kept, and how far annotators agree."""
    rows = {(row["question"], row["prompts"]): row for row in document["rows"] if row["transformation"] is None}
    nominal, perturbed = rows["naturalness", "nominal"], rows["naturalness", "perturbed"]
    similar = rows["similarity", "perturbed"]
    parts = []
    if nominal["mean"]["value"] is not None and perturbed["mean"]["value"] is not None:
        parts.append(_naturalness(nominal, perturbed, document["naturalness_change"]))
    else:
        missing = [row["prompts"] for row in (nominal, perturbed) if row["mean"]["value"] is None]
        parts.append(f"No {join(missing, 'and no')} prompt has a grade for naturalness yet.")
    if similar["mean"]["value"] is None:
        return " ".join([*parts, "No pair has a grade for semantic similarity yet."])
    exact = similar["shares"][-1]["share"]["value"]
    parts.append(
        sentence(
            f"{percent(exact, 1)} of the grades say that the meaning is exactly preserved "
            f"(mean similarity {_mean(similar['mean'])})"
        )
    )
    return " ".join(parts)


def _naturalness(nominal: Document, perturbed: Document, change: Mapping[str, Any]) -> str:
    text = (
        f"Perturbed prompts are rated {_mean(perturbed['mean'])} for naturalness, "
        f"nominal ones {_mean(nominal['mean'])}: "
    )
    size = number(abs(change["value"]), 2)
    if change["low"] is None:
        return sentence(f"{text}a difference of {size}")
    ends = f"95 % interval of the change {number(change['low'], 2)} to {number(change['high'], 2)}"
    if change["low"] > 0 or change["high"] < 0:
        return sentence(f"{text}{size} {'more' if change['value'] > 0 else 'less'} ({ends})")
    return sentence(f"{text}no difference that these grades could tell from none ({ends})")


def _mean(cell: Mapping[str, Any]) -> str:
    return number(cell["value"], 2)
