"""One zip with all that is needed to see and recompute a study's numbers."""

import hashlib
import io
import json
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from sqlalchemy import select
from sqlalchemy.orm import Session

from app import __version__
from app.services.analysis import latest_analysis
from app.services.exports.flags import flag_rows
from app.services.exports.formats import csv_lines, jsonl_lines
from app.services.exports.tables import (
    GRADE_COLUMNS,
    SCORE_COLUMNS,
    Row,
    grade_rows,
    image_name,
    output_rows,
    problem_rows,
    score_rows,
)
from app.storage.files import FileStore, chunks_of
from app.storage.models import Annotator, Artifact, Problem, Question, Scoring, Study, System

README = """\
{title}
{underline}

Exported from CodeJury {version}. {notice}

grades.csv     one row per current grade; the first columns (task, worker, label) are what crowd-kit reads.
               task is "problem|system"; where several systems wrote the same, it is the first of them and
               the column systems names all. Cells that a spreadsheet would take for a formula start with '.
grades.jsonl   the same rows, text exactly as stored
flags.jsonl    one row per item that an annotator flagged as broken, with the note
problems.jsonl one row per problem, in order, with its references, context and tests
outputs.jsonl  one row per output with its problem and references
imported-scores.jsonl
               the scores of scores.csv that were computed elsewhere
images/        the problems' images, if there are any
scores.csv     one row per output and metric, with the signature of what made it; scores lie in 0-1
study.json     settings, seed, questions, systems, pseudonyms and the signatures of imported scores
analysis.json  the newest analysis, byte for byte; its "signature" says what made every number
SHA256SUMS     check with: sha256sum -c SHA256SUMS

Annotators appear by pseudonym only. The whole study comes back, as a draft, with

    codejury import bundle {file}

What is not in here: skipped items, notes to items, and what a grade was before it was changed.
"""


def write_bundle(session: Session, study: Study, files: FileStore, file: BinaryIO) -> int:
    """Write the zip; how many files it holds. The same state of the study gives the same bytes."""
    members = _members(session, study) + _images(session, study, files)
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
        ("problems.jsonl", jsonl_lines(problem_rows(session, study))),
        ("outputs.jsonl", jsonl_lines(output_rows(session, study))),
        ("grades.csv", csv_lines(GRADE_COLUMNS, grade_rows(session, study))),
        ("grades.jsonl", jsonl_lines(grade_rows(session, study))),
        ("flags.jsonl", jsonl_lines(flag_rows(session, study))),
        ("scores.csv", csv_lines(SCORE_COLUMNS, score_rows(session, study))),
        ("imported-scores.jsonl", jsonl_lines(_imported_scores(session, study))),
    ]
    analysis = latest_analysis(session, study)
    if analysis is not None:
        members.append(("analysis.json", [analysis.text.encode()]))
    return members


def _imported_scores(session: Session, study: Study) -> Iterator[Row]:
    for row in score_rows(session, study):
        if row["imported"]:
            yield {name: row[name] for name in ("problem", "system", "metric", "score")}


def _images(session: Session, study: Study, files: FileStore) -> list[tuple[str, Iterable[bytes]]]:
    rows = session.execute(
        select(Problem, Artifact.sha256)
        .join(Artifact, Artifact.id == Problem.image_id)
        .where(Problem.study_id == study.id)
        .order_by(Problem.position)
    )
    return [(image_name(problem), _bytes_of(files.path(sha256))) for problem, sha256 in rows]


def _bytes_of(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        yield from chunks_of(file)


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
    about = {"title": study.title, "notice": study.notice, "file": f"{study.slug}.zip"}
    return README.format(underline=underline, version=__version__, **about).replace(" \n", "\n")


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
        "claim_minutes": study.claim_minutes,
        "merge_identical": study.merge_identical,
        "include_references": study.include_references,
        "codebleu_variant": study.codebleu_variant,
        "questions": [{"name": each.name, "text": each.text, "scale": _scale(each)} for each in questions],
    } | _names(session, study)
    return json.dumps(about, ensure_ascii=False, indent=2) + "\n"


def _scale(question: Question) -> dict[str, Any]:
    """The scale, its keys in one order: PostgreSQL keeps its own."""
    keys = ("value", "key", "label", "description")
    return {"choices": [{key: each[key] for key in keys if key in each} for each in question.scale["choices"]]}


def _names(session: Session, study: Study) -> dict[str, Any]:
    """What the files of rows speak of, in its order: systems, annotators, and metrics computed elsewhere."""
    systems = select(System.name).where(System.study_id == study.id).order_by(System.position, System.id)
    annotators = session.execute(
        select(Annotator.pseudonym, Annotator.kind).where(Annotator.study_id == study.id).order_by(Annotator.id)
    )
    metrics = session.scalars(
        select(Scoring).where(Scoring.study_id == study.id, Scoring.imported.is_(True)).order_by(Scoring.id)
    )
    return {
        "systems": list(session.scalars(systems)),
        "annotators": [{"pseudonym": pseudonym, "kind": kind} for pseudonym, kind in annotators],
        "imported_metrics": [
            {"name": each.name, "label": each.label, "signature": each.signature} for each in metrics
        ],
    }
