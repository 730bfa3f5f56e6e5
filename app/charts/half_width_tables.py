"""The tables of "Is it enough?": half-widths of systems, what pairs need."""

from collections.abc import Mapping
from typing import Any

from app.charts.reasons import reason_in_words
from app.charts.tables import Cell, Column, Measured, Table
from app.charts.words import percent
from app.words import gettext, human_number, pgettext

Document = Mapping[str, Any]  # of a Precision
MOST_PAIRS = 500
PAIR_COLUMNS = ("first", "second", "difference", "half_width", "separated", "problems_needed", "grades_needed")


def system_table(document: Document) -> Table:
    """Each system's mean and half-widths, now and projected."""
    grades, problems = document["grade_numbers"], document["problem_numbers"]
    more = [number_ for number_ in (2, 3, 5, 10) if number_ in grades]
    further = [number_ for number_ in problems[1:] if number_ >= 1.5 * document["problems"]][:3]
    columns = (
        Column("system", gettext("System"), is_text=True),
        Column("mean", gettext("Mean"), gettext("points"), 2),
        Column("problems", gettext("Problems graded"), decimals=0),
        Column("half_width", gettext("± now"), gettext("points"), 2, term="half-width"),
        *(
            Column(f"grades_{each}", gettext("± with %(number)s grades", number=each), gettext("per item"), 2)
            for each in more
        ),
        *(
            Column(
                f"problems_{each}", gettext("± with %(number)s", number=human_number(each)), gettext("problems"), 2
            )
            for each in further
        ),
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
    return Table(
        "half-widths", gettext("The systems’ means and their half-widths"), _caption(document), columns, rows
    )


def _caption(document: Document) -> str:
    text = gettext(
        "Half-widths of 95 %% intervals, in points, from %(draws)s draws of the problems.",
        draws=human_number(document["draws"]),
    )
    reasons = [
        f"{each['name']}: {reason_in_words(each['reason'])}." for each in document["systems"] if each["reason"]
    ]
    return " ".join([text, reason_in_words(document["assumptions"]), *reasons])


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
        Column("difference", "A − B", gettext("points"), 2),
        Column("apart", gettext("Told apart"), is_text=True, term="separated"),
        Column("problems_needed", gettext("Problems needed"), gettext("in all"), 0),
        Column("grades_needed", gettext("or grades needed"), gettext("per item"), 0),
    )
    rows = tuple(
        (
            Cell(names[a]),
            Cell(names[b]),
            Cell(_interval(difference, half), "significant" if apart else ""),
            Cell(_whether(apart, half)),
            Cell(None if apart else problems),
            Cell(None if apart else grades),
        )
        for a, b, difference, half, apart, problems, grades in chosen
    )
    caption = gettext(
        "What would make the 95 %% interval just exclude 0, if the difference stays what it is now; –: told apart "
        "already, or out of reach. *: told apart."
    )
    if len(chosen) < len(pairs):
        closest_words = gettext(
            "The %(number)s of %(total)s pairs that are closest.",
            number=human_number(MOST_PAIRS),
            total=human_number(len(pairs)),
        )
        caption = f"{caption} {closest_words}"
    return Table("pairs-needed", gettext("What each pair needs"), caption, columns, rows)


def _whether(apart: bool, half: float | None) -> str:
    if half is None:
        return gettext("unknown")
    return gettext("yes") if apart else pgettext("not yes", "no")


def need_table(document: Document, pair: Mapping[str, Any]) -> Table:
    """What one pair needs, by chance."""
    columns = (
        Column("chance", gettext("Chance"), gettext("of telling them apart"), is_text=True),
        Column("problems", gettext("Problems"), gettext("in all"), 0),
        Column("more_items", gettext("Items to add"), decimals=0),
        Column("grades", gettext("or grades"), gettext("per item"), 0),
        Column("more_grades", gettext("Grades to add"), decimals=0),
    )
    rows = tuple(
        (
            Cell(percent(need["chance"], 1, 0)),
            *(Cell(need[key]) for key in ("problems", "more_items", "grades", "more_grades")),
        )
        for need in pair["needs"]
    )
    if not rows:
        rows = ((Cell(gettext("now") if pair["separated"] else "–"), *[Cell(None)] * 4),)
    reasons = {need[key] for need in pair["needs"] for key in ("problems_reason", "grades_reason")} - {None}
    parts = [
        gettext("If the true difference is the present one. All systems are graded alike."),
        reason_in_words(document["assumptions"]),
        *(f"–: {reason_in_words(reason)}." for reason in sorted(reasons)),
    ]
    if pair["reason"]:
        parts.append(f"{reason_in_words(pair['reason'])}.")
    return Table("enough", gettext("What it takes to tell them apart"), " ".join(parts), columns, rows)
