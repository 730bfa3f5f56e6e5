"""The way as a machine: its stages, and what leads from one to another. Pure: no rows, no clock."""

from dataclasses import dataclass

from app.errors import Conflict
from app.words import gettext

ORDER = ("consent", "profile", "instructions", "practice", "grading", "closing", "done")
ENDINGS = ("done", "failed", "declined")
ONWARD = "onward"
UNDER_WAY = ORDER[:-1]

# Event → stage in which it may come → where it leads.
MOVES: dict[str, dict[str, str]] = {
    "agreed": {"consent": ONWARD},
    "refused": dict.fromkeys(UNDER_WAY, "declined"),  # a changed consent can be refused at any stage
    "answered": {"profile": ONWARD, "closing": ONWARD},
    "read": {"instructions": ONWARD},
    "passed": {"practice": ONWARD},
    "failed practice": {"practice": "failed"},
    "failed checks": {"grading": "failed", "closing": "failed"},
    "finished": {"grading": ONWARD},
    "found more": {"closing": "grading", "done": "grading"},
}


@dataclass(frozen=True, slots=True)
class Course:
    """Which stages a study has; instructions and grading are always there."""

    consent: bool = False
    profile: bool = False
    practice: bool = False
    closing: bool = False

    def has(self, stage: str) -> bool:
        """Whether people come through that stage."""
        return bool(getattr(self, stage, True))


def first(course: Course) -> str:
    """Where a new annotator begins."""
    return present("consent", course)


def present(stage: str, course: Course) -> str:
    """The stage itself, or the next one that the study has: a form may be dropped while somebody stands before it."""
    if stage not in ORDER:
        return stage
    return next(each for each in ORDER[ORDER.index(stage) :] if course.has(each))


def step(stage: str, event: str, course: Course) -> str:
    """Where the event leads from the stage; Conflict where it can't happen there."""
    here = present(stage, course)
    target = MOVES[event].get(here)
    if target is None:
        raise Conflict(gettext("This step was done before, or is not yours to do now."))
    return present(ORDER[ORDER.index(here) + 1], course) if target == ONWARD else target
