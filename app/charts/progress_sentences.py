"""The readings of the overview: how far grading is, and how far people agree with each other."""

from collections.abc import Mapping, Sequence
from typing import Any

from app.charts.tables import number
from app.charts.words import capital, count, percent, sentence, verb


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
        text = f"All {items:,} items have {asked}" if items > 1 else f"The one item has {asked}"
    elif complete == 0:
        text = f"None of the {items:,} items has {asked}" if items > 1 else f"The one item lacks {asked}"
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
    text = f"On the exact grade annotators agree {agreement_word(kappa['word'])} (Fleiss’ κ {with_interval(kappa)})"
    if alpha["value"] is not None:
        also = agreement_word(alpha["word"]) + (", too" if alpha["word"] == kappa["word"] else "")
        text += f"; on the order of the grades {also} (Krippendorff’s α {with_interval(alpha)})"
    return sentence(text)


def agreement_word(word: str) -> str:
    """Landis and Koch's word as an adverb."""
    return {
        "poor": "poorly",
        "slight": "slightly",
        "fair": "fairly",
        "moderate": "moderately",
        "substantial": "substantially",
        "almost perfect": "almost perfectly",
    }[word]


def with_interval(cell: Mapping[str, Any]) -> str:
    """A coefficient and its interval, where it has one."""
    if cell["low"] is None:
        return number(cell["value"], 3)
    return f"{number(cell['value'], 3)}, 95 % interval {number(cell['low'], 3)} to {number(cell['high'], 3)}"
