"""Bundles that CodeJury 0.1 wrote before there were instruments still come back."""

import json

from sqlalchemy import select

from app.storage.models import Annotator, Grade, GradeEvent, Instrument, Question
from tests.exports.steps import exported, members
from tests.exports.test_bent_bundles import resummed
from tests.imports.helpers import Importer, zipped

CHOICES = [{"value": 0, "key": "0", "label": "No", "description": ""}, {"value": 1, "key": "1", "label": "Yes"}]
ABOUT = {
    "slug": "old",
    "title": "Old",
    "description": "",
    "instructions": "Read.",
    "notice": "N",
    "language": "java",
    "state": "closed",
    "seed": 2**62,
    "grades_per_item": 4,
    "claim_minutes": 30,
    "merge_identical": False,
    "include_references": True,
    "codebleu_variant": "published",
    "questions": [{"name": "useful", "text": "Useful?", "scale": {"choices": CHOICES}}],
    "systems": ["m", "n"],
    "annotators": [{"pseudonym": "B", "kind": "person"}, {"pseudonym": "A", "kind": "imported"}],
    "imported_metrics": [{"name": "mine", "label": "Mine", "signature": "mine|imported"}],
}
AT = "2026-01-02T03:04:05Z"
GRADE = {"question": "useful", "problem": "p", "systems": "m", "surplus": False, "created_at": AT, "updated_at": AT}
FILES = {
    "problems.jsonl": [
        {"problem": "p", "intent": "i", "context": None, "tests": None, "references": ["r"], "image": None}
    ],
    "outputs.jsonl": [{"problem": "p", "system": name, "output": "=x\r\n"} for name in "mn"],
    "grades.jsonl": [
        {"task": "p|m", "worker": "B", "label": 1, "system": "m", "is_reference": False, **GRADE},
        {"task": "p|reference", "worker": "A", "label": 0, "system": "reference", "is_reference": True, **GRADE},
    ],
    "imported-scores.jsonl": [{"problem": "p", "system": "m", "metric": "mine", "score": 0.25}],
}


def test_the_first_format_still_comes_back(importer: Importer) -> None:
    files = {name: "".join(json.dumps(row) + "\n" for row in rows).encode() for name, rows in FILES.items()}
    files["study.json"] = json.dumps(ABOUT).encode()
    result = importer.good({"old.zip": zipped(resummed(files))}, "bundle", title=None, seed=None)
    assert result["added"] == {
        "problems": 1,
        "systems": 2,
        "outputs": 2,
        "grades": 2,
        "annotators": 2,
        "scores": 1,
        **({"variants": 0} if "variants" in result["added"] else {}),
    }
    with importer.database.read() as session:
        assert session.scalars(select(Instrument.kind)).all() == ["output"]
        question = session.scalars(select(Question)).one()
        assert (question.name, question.kind) == ("useful", "choice")
        assert session.scalars(select(Annotator.kind).order_by(Annotator.id)).all() == ["person", "imported"]
        assert session.scalars(select(Grade.value).order_by(Grade.value)).all() == [0, 1]
        assert set(session.scalars(select(GradeEvent.kind))) == {"import"}
    again = members(exported(importer, "old"))
    about = json.loads(again["study.json"])
    assert about["format"] == 2
    assert {name: about[name] for name in ("seed", "language", "codebleu_variant", "claim_minutes")} == {
        name: ABOUT[name] for name in ("seed", "language", "codebleu_variant", "claim_minutes")
    }
    assert [json.loads(line)["label"] for line in again["grades.jsonl"].splitlines()] == [1, 0]
