"""A bundle whose rows were changed, checksums and all: what can't be true is refused with its file and row."""

import hashlib
import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from sqlalchemy import select

from app.storage.models import Grade, Study, VariantScore
from tests.exports.steps import members
from tests.imports.helpers import Importer, zipped

pytestmark = pytest.mark.sqlite_is_enough
Row = dict[str, Any]
SCORES = "change-scores.jsonl"


def resummed(files: dict[str, bytes]) -> dict[str, bytes]:
    """The files with the checksums that they have now."""
    sums = [f"{hashlib.sha256(data).hexdigest()}  {name}\n" for name, data in files.items() if name != "SHA256SUMS"]
    return files | {"SHA256SUMS": "".join(sums).encode()}


def bent(bundle: bytes, file: str, which: Callable[[Row], bool], change: Row) -> tuple[bytes, int]:
    """The bundle with the first row that is meant changed, and that row's number."""
    files = members(bundle)
    rows = [json.loads(line) for line in files[file].splitlines()]
    number = next(number for number, row in enumerate(rows) if which(row))
    rows[number] |= change
    files[file] = "".join(json.dumps(row) + "\n" for row in rows).encode()
    return zipped(resummed(files)), number + 1


def any_row(row: Row) -> bool:
    return bool(row)


def asks(question: str) -> Callable[[Row], bool]:
    return lambda row: row["question"] == question


def helpful(row: Row) -> bool:
    return asks("helpfulness")(row)


def helpful_and_not(label: float) -> Callable[[Row], bool]:
    return lambda row: helpful(row) and row["label"] != label


def test_a_time_without_a_zone_is_utc(importer: Importer, whole_bundle: bytes) -> None:
    data, _ = bent(whole_bundle, "grades.jsonl", any_row, {"submitted_at": "2026-01-02T03:04:05"})
    importer.good({"b.zip": data}, "bundle", title="Bent")
    with importer.database.read() as session:
        first = session.scalars(select(Grade.created_at).order_by(Grade.created_at)).first()
    assert first == datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


@pytest.mark.parametrize(
    ("file", "which", "change", "message"),
    [
        (
            "grades.jsonl",
            any_row,
            {"submitted_at": "9999-12-31T23:59:59-23:00"},
            "submitted_at: 9999-12-31T23:59:59-23:00 lies too far from today",
        ),
        ("grades.jsonl", helpful, {"label": 7}, "helpfulness: An answer is one of 0, 1, 2, 3, 4."),
        ("grades.jsonl", helpful, {"label": 0.5}, "helpfulness: An answer is one of 0, 1, 2, 3, 4."),
        ("grades.jsonl", helpful, {"label": 1e308}, "helpfulness: An answer is one of 0, 1, 2, 3, 4."),
        ("grades.jsonl", helpful, {"text": "four"}, "The answer to helpfulness is a number, and has no text."),
        ("grades.jsonl", asks("labels"), {"text": "wrong"}, "labels: It is no JSON list of labels."),
        ("grades.jsonl", asks("labels"), {"text": '["odd"]'}, "labels: An answer is some of: "),
        ("grades.jsonl", asks("labels"), {"label": 1}, "The answer to labels stands in text, and has no number."),
        ("grades.jsonl", helpful, {"question": "fluency"}, "helpfulness asks no question 'fluency'"),
        ("grades.jsonl", any_row, {"swapped": "yes"}, "swapped: Expected true or false."),
        ("grades.jsonl", any_row, {"lable": 3}, "lable: Nothing of this name belongs here."),
        ("grades.jsonl", helpful_and_not(2), {"label": 2}, "another answer than the last one in events.jsonl"),
        ("grades.jsonl", helpful, {"label": True}, "label: Expected a number."),
        ("grades.jsonl", helpful, {"label": "3"}, "label: Expected a number."),
        ("grades.jsonl", any_row, {"submitted_at": 12345}, "submitted_at: Expected a time such as 2026-"),
        ("grades.jsonl", any_row, {"submitted_at": "12345"}, "submitted_at: Expected a time such as 2026-"),
        ("events.jsonl", helpful, {"value": True}, "value: Expected a number."),
        ("events.jsonl", helpful, {"value": 9}, "helpfulness: An answer is one of 0, 1, 2, 3, 4."),
        ("events.jsonl", helpful, {"previous": 0.5}, "helpfulness: An answer is one of 0, 1, 2, 3, 4."),
        (SCORES, any_row, {"problem": "p9"}, "The bundle has no variant butter fingers."),
        (SCORES, any_row, {"seed": 77}, "The bundle has no variant butter fingers."),
        (SCORES, any_row, {"check": "cosine_taste"}, "No automatic check is called 'cosine_taste'. Import it with"),
        (SCORES, any_row, {"score": "0.5"}, "score: Expected a number."),
        (SCORES, any_row, {"score": True}, "score: Expected a number."),
        (SCORES, any_row, {"score": float("nan")}, "NaN"),
        (SCORES, any_row, {"score": float("inf")}, "Infinity"),
        (SCORES, any_row, {"score": 1.01}, "score: The most is 1"),
        (SCORES, any_row, {"score": -0.01}, "score: The least is 0"),
        (SCORES, any_row, {"signature": ""}, "signature: It is empty."),
        (SCORES, any_row, {"mean": 1}, "mean: Nothing of this name belongs here."),
        ("events.jsonl", lambda row: row["kind"] == "flag", {"value": 2}, "There is an answer, and no question."),
    ],
)
def test_what_can_not_be_is_refused_with_its_row(
    importer: Importer,
    whole_bundle: bytes,
    file: str,
    which: Callable[[Row], bool],
    change: Row,
    message: str,
) -> None:
    data, number = bent(whole_bundle, file, which, change)
    told = importer.bad({"b.zip": data}, "bundle", title="Bent")
    assert message in told
    assert f"{file}, row {number}" in told
    with importer.database.read() as session:
        assert session.scalars(select(Study.slug)).all() == []


def test_a_row_that_stands_twice_is_named_with_the_first_one(importer: Importer, whole_bundle: bytes) -> None:
    files = members(whole_bundle)
    count = files["grades.jsonl"].count(b"\n")
    files["grades.jsonl"] += files["grades.jsonl"].splitlines(keepends=True)[4]
    told = importer.bad({"b.zip": zipped(resummed(files))}, "bundle", title="Bent")
    assert "grades.jsonl holds something twice" in told
    assert f"grades.jsonl, row {count + 1}: Row 5 says the same" in told


def test_a_change_has_one_score_by_a_check(importer: Importer, whole_bundle: bytes) -> None:
    files = members(whole_bundle)
    rows = files[SCORES].splitlines(keepends=True)
    files[SCORES] += json.dumps(json.loads(rows[1]) | {"score": 0.25, "signature": "another"}).encode() + b"\n"
    told = importer.bad({"b.zip": zipped(resummed(files))}, "bundle", title="Bent")
    assert f"{SCORES}, row {len(rows) + 1}: Row 2 says the same" in told
    with importer.database.read() as session:
        assert session.scalars(select(Study.slug)).all() == session.scalars(select(VariantScore.name)).all() == []


def test_a_file_without_a_checksum_is_refused(importer: Importer, whole_bundle: bytes) -> None:
    files = members(whole_bundle)
    lines = files["SHA256SUMS"].splitlines(keepends=True)
    files["SHA256SUMS"] = b"".join(line for line in lines if SCORES.encode() not in line)
    told = importer.bad({"b.zip": zipped(files)}, "bundle", title="Bent")
    assert f"{SCORES}: It is missing, or has no checksum." in told


def test_a_response_that_stands_twice_is_refused(importer: Importer, whole_bundle: bytes) -> None:
    files = members(whole_bundle)
    rows = files["responses.jsonl"].splitlines(keepends=True)
    files["responses.jsonl"] += rows[1]
    told = importer.bad({"b.zip": zipped(resummed(files))}, "bundle", title="Bent")
    assert f"responses.jsonl, row {len(rows) + 1}: This stands in the file already. Export the study again." in told
    assert "Found one error:" in told


@pytest.mark.parametrize("text", ["a\0b", "a\ud800b"])
def test_a_text_that_can_not_be_stored_is_told_alone(importer: Importer, whole_bundle: bytes, text: str) -> None:
    """Rows that speak of the problem are right: there is such a problem."""
    data, _ = bent(whole_bundle, "problems.jsonl", any_row, {"context": text})
    told = importer.bad({"b.zip": data}, "bundle", title="Bent")
    assert "Found one error:" in told
    assert "problems.jsonl, row 1: context: Character 2" in told
