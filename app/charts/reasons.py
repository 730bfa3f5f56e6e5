"""Why a stored analysis lacks a number: its own English words, in the reader's language.

Stored analyses say it in English, since the same inputs and seed give the same bytes; app.statistics writes them.
"""

from app.words import N_, gettext

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
    N_("fewer than 3 systems"),
    N_("all systems have the same score"),
    N_("all systems have the same score in every draw"),
    N_("fewer than 20 pairs of systems"),
    N_("no difference brings the errors under 5 %%"),
)


def reason_in_words(reason: str) -> str:
    """The reason as it stands in an analysis; as it is where no language knows it."""
    return gettext(reason.replace("%", "%%"))
