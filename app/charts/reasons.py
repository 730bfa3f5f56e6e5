"""Why a stored analysis lacks a number: its own English words, in the reader's language.

Stored analyses say it in English, since the same inputs and seed give the same bytes; app.statistics writes them.
"""

import re
from collections.abc import Mapping
from typing import Any

from app.words import N_, gettext, in_locale

NO_PROBLEM = N_("no problem has a consensus for all systems")
REASONS = (
    NO_PROBLEM,
    N_("There are no grades."),
    N_("Only one annotator has graded; the skills of annotators cannot be compared."),
    N_("All compared grades are the same; the skills of annotators cannot be told apart."),
    N_("No two annotators have graded the same item; their skills cannot be compared."),
    N_("The grades do not show which annotators agree more often than chance would."),
    N_("The method did not arrive at a result for these grades."),
    N_("no item has two grades"),
    N_("all grades are the same, so that chance alone gives full agreement"),
    N_("chance alone gives full agreement"),
    N_("all systems have the same score"),
    N_("all systems have the same score in every draw"),
    N_("all systems have the same mean"),
    N_("fewer than two systems have a grade"),
    N_("no number of grades would do on so few problems"),
    N_("no item has two grades, so that nothing shows how far grades of one item differ"),
    N_("both have the same mean"),
    N_("no item has a grade"),
    N_("no nominal prompt has a grade"),
    N_("no perturbed prompt has a grade"),
    N_("there is no problem"),
    N_("there is only one seed"),
    N_("no output has both a verdict and a grade"),
    N_("all graded outputs pass"),
    N_("all graded outputs fail"),
    N_("all executed outputs have the same grade"),
    N_("no nominal sample passes, so that there is nothing to lose"),
    N_("no problem has a judged sample"),
    N_("a problem has no sample"),
    N_("no item has both a grade and a score"),
    N_("people find fault with no item"),
    N_("people find fault with every item"),
    N_("all items have the same score or the same mean grade"),
    N_(
        "Further problems and grades are taken to be like those so far, given by annotators like these, each item "
        "counting with the mean of its grades and each problem independent of the others; a difference is taken to "
        "stay what it is now."
    ),
)


# With a number in them.
NUMBERED = (
    N_("fewer than %(number)s systems"),
    N_("fewer than %(number)s pairs of systems"),
    N_("fewer than %(number)s common items"),
    N_("fewer than %(number)s problems have a grade for it"),
    N_("not within %(number)s problems"),
    N_("not within %(number)s grades an item"),
    N_("a problem has fewer than %(number)s samples"),
    N_("no problem has %(number)s judged samples"),
    N_("no difference brings the errors under %(number)s %%"),
)
NUMBER = re.compile(r"\d[\d,]*")


def reason_in_words(reason: str) -> str:
    """The reason as it stands in an analysis, perhaps after a name; as it is where no language knows it."""
    name, colon, text = reason.rpartition(": ")
    number, plain = NUMBER.search(text), text.replace("%", "%%")
    numbered = NUMBER.sub("%(number)s", plain)
    known = gettext(numbered, number=in_locale(number[0])) if number and numbered in NUMBERED else gettext(plain)
    return name + colon + known


def word_or_reason(cell: Mapping[str, Any]) -> str:
    """Landis and Koch's word for a coefficient, or why there is none."""
    if cell["word"]:
        return gettext(cell["word"])
    return reason_in_words(cell["reason"]) if cell["reason"] else ""
