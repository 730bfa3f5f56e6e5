"""One zip with all that is needed to see and recompute a study's numbers."""

import hashlib
import io
import json
import zipfile
from collections.abc import Iterable
from typing import BinaryIO

from sqlalchemy import select
from sqlalchemy.orm import Session

from app import __version__
from app.services.analysis import latest_analysis
from app.services.exports.flags import flag_rows
from app.services.exports.formats import csv_lines, jsonl_lines
from app.services.exports.tables import GRADE_COLUMNS, SCORE_COLUMNS, grade_rows, output_rows, score_rows
from app.storage.models import Question, Study

README = """\
{title}
{underline}

Exported from CodeJury {version}. {notice}

grades.csv     one row per current grade; the first columns (task, worker, label) are what crowd-kit reads.
               task is "problem|system"; where several systems wrote the same, it is the first of them and
               the column systems names all. Cells that a spreadsheet would take for a formula start with '.
grades.jsonl   the same rows, text exactly as stored
flags.jsonl    one row per item that an annotator flagged as broken, with the note
outputs.jsonl  one row per output with its problem and references; import it again with
               codejury import outputs outputs.jsonl --study NAME
scores.csv     one row per output and metric, with the signature of what made it; scores lie in 0-1
study.json     settings, seed and questions
analysis.json  the newest analysis, byte for byte; its "signature" says what made every number
SHA256SUMS     check with: sha256sum -c SHA256SUMS

Annotators appear by pseudonym only.
"""


def write_bundle(session: Session, study: Study, file: BinaryIO) -> int:
    """Write the zip; how many files it holds. The same state of the study gives the same bytes."""
    members = _members(session, study)
    sums = []
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, lines in members:
            sums.append(f"{_write_member(archive, name, lines)}  {name}\n")
        _write_member(archive, "SHA256SUMS", [line.encode() for line in sums])
    return len(sums) + 1


def _members(session: Session, study: Study) -> list[tuple[str, Iterable[bytes]]]:
    members: list[tuple[str, Iterable[bytes]]] = [
        ("README.txt", [_readme(study).encode()]),
        ("study.json", [_study_json(session, study).encode()]),
        ("outputs.jsonl", jsonl_lines(output_rows(session, study))),
        ("grades.csv", csv_lines(GRADE_COLUMNS, grade_rows(session, study))),
        ("grades.jsonl", jsonl_lines(grade_rows(session, study))),
        ("flags.jsonl", jsonl_lines(flag_rows(session, study))),
        ("scores.csv", csv_lines(SCORE_COLUMNS, score_rows(session, study))),
    ]
    analysis = latest_analysis(session, study)
    if analysis is not None:
        members.append(("analysis.json", [analysis.text.encode()]))
    return members


def _write_member(archive: zipfile.ZipFile, name: str, lines: Iterable[bytes]) -> str:
    info = zipfile.ZipInfo(name)  # dated 1980: the clock must not change the bytes
    info.compress_type = zipfile.ZIP_DEFLATED
    info.external_attr = 0o644 << 16
    digest = hashlib.sha256()
    with archive.open(info, "w") as member, io.BufferedWriter(member) as buffered:
        for line in lines:
            digest.update(line)
            buffered.write(line)
    return digest.hexdigest()


def _readme(study: Study) -> str:
    underline = "=" * len(study.title)
    return README.format(title=study.title, underline=underline, version=__version__, notice=study.notice).replace(
        " \n", "\n"
    )


def _study_json(session: Session, study: Study) -> str:
    questions = session.scalars(select(Question).where(Question.study_id == study.id).order_by(Question.position))
    about = {
        "slug": study.slug,
        "title": study.title,
        "description": study.description,
        "instructions": study.instructions,
        "notice": study.notice,
        "language": study.language,
        "state": study.state,
        "seed": study.seed,
        "grades_per_item": study.grades_per_item,
        "merge_identical": study.merge_identical,
        "include_references": study.include_references,
        "codebleu_variant": study.codebleu_variant,
        "questions": [{"name": each.name, "text": each.text, "scale": each.scale} for each in questions],
    }
    return json.dumps(about, ensure_ascii=False, indent=2) + "\n"
