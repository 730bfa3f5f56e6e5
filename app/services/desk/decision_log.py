"""The decision log: every event of the audit trail in words, newest first."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from app.services.desk.log_names import action_name, actor_name
from app.services.desk.log_words import in_words
from app.storage.models import Annotator, AuditEvent, Study, User

PAGE_SIZE = 50
CHANGE_NOTHING = ("export",)
DECISION_COLUMNS = ("at", "actor", "action", "what", "details")
COLUMNS = ("at", "who", "actor", "study", "action", "what", "details")


@dataclass(frozen=True, slots=True)
class LogFilter:
    """Which events; empty texts mean all. ``before``: an event's number, list older ones."""

    person: str = ""
    kind: str = ""
    before: int | None = None


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One event: who did what, and from what to what."""

    event: AuditEvent
    who: str
    what: tuple[str, ...]
    study: Study | None


def log_page(session: Session, study: Study | None, wanted: LogFilter) -> tuple[list[LogEntry], int | None]:
    """The newest events of the study, or of the whole installation; and where the next page begins."""
    rows = session.execute(_matching(study, wanted).limit(PAGE_SIZE + 1)).all()
    entries = list(_entries(session, [(event, owner) for event, owner in rows[:PAGE_SIZE]]))
    return entries, entries[-1].event.id if len(rows) > PAGE_SIZE else None


def log_rows(session: Session, study: Study | None, wanted: LogFilter) -> Iterator[dict[str, Any]]:
    """All that match, for a file."""
    rows = [(event, owner) for event, owner in session.execute(_matching(study, wanted))]
    for entry in _entries(session, rows):
        yield {
            "at": entry.event.at.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "who": entry.who,
            "actor": entry.event.actor,
            "study": entry.study.slug if entry.study else "",
            "action": entry.event.action,
            "what": " ".join(entry.what),
            "details": json.dumps(entry.event.details, ensure_ascii=False, sort_keys=True),
        }


def decision_rows(session: Session, study: Study) -> Iterator[dict[str, Any]]:
    """What was decided about the study, the oldest first, for its bundle: the team by numbers, nobody by name.

    Exports change nothing, and the same state gives the same bundle: they are left out.
    """
    events = session.scalars(
        select(AuditEvent)
        .where(AuditEvent.study_id == study.id, AuditEvent.action.not_in(CHANGE_NOTHING))
        .order_by(AuditEvent.id)
    ).all()
    names = _names(session, {each for each in _mentioned(events) if each.startswith("annotator:")})
    for event in events:
        yield {
            "at": event.at.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "actor": event.actor,
            "action": event.action,
            "what": " ".join(in_words(event, names)),
            "details": json.dumps(event.details, ensure_ascii=False, sort_keys=True),
        }


def kinds_of(session: Session, study: Study | None) -> list[tuple[str, str]]:
    """The actions that there have been: as the trail names them, and in words."""
    actions = session.scalars(_of(study, select(AuditEvent.action)).distinct())
    return sorted(((each, action_name(each)) for each in actions), key=lambda each: each[1].lower())


def people_of(session: Session, study: Study | None) -> list[tuple[str, str]]:
    """Who has done anything: as the trail names them, and in words."""
    actors = session.scalars(_of(study, select(AuditEvent.actor)).distinct().order_by(AuditEvent.actor)).all()
    names = _names(session, actors)
    return sorted(
        ((actor, names.get(actor) or actor_name(actor)) for actor in actors), key=lambda each: each[1].lower()
    )


def _matching(study: Study | None, wanted: LogFilter) -> Select[AuditEvent, Study]:
    events = (
        select(AuditEvent, Study).outerjoin(Study, Study.id == AuditEvent.study_id).order_by(AuditEvent.id.desc())
    )
    if study is not None:
        events = events.where(AuditEvent.study_id == study.id)
    if wanted.person:
        events = events.where(AuditEvent.actor == wanted.person)
    if wanted.kind:
        events = events.where(AuditEvent.action == wanted.kind)
    if wanted.before is not None:
        events = events.where(AuditEvent.id < wanted.before)
    return events


def _of(study: Study | None, statement: Select[str]) -> Select[str]:
    return statement if study is None else statement.where(AuditEvent.study_id == study.id)


def _entries(session: Session, rows: Sequence[tuple[AuditEvent, Study | None]]) -> Iterator[LogEntry]:
    names = _names(session, {event.actor for event, _ in rows} | _mentioned(event for event, _ in rows))
    for event, study in rows:
        yield LogEntry(event, names.get(event.actor) or actor_name(event.actor), in_words(event, names), study)


def _mentioned(events: Iterable[AuditEvent]) -> set[str]:
    """Whom the events are about, named as actors are."""
    return {
        f"{kind}:{event.details[kind]}"
        for event in events
        for kind in ("user", "annotator")
        if isinstance(event.details.get(kind), int)
    }


def _names(session: Session, actors: Iterable[str]) -> dict[str, str]:
    """Names of users, pseudonyms of annotators."""
    numbers: dict[str, list[int]] = {"user": [], "annotator": []}
    for actor in actors:
        kind, _, number = actor.partition(":")
        if kind in numbers and number.isdigit():
            numbers[kind].append(int(number))
    users = session.execute(select(User.id, User.name).where(User.id.in_(numbers["user"])))
    people = session.execute(select(Annotator.id, Annotator.pseudonym).where(Annotator.id.in_(numbers["annotator"])))
    return {f"user:{number}": name for number, name in users} | {
        f"annotator:{number}": name for number, name in people
    }
