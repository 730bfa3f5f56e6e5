"""What an admin changes about a study, each change with its audit event."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.errors import Conflict, InvalidInput, Problem
from app.services import audit, studies
from app.services.questionnaires.instruments import instruments_of
from app.services.questionnaires.versions import publish_questionnaire
from app.storage.models import Instrument, Item, Study
from app.words import gettext

EDITABLE = frozenset({"title", "description", "instructions", "language", "grades_per_item", "claim_minutes"})
# How items are made of outputs: free until there are any.
UNTIL_ITEMS = frozenset({"merge_identical", "include_references"})
MOST_GRADES = 100


def list_studies(session: Session) -> list[Study]:
    """All studies, newest first."""
    return list(session.scalars(select(Study).order_by(Study.id.desc())))


def create(session: Session, actor: str, title: str, **settings: Any) -> Study:
    """A new, empty study."""
    study = studies.create_study(session, title, **settings)
    audit.record(session, actor, "study made", study.id, title=study.title, seed=study.seed)
    return study


def change(session: Session, actor: str, study: Study, **settings: Any) -> None:
    """Change settings, also while the study runs; the event says from what to what. The address stays."""
    if set(settings) & UNTIL_ITEMS and has_items(session, study):
        raise Conflict(
            gettext("How items are made of outputs stays once there are any."), remedy=gettext("Make a new study.")
        )
    if unknown := set(settings) - EDITABLE - UNTIL_ITEMS:
        raise InvalidInput(gettext("These settings can't be changed: %(names)s.", names=", ".join(sorted(unknown))))
    changes = {
        name: (getattr(study, name), value) for name, value in settings.items() if getattr(study, name) != value
    }
    for name, (_, after) in changes.items():
        setattr(study, name, after)
    if changes:
        session.flush()
        if "instructions" in changes and study.opened_at is not None:
            publish_questionnaire(session, study)  # people read another text from now on
        before_after = {name: {"before": before, "after": after} for name, (before, after) in changes.items()}
        audit.record(session, actor, "study settings changed", study.id, changes=before_after)


def target_field(instrument: Instrument) -> str:
    """What a form calls the instrument's target."""
    return f"target_{instrument.id}"


def change_targets(session: Session, actor: str, study: Study, wanted: Mapping[str, str]) -> None:
    """Other targets for instruments, by their fields; an empty one is the study's own. What is in stays."""
    instruments = {target_field(each): each for each in instruments_of(session, study.id)}
    if unknown := set(wanted) - set(instruments):
        raise InvalidInput(gettext("The study has no such instrument: %(names)s.", names=", ".join(sorted(unknown))))
    targets = {field: _target(field, text.strip()) for field, text in wanted.items()}
    changes = {}
    for field, target in targets.items():
        instrument = instruments[field]
        if instrument.grades_per_item != target:
            changes[f"grades per item of {instrument.name}"] = {"before": instrument.grades_per_item, "after": target}
            instrument.grades_per_item = target
    if changes:
        session.flush()
        audit.record(session, actor, "targets changed", study.id, changes=changes)


def _target(field: str, text: str) -> int | None:
    if not text:
        return None
    # isdecimal, not isdigit: the latter takes superscripts, too.
    if not text.isascii() or not text.isdecimal() or len(text) > 3 or not 1 <= int(text) <= MOST_GRADES:
        message = gettext("Enter a whole number from 1 to %(most)s, or nothing.", most=MOST_GRADES)
        raise InvalidInput(gettext("The targets stay as they were."), [Problem(message, field=field)])
    return int(text)


def change_message(session: Session, actor: str, study: Study, message: str) -> None:
    """What annotators are told on their pages."""
    if study.message == message:
        return
    before, study.message = study.message, message
    session.flush()
    audit.record(
        session, actor, "message changed", study.id, changes={"message": {"before": before, "after": message}}
    )


def has_items(session: Session, study: Study) -> bool:
    """Whether there is anything to grade."""
    return session.scalar(select(Item.id).where(Item.study_id == study.id).limit(1)) is not None


def change_state(session: Session, actor: str, study: Study, state: str) -> None:
    """Open, pause or close the study. An empty one can't open: annotators would find nothing."""
    if state == "open" and not has_items(session, study):
        raise Conflict(
            gettext("The study has nothing to grade yet."), remedy=gettext("Import its problems and outputs first.")
        )
    before = study.state
    studies.change_state(session, study, state)
    audit.record(session, actor, "study state changed", study.id, before=before, after=state)


def lock(session: Session, slug: str) -> Study:
    """The study, held against other writers until the transaction ends."""
    study = studies.find_study(session, slug)
    session.refresh(study, with_for_update=True)
    return study
