"""Versions of forms: what people read, as it stood. A grade knows the questionnaire's version that it answered."""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session

from app.ids import content_hash
from app.services.questionnaires.instruments import instruments_of, questions_of
from app.storage.models import FormVersion, Instrument, Question, Study

# Each grade asks for these, so they are put together once.
_OF_KIND = (FormVersion.study_id == bindparam("study_id"), FormVersion.kind == bindparam("kind"))
_LATEST = select(FormVersion).where(*_OF_KIND).order_by(FormVersion.number.desc()).limit(1)
# Without the content, which may be long.
_SHOWN = select(FormVersion.id, FormVersion.number).where(*_OF_KIND).order_by(FormVersion.number.desc()).limit(1)


class Shown(NamedTuple):
    """A version by its row and its number in the study."""

    id: int
    number: int


def latest_version(session: Session, study: Study, kind: str) -> FormVersion | None:
    """The newest version of the study's form of that kind; None where there is none."""
    return session.scalars(_LATEST, {"study_id": study.id, "kind": kind}).first()


def content_sha256(kind: str, content: Mapping[str, Any]) -> str:
    """By what a version knows its content again."""
    return content_hash(kind, json.dumps(content, sort_keys=True, ensure_ascii=False, allow_nan=False))


def publish(session: Session, study: Study, kind: str, content: dict[str, Any]) -> FormVersion:
    """The version that holds this content: the newest where it is the same, else one more.

    The caller holds the study against other writers.
    """
    sha256 = content_sha256(kind, content)
    latest = latest_version(session, study, kind)
    if latest is not None and latest.sha256 == sha256:
        return latest
    number = latest.number + 1 if latest else 1
    version = FormVersion(study_id=study.id, kind=kind, number=number, content=content, sha256=sha256)
    session.add(version)
    session.flush()
    return version


def publish_questionnaire(session: Session, study: Study) -> FormVersion:
    """The questionnaire as it stands now, as a version."""
    return publish(session, study, "questionnaire", questionnaire_content(session, study))


def shown_questionnaire(session: Session, study: Study) -> Shown | None:
    """The questionnaire's version that is shown now; None where there is none yet."""
    row = session.execute(_SHOWN, {"study_id": study.id, "kind": "questionnaire"}).first()
    return Shown(*row) if row else None


def questionnaire_id(session: Session, study: Study, shown: Shown | None, number: int | None = None) -> int:
    """The version of that number, which a page has shown; without one, or with one unknown, what is shown now.

    A study that was open before there were versions gets its first one here.
    """
    if shown is not None and number in (None, shown.number):
        return shown.id
    if number is not None and (known := _numbered(session, study, number)) is not None:
        return known
    if shown is None:
        session.scalars(select(Study.id).where(Study.id == study.id).with_for_update(key_share=True)).one()
        return publish_questionnaire(session, study).id
    return shown.id


def _numbered(session: Session, study: Study, number: int) -> int | None:
    mine = select(FormVersion.id).where(FormVersion.study_id == study.id, FormVersion.kind == "questionnaire")
    return session.scalar(mine.where(FormVersion.number == number))


def questionnaire_content(session: Session, study: Study) -> dict[str, Any]:
    """All that an annotator reads: the instructions, the instruments, their questions."""
    return {
        "instructions": study.instructions,
        "instruments": [
            instrument_content(each, questions_of(session, study.id, each.id))
            for each in instruments_of(session, study.id)
        ],
    }


def instrument_content(instrument: Instrument, questions: list[Question]) -> dict[str, Any]:
    """An instrument with its questions, as data."""
    return {
        "name": instrument.name,
        "title": instrument.title,
        "kind": instrument.kind,
        "instructions": instrument.instructions,
        "questions": [question_content(each) for each in questions],
    }


def question_content(question: Question) -> dict[str, Any]:
    """A question as data."""
    return {
        "name": question.name,
        "text": question.text,
        "kind": question.kind,
        "help": question.help,
        "required": question.required,
        "scale": question.scale,
    }
