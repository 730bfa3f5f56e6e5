"""The gate before the items: who may have some now, and who moves on instead."""

from dataclasses import dataclass

from sqlalchemy.orm import Session

from app.once import computed_once
from app.services.sitting import Sitting
from app.services.study_options import Limits
from app.services.way.course import lacks_consent_to
from app.services.way.left import anything_left
from app.services.way.stages import ENDINGS
from app.services.way.walk import move, settle
from app.services.way.work import Work, work_of
from app.storage.models import Annotator, Study

ASKS_FOR_ITEMS = ("practice", "grading", "closing", "done")


@dataclass(frozen=True)
class Gate:
    """One annotator, locked, who asks for items."""

    sitting: Sitting

    @property
    def session(self) -> Session:
        """The transaction that holds the annotator."""
        return self.sitting.session

    @property
    def study(self) -> Study:
        """The annotator's study."""
        return self.sitting.study

    @property
    def annotator(self) -> Annotator:
        """Who asks."""
        return self.sitting.annotator

    @property
    def limits(self) -> Limits:
        """The limits of each annotator's work."""
        return self.sitting.options.limits

    @computed_once
    def work(self) -> Work:
        """What this one has done."""
        return work_of(self.session, self.annotator.id, self.limits)

    def lets_in(self) -> bool:
        """Whether items may be handed out. Whoever has read the instructions, or done enough, moves on by asking."""
        if self.study.state == "closed":
            self._end_with_the_study()
        if self.study.state not in ("open", "paused") or self._consent_is_due():
            return False
        if self.annotator.stage not in ("grading", *ENDINGS):
            settle(self.session, self.study, self.annotator)
        if self.annotator.stage == "instructions":
            self._move("read")
        if self.annotator.stage not in ASKS_FOR_ITEMS:
            return False
        return self.annotator.stage == "practice" or (self._may_go_on() and not self._must_agree_anew())

    def room(self) -> int:
        """How many items more the person may answer."""
        items = self.limits.items
        return 1_000_000 if items is None else items - self.work.items

    def leave(self, *, found: bool) -> None:
        """After the search: nothing found ends the grading; whoever was done and found more grades again."""
        if found and self.annotator.stage != "grading":
            self._move("found more")
        elif not found and self.annotator.stage == "grading":
            self._move("finished")

    def _may_go_on(self) -> bool:
        if not self.is_limited:
            return True
        if self.work.has_reached(self.limits):
            if self.annotator.stage == "grading":
                self._move("finished")
            return False
        return self.work.break_until is None

    def _must_agree_anew(self) -> bool:
        """Whoever was done agrees to a changed consent before getting more; where there is more, that is next."""
        if self.annotator.stage != "done" or not self._lacks_consent():
            return False
        if self.study.state == "open" and anything_left(self.session, self.study, self.annotator):
            self._move("found more")
        return True

    def _consent_is_due(self) -> bool:
        return self.annotator.stage not in ENDINGS and self._lacks_consent()

    def _lacks_consent(self) -> bool:
        return lacks_consent_to(self.session, self.annotator, self.sitting.content.consent)

    @property
    def is_limited(self) -> bool:
        """Whether there is anything to measure the work for."""
        limits = self.limits
        return (limits.items, limits.minutes, limits.pause_after) != (None, None, None)

    def _end_with_the_study(self) -> None:
        """Whoever graded something before the study closed has finished: closing questions, then what the end brings.

        Nobody is asked to agree anew to a study that is over, so whoever would have to is asked nothing more.
        """
        if self.annotator.stage == "grading" and self.work.items:
            self._move("finished")
        if self.annotator.stage == "closing":
            settle(self.session, self.study, self.annotator)
        if self.annotator.stage == "closing" and self._lacks_consent():
            self._move("answered")

    def _move(self, event: str) -> None:
        move(self.session, self.study, self.annotator, event)
