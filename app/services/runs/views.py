"""What people are shown of runs."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Select, String, cast, func, or_, select
from sqlalchemy.orm import Session

from app.clock import utc_now
from app.errors import NotPermitted
from app.services.accounts import Principal
from app.services.runs.workers import NO_BROKER, hindrance
from app.storage.models import Run, Study, User
from app.words import N_, gettext

ACTIVE = ("queued", "running")
PAGE_SIZE = 50
NOBODY = "nobody"
# A rate over less than this says nothing: of one unit in a minute it would make hundreds of hours for the rest.
SHORTEST_MEASURE, FEWEST_UNITS = timedelta(seconds=1), 5

KINDS = {
    "agreement": N_("Agreement"),
    "analysis": N_("Analysis"),
    "annotator_quality": N_("Quality of annotators"),
    "change_checks": N_("Automatic checks of changes"),
    "execution": N_("Running programs"),
    "exclusion_effect": N_("Effect of an exclusion"),
    "export": N_("Export"),
    "generation": N_("Generation"),
    "import": N_("Import"),
    "perturbing": N_("Perturbing prompts"),
    "scoring": N_("Scoring"),
    "study_copy": N_("Copy of a study"),
}


def kind_in_words(kind: str) -> str:
    """What kind of run, for people."""
    known = KINDS.get(kind)
    return gettext(known) if known else kind.replace("_", " ").replace(".", " ").capitalize()


@dataclass(frozen=True, slots=True)
class RunView:
    """One run in words and numbers."""

    run: Run
    study: Study | None
    asked_by: str | None
    now: datetime
    may_change: bool = False
    hindrance: str = ""  # why nobody begins it; see workers.hindrance
    before: int = 0  # runs that will be started earlier

    @property
    def title(self) -> str:
        """What kind of run, for people."""
        return kind_in_words(self.run.kind)

    @property
    def is_active(self) -> bool:
        """Whether it waits or runs."""
        return self.run.state in ACTIVE

    @property
    def elapsed(self) -> timedelta | None:
        """How long the present or last attempt has taken."""
        if self.run.started_at is None:
            return None
        return max((self.run.finished_at or self.now) - self.run.started_at, timedelta(0))

    @property
    def rate(self) -> float | None:
        """Units a second in this attempt; None while nothing can be said."""
        if self.run.measured_at is None:
            return None
        measured = self.now - self.run.measured_at
        done = self.run.done - self.run.measured_from
        is_told = done >= min(FEWEST_UNITS, self.run.total) and done > 0 and measured >= SHORTEST_MEASURE
        return done / measured.total_seconds() if is_told else None

    @property
    def left(self) -> timedelta | None:
        """How long it will go on at this rate."""
        if not self.rate or self.run.total <= self.run.done:
            return None
        return timedelta(seconds=(self.run.total - self.run.done) / self.rate)

    @property
    def links(self) -> list[dict[str, str]]:
        """Where the results are; pages of this site only."""
        links = (self.run.result or {}).get("links", [])
        return [link for link in links if link["href"].startswith("/") and not link["href"].startswith("//")]


def may_change(run: Run, principal: Principal | None) -> bool:
    """Admins may cancel and retry every run, others their own."""
    if principal is None or principal.user_id is None:
        return False
    return principal.role == "admin" or principal.user_id == run.user_id


def require_may_change(run: Run, principal: Principal) -> None:
    """Raise NotPermitted unless this person may cancel and retry the run."""
    if not may_change(run, principal):
        raise NotPermitted(
            gettext("This run was started by somebody else."), remedy=gettext("Ask them, or an admin.")
        )


def describe(session: Session, run: Run, principal: Principal | None) -> RunView:
    """One run, as this person sees it."""
    user = session.get(User, run.user_id) if run.user_id else None
    return RunView(
        run=run,
        study=session.get(Study, run.study_id) if run.study_id else None,
        asked_by=user.name if user else None,
        now=utc_now(),
        may_change=may_change(run, principal),
        hindrance=_hindrance(session, run),
        before=_before(session, run) if run.state == "queued" else 0,
    )


def glimpse(session: Session, run: Run | None) -> RunView | None:
    """The run that a page waits for, if it waits for one, as anybody sees it."""
    return None if run is None else describe(session, run, None)


def _hindrance(session: Session, run: Run) -> str:
    """A run that goes on needs no broker; one whose last worker went waits for another."""
    found = hindrance(session, run.queue) if run.state in ACTIVE else ""
    return "" if run.state == "running" and found == NO_BROKER else found


def _before(session: Session, run: Run) -> int:
    earlier = or_(Run.priority > run.priority, (Run.priority == run.priority) & (Run.id < run.id))
    statement = select(func.count()).where(Run.queue == run.queue, Run.state == "queued", earlier)
    return session.scalar(statement) or 0


@dataclass(frozen=True, slots=True)
class RunFilter:
    """Which runs to list; empty texts mean all."""

    state: str = ""
    kind: str = ""
    study: str = ""  # by its slug
    person: str = ""  # by a user's number; NOBODY: asked for by the command line or by CodeJury itself
    hours: int = 0  # asked for in the last so many hours; 0: ever
    before: int | None = None  # a run's number: list older ones

    def apply(self, statement: Select[Run, Study, User]) -> Select[Run, Study, User]:
        """The statement with this filter."""
        if self.state:
            states = ACTIVE if self.state == "active" else (self.state,)
            statement = statement.where(Run.state.in_(states))
        if self.kind:
            statement = statement.where(Run.kind == self.kind)
        if self.study:
            statement = statement.where(Study.slug == self.study)
        if self.person:
            is_theirs = cast(Run.user_id, String) == self.person  # as text: what was sent may be no number
            statement = statement.where(Run.user_id.is_(None) if self.person == NOBODY else is_theirs)
        if self.hours:
            statement = statement.where(Run.created_at >= utc_now() - timedelta(hours=self.hours))
        if self.before is not None:
            statement = statement.where(Run.id < self.before)
        return statement


def list_runs(session: Session, wanted: RunFilter) -> tuple[list[RunView], int | None]:
    """The newest runs that match, and where the next page begins."""
    joined = (
        select(Run, Study, User).outerjoin(Study, Run.study_id == Study.id).outerjoin(User, Run.user_id == User.id)
    )
    rows = session.execute(wanted.apply(joined).order_by(Run.id.desc()).limit(PAGE_SIZE + 1)).all()
    now = utc_now()
    views = [RunView(run, study, user.name if user else None, now) for run, study, user in rows[:PAGE_SIZE]]
    return views, views[-1].run.id if len(rows) > PAGE_SIZE else None


def kinds(session: Session) -> Sequence[str]:
    """Kinds of run that there have been."""
    return session.scalars(select(Run.kind).distinct().order_by(Run.kind)).all()


def people(session: Session) -> Sequence[User]:
    """Users who have asked for a run."""
    return session.scalars(select(User).where(User.id.in_(select(Run.user_id).distinct())).order_by(User.name)).all()


def studies_with_runs(session: Session) -> Sequence[Study]:
    """Studies that have had a run."""
    return session.scalars(
        select(Study).where(Study.id.in_(select(Run.study_id).distinct())).order_by(Study.title)
    ).all()


def hindered_queues(session: Session, study: Study | None = None) -> list[tuple[str, str]]:
    """Queues in which runs (of that study) wait and nobody will do them, and why not."""
    waiting = select(Run.queue).where(Run.state.in_(ACTIVE)).distinct().order_by(Run.queue)
    if study is not None:
        waiting = waiting.where(Run.study_id == study.id)
    found = [(queue, hindrance(session, queue)) for queue in session.scalars(waiting)]
    return [(queue, why) for queue, why in found if why]


def headline(message: str) -> str:
    """The first line of what a run tells; where that only announces what follows, with the first of it."""
    first, *rest = message.splitlines() or [""]
    return f"{first} {rest[0]}" if rest and first.endswith(":") else first
