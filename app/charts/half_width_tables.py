"""The tables of "Is it enough?": half-widths of systems, what pairs need."""

from collections.abc import Mapping
from typing import Any

from app.charts.tables import Cell, Column, Measured, Table

Document = Mapping[str, Any]  # of a Precision
MOST_PAIRS = 500
PAIR_COLUMNS = ("first", "second", "difference", "half_width", "separated", "problems_needed", "grades_needed")


def system_table(document: Document) -> Table:
    """Each system's mean and half-widths, now and projected."""
    grades, problems = document["grade_numbers"], document["problem_numbers"]
    more = [number_ for number_ in (2, 3, 5, 10) if number_ in grades]
    further = [number_ for number_ in problems[1:] if number_ >= 1.5 * document["problems"]][:3]
    columns = (
        Column("system", "System", is_text=True),
        Column("mean", "Mean", "points", 2),
        Column("problems", "Problems graded", decimals=0),
        Column("half_width", "± now", "points", 2, term="half-width"),
        *(Column(f"grades_{each}", f"± with {each} grades", "per item", 2) for each in more),
        *(Column(f"problems_{each}", f"± with {each:,}", "problems", 2) for each in further),
    )
    rows = tuple(
        (
            Cell(system["name"]),
            Cell(_interval(system["mean"], system["half_width"])),
            Cell(system["problems"]),
            Cell(system["half_width"]),
            *(Cell(system["by_grades"][grades.index(each)] if system["by_grades"] else None) for each in more),
            *(
                Cell(system["by_problems"][problems.index(each)] if system["by_problems"] else None)
                for each in further
            ),
        )
        for system in document["systems"]
    )
    return Table("half-widths", "The systems’ means and their half-widths", _caption(document), columns, rows)


def _caption(document: Document) -> str:
    reasons = "".join(f" {each['name']}: {each['reason']}." for each in document["systems"] if each["reason"])
    return (
        f"Half-widths of 95 % intervals, in points, from {document['draws']:,} draws of the problems. "
        f"{document['assumptions']}{reasons}"
    )


def _interval(value: float | None, half: float | None) -> Measured:
    if value is None or half is None:
        return Measured(value, None, None)
    return Measured(value, value - half, value + half)


def pair_table(document: Document) -> Table:
    """What each pair needs; of very many the closest ones."""
    names = [system["name"] for system in document["systems"]]
    pairs = list(zip(*(document["pairs"][key] for key in PAIR_COLUMNS), strict=True))
    closest = sorted(pairs, key=lambda pair: (pair[2] is None, abs(pair[2] or 0)))[:MOST_PAIRS]
    chosen = pairs if len(pairs) <= MOST_PAIRS else closest
    columns = (
        Column("a", "A", is_text=True),
        Column("b", "B", is_text=True),
        Column("difference", "A − B", "points", 2),
        Column("apart", "Told apart", is_text=True, term="separated"),
        Column("problems_needed", "Problems needed", "in all", 0),
        Column("grades_needed", "or grades needed", "per item", 0),
    )
    rows = tuple(
        (
            Cell(names[a]),
            Cell(names[b]),
            Cell(_interval(difference, half), "significant" if apart else ""),
            Cell("yes" if apart else "no" if half is not None else "unknown"),
            Cell(None if apart else problems),
            Cell(None if apart else grades),
        )
        for a, b, difference, half, apart, problems, grades in chosen
    )
    caption = (
        "What would make the 95 % interval just exclude 0, if the difference stays what it is now; –: told apart "
        "already, or out of reach. *: told apart."
    )
    if len(chosen) < len(pairs):
        caption += f" The {MOST_PAIRS:,} of {len(pairs):,} pairs that are closest."
    return Table("pairs-needed", "What each pair needs", caption, columns, rows)


def need_table(document: Document, pair: Mapping[str, Any]) -> Table:
    """What one pair needs, by chance."""
    columns = (
        Column("chance", "Chance", "of telling them apart", is_text=True),
        Column("problems", "Problems", "in all", 0),
        Column("more_items", "Items to add", decimals=0),
        Column("grades", "or grades", "per item", 0),
        Column("more_grades", "Grades to add", decimals=0),
    )
    rows = tuple(
        (
            Cell(f"{100 * need['chance']:g} %"),
            *(Cell(need[key]) for key in ("problems", "more_items", "grades", "more_grades")),
        )
        for need in pair["needs"]
    )
    if not rows:
        rows = ((Cell("now" if pair["separated"] else "–"), *[Cell(None)] * 4),)
    reasons = {need[key] for need in pair["needs"] for key in ("problems_reason", "grades_reason")} - {None}
    caption = (
        f"If the true difference is the present one. All systems are graded alike. {document['assumptions']}"
        + "".join(f" –: {reason}." for reason in sorted(reasons))
        + (f" {pair['reason']}." if pair["reason"] else "")
    )
    return Table("enough", "What it takes to tell them apart", caption, columns, rows)
