"""One annotator's request: the rows that everything in it asks for, each loaded once.

Each grade passes here, so statements are put together once, at import: building one costs more than running it.
"""

from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session

from app.services.accounts import Principal, asked_now
from app.services.asked import Remembered
from app.services.own_assignments import held_assignment, held_claims
from app.services.sign_ins import alive
from app.storage.engine import locks_rows
from app.storage.models import Annotator, Assignment, Item, SignIn, Study
from app.storage.transaction_turns import TurnAt, take_turn

_BOTH = (
    select(Study, Annotator)
    .join(Annotator, Annotator.study_id == Study.id)
    .where(Annotator.id == bindparam("annotator_id"))
)
_SIGNED_IN = (
    select(Study, Annotator, SignIn.id, SignIn.last_seen_at)
    .join(Annotator, Annotator.study_id == Study.id)
    .join(SignIn, SignIn.annotator_id == Annotator.id)
    .where(SignIn.token_hash == bindparam("token_hash"), *alive(bindparam("now"), bindparam("idle_since")))
)
# NO KEY UPDATE, because rows that point to the annotator must still be added meanwhile.
_BOTH_HELD, _SIGNED_IN_HELD = (
    each.with_for_update(of=Annotator, key_share=True).execution_options(populate_existing=True)
    for each in (_BOTH, _SIGNED_IN)
)


class Sitting(Remembered):
    """An annotator before what the study asks."""

    def __init__(self, session: Session, study: Study, annotator: Annotator) -> None:
        super().__init__(session, study)
        self.annotator = annotator
        self._open: list[Assignment] | None = None

    def assignment(self, public_id: str) -> tuple[Assignment, Item]:
        """One's own assignment, held until the commit, with its item."""
        self._open, asked = held_claims(self.session, self.annotator.id, public_id)
        return asked or held_assignment(self.session, self.annotator.id, public_id)

    def claims(self) -> list[Assignment]:
        """What is open, in order; to be asked before anything new is claimed. The annotator must be held."""
        if self._open is None:
            self._open, _ = held_claims(self.session, self.annotator.id)
        return [assignment for assignment in self._open if assignment.state == "claimed"]

    @classmethod
    def of(cls, session: Session, annotator_id: int) -> "Sitting":
        """To look at."""
        study, annotator = session.execute(_BOTH, {"annotator_id": annotator_id}).one()
        return cls(session, study, annotator)

    @classmethod
    def held(cls, session: Session, annotator_id: int) -> "Sitting":
        """To write: the annotator is held until the commit, so that one person's tabs come one after the other.

        In a study with quotas claims come one after the other, so that two can't both take a stratum's last place.
        """
        if not locks_rows(session):
            return cls.of(session, annotator_id)
        study, annotator = session.execute(_BOTH_HELD, {"annotator_id": annotator_id}).one()
        return cls(session, study, annotator)._in_turn()

    @classmethod
    def signed_in(cls, session: Session, token: str | None) -> "tuple[Sitting, Principal] | None":
        """``held`` for whoever a session's cookie stands for, in one statement; None where that is no annotator."""
        row = session.execute(_SIGNED_IN_HELD, asked_now(token)).first() if token else None
        if row is None:
            return None
        study, annotator, sign_in_id, last_seen_at = row
        principal = Principal.annotator(annotator, sign_in_id, last_seen_at)
        return cls(session, study, annotator)._in_turn(), principal

    def _in_turn(self) -> "Sitting":
        if self.options.quotas:
            # The study's own row would do, but whoever changes the study holds that one and may then want an
            # annotator: the two would wait for each other.
            take_turn(self.session, TurnAt.QUOTAS, self.study.id)
        return self
