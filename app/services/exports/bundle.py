"""One zip with all that is needed to see and recompute a study's numbers."""

from collections.abc import Iterable
from typing import BinaryIO

from sqlalchemy import select
from sqlalchemy.orm import Session

from app import __version__
from app.services.agreement import all_documents
from app.services.analysis import latest_analysis
from app.services.desk.decision_log import DECISION_COLUMNS, decision_rows
from app.services.exports.about import study_json
from app.services.exports.archives import Members, Tick, image_members, write_archive
from app.services.exports.change_scores import change_score_members
from app.services.exports.chart_tables import table_members
from app.services.exports.consensus_table import CONSENSUS_COLUMNS, consensus_rows
from app.services.exports.flags import flag_rows
from app.services.exports.formats import csv_lines, jsonl_lines
from app.services.exports.grade_table import GRADE_COLUMNS, grade_rows, skip_rows
from app.services.exports.people_rows import annotator_rows, assignment_rows, event_rows, form_rows, response_rows
from app.services.exports.readme import Private, bundle_readme
from app.services.exports.tables import (
    SCORE_COLUMNS,
    imported_score_rows,
    item_rows,
    output_rows,
    problem_rows,
    score_rows,
    variant_rows,
)
from app.storage.files import Files
from app.storage.models import Analysis, Study

ABOUT_PEOPLE = ("profile", "closing")  # forms whose answers may tell who somebody is


def write_bundle(
    session: Session,
    study: Study,
    files: Files,
    file: BinaryIO,
    *,
    private: Private | None = None,
    tick: Tick = lambda _: None,
) -> int:
    """Write the zip; how many lines its files have. The same state of the study gives the same bytes."""
    return write_archive(
        file, _members(session, study, private or Private()) + image_members(session, study, files), tick
    )


def _members(session: Session, study: Study, private: Private) -> Members:
    forms = ("consent", *(ABOUT_PEOPLE if private.answers_about_people else ()))
    rows: list[tuple[str, Iterable[dict[str, object]]]] = [
        ("problems", problem_rows(session, study)),
        ("variants", variant_rows(session, study)),
        ("items", item_rows(session, study)),
        ("outputs", output_rows(session, study)),
        ("forms", form_rows(session, study)),
        ("annotators", annotator_rows(session, study, identified=private.platform_ids)),
        ("responses", response_rows(session, study, forms)),
        ("assignments", assignment_rows(session, study)),
        ("grades", grade_rows(session, study)),
        ("skips", skip_rows(session, study)),
        ("events", event_rows(session, study)),
        ("flags", flag_rows(session, study)),
        ("imported-scores", imported_score_rows(session, study)),
    ]
    analysis, measurements = latest_analysis(session, study), all_documents(session, study)
    readme = bundle_readme(study, __version__, private=private, analysis=analysis, measurements=measurements)
    return [
        ("README.txt", [readme]),
        ("study.json", [study_json(session, study)]),
        *((f"{name}.jsonl", jsonl_lines(each)) for name, each in rows),
        *change_score_members(session, study),
        ("grades.csv", csv_lines(tuple(GRADE_COLUMNS), grade_rows(session, study))),
        ("skips.csv", csv_lines(tuple(GRADE_COLUMNS), skip_rows(session, study))),
        ("scores.csv", csv_lines(SCORE_COLUMNS, score_rows(session, study))),
        ("consensus.csv", csv_lines(CONSENSUS_COLUMNS, consensus_rows(session, study))),
        ("decisions.csv", csv_lines(DECISION_COLUMNS, decision_rows(session, study))),
        *table_members(session, study),
        *_analyses(session, study),
        *_measurements(session, study),
    ]


def _measurements(session: Session, study: Study) -> Members:
    """Agreement, survey and precision as last measured."""
    text = all_documents(session, study)
    return [] if text is None else [("measurements.json", [text.encode()])]


def _analyses(session: Session, study: Study) -> Members:
    """The newest as analysis.json, those before it by the beginning of their fingerprints."""
    newest = latest_analysis(session, study)
    if newest is None:
        return []
    others = session.execute(
        select(Analysis.fingerprint, Analysis.result)
        .where(Analysis.study_id == study.id, Analysis.id != newest.id)
        .order_by(Analysis.fingerprint)
    )
    earlier: Members = [(f"analyses/{mark[:16]}.json", [text.encode()]) for mark, text in others]
    return [("analysis.json", [newest.text.encode()]), *earlier]
