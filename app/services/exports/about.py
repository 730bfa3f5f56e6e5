"""study.json: the settings, what is asked, and the names that the files of rows speak of."""

import json
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from app import __version__
from app.services.exports.formats import Row, iso
from app.services.questionnaires.instruments import instruments_of, questions_of
from app.services.questionnaires.scales import scale_of
from app.services.study_options import options_of
from app.storage.models import Instrument, Question, Scoring, Study, System

FORMAT = 2


def study_json(session: Session, study: Study, *, is_template: bool = False, with_material: bool = True) -> bytes:
    """The file; of a template without what was graded, and without systems where it has no material."""
    about: dict[str, Any] = {"format": FORMAT, "codejury": __version__, "template": is_template}
    about |= _settings(study)
    if not is_template:
        about |= {"state": study.state, "opened_at": iso(study.opened_at), "closed_at": iso(study.closed_at)}
    if study.set_slug is not None and with_material:
        about["perturbed_set"] = study.set_slug
    about |= {
        "instruments": [_instrument(session, each) for each in instruments_of(session, study.id)],
        "systems": _systems(session, study) if with_material else [],
        "imported_metrics": [] if is_template else _imported_metrics(session, study),
    }
    return (json.dumps(about, ensure_ascii=False, indent=2) + "\n").encode()


def _settings(study: Study) -> dict[str, Any]:
    return {
        "slug": study.slug,
        "title": study.title,
        "description": study.description,
        "instructions": study.instructions,
        "notice": study.notice,
        "message": study.message,
        "language": study.language,
        "seed": study.seed,
        "grades_per_item": study.grades_per_item,
        "claim_minutes": study.claim_minutes,
        "merge_identical": study.merge_identical,
        "include_references": study.include_references,
        "codebleu_variant": study.codebleu_variant,
        "options": options_of(study).model_dump(mode="json"),
    }


def _instrument(session: Session, instrument: Instrument) -> Row:
    return {
        "name": instrument.name,
        "title": instrument.title,
        "kind": instrument.kind,
        "instructions": instrument.instructions,
        "grades_per_item": instrument.grades_per_item,
        "questions": [_question(each) for each in questions_of(session, instrument.study_id, instrument.id)],
    }


def _question(question: Question) -> Row:
    return {
        "name": question.name,
        "text": question.text,
        "kind": question.kind,
        "help": question.help,
        "required": question.required,
        # Parsed, so that its keys stand in one order: PostgreSQL keeps its own.
        "scale": scale_of(question).model_dump(mode="json"),
    }


def _systems(session: Session, study: Study) -> list[str]:
    names = select(System.name).where(System.study_id == study.id).order_by(System.position, System.id)
    return list(session.scalars(names))


def _imported_metrics(session: Session, study: Study) -> list[Row]:
    metrics = session.scalars(
        select(Scoring).where(Scoring.study_id == study.id, Scoring.imported.is_(True)).order_by(Scoring.id)
    )
    return [{"name": each.name, "label": each.label, "signature": each.signature} for each in metrics]
