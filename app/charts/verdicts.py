"""What became of a program, and of a sample that has no verdict, in words."""

from collections.abc import Mapping, Sequence

from app.charts.words import join
from app.words import N_, gettext, human_number

VERDICTS = {
    "passed": N_("passed"),
    "failed": N_("failed"),
    "error": N_("error"),
    "timeout": N_("timed out"),
    "memory": N_("out of memory"),
    "blocked": N_("blocked"),
    "sandbox_error": N_("sandbox failed"),
    "not_run": N_("not run"),
    "not_executed": N_("not run yet"),
    "not_written": N_("not written"),
    "no_answer": N_("without an answer by the model"),
}


def verdict_in_words(name: str) -> str:
    """The verdict, or why there is none."""
    return gettext(VERDICTS[name]) if name in VERDICTS else name


def counts_in_words(counts: Mapping[str, int]) -> str:
    """ "3 passed, 2 failed and 1 timed out": those that there are, in the order of the list above."""
    known = [name for name in VERDICTS if counts.get(name)]
    return join([f"{human_number(counts[name])} {verdict_in_words(name)}" for name in known])


def weak_walls(walls: Sequence[Sequence[str | None]]) -> list[str]:
    """What a reader must know of how programs were run: no wall around them, or tests within their reach."""
    told = []
    if any(tier == "none" for tier, _ in walls):
        told.append(gettext("Some programs ran without a wall around them: they could have reached other files."))
    if any(strength == "in_process" for _, strength in walls):
        told.append(
            gettext(
                "Some programs ran in one process with their tests: one that reached for the tests could have passed "
                "without solving anything."
            )
        )
    return told
