"""What people say of changes and how checks fare beside them: numbers worked by hand from grades that are known."""

from typing import Any

import pytest

from app.services.agreement import find_measurement
from app.services.naturalness.runs import request_checks
from app.services.perturbing import find_set
from app.services.studies import find_study
from app.storage.engine import Database
from app.storage.models import Run
from tests.naturalness.conftest import SET, give_scores, grade_all, make_survey, measure
from tests.perturbing.conftest import Work


def _document(database: Database) -> dict[str, Any]:
    with database.read() as session:
        stored = find_measurement(session, find_study(session, "natural"), "naturalness")
    assert stored is not None
    return stored.document


@pytest.fixture
def document(perturbed: Database, work: Work) -> dict[str, Any]:
    with perturbed.write() as session:
        grade_all(session, make_survey(session))
        give_scores(session, "cosine_code", {"docstring": 0.2, "function_name": 0.5, "format": 0.9})
        give_scores(session, "codebleu_syntax", {"docstring": 0.5, "function_name": 0.5, "format": 0.9})
        give_scores(session, "codebleu_dataflow", {"docstring": 0.9, "function_name": 0.5, "format": 0.5})
    measure(perturbed, work)
    return _document(perturbed)


def test_people_by_category(document: dict[str, Any]) -> None:
    """Two items of each category; both questions get the same grades."""
    table = document["survey"]["categories"]["table"]
    rows = {(row["question"], row["prompts"], row["transformation"]): row for row in table["rows"]}
    means = {key: row["mean"]["value"] for key, row in rows.items()}
    for question in ("naturalness", "similarity"):
        assert means[question, "perturbed", None] == pytest.approx(2 / 3)
        by_category = [means[question, "perturbed", name] for name in ("docstring", "function_name", "format")]
        assert by_category == [0.25, 0.75, 1.0]
    assert means["naturalness", "nominal", None] == 1.0
    assert list(rows)[2:5] == [("naturalness", "perturbed", n) for n in ("docstring", "function_name", "format")]
    pooled = rows["naturalness", "perturbed", None]
    assert [each["share"]["value"] for each in pooled["shares"]] == pytest.approx([1 / 6, 1 / 3, 1 / 2])
    # Two of six items agree; by chance (1 + 4 + 9) / 36 would: (1/3 − 7/18) / (11/18).
    assert pooled["kappa"]["value"] == pytest.approx(-1 / 11)
    assert (pooled["items"], pooled["grades"]) == (6, 12)
    majorities = {(row["question"], row["stratum"]): row for row in document["survey"]["categories"]["majorities"]}
    assert majorities["naturalness", "format"]["labels"][-1]["share"]["count"] == 2
    assert majorities["naturalness", "docstring"]["none"]["count"] == 2


def test_people_by_transformation(document: dict[str, Any]) -> None:
    rows = document["survey"]["transformations"]["table"]["rows"]
    found = {row["transformation"]: row["mean"]["value"] for row in rows if row["question"] == "similarity"}
    assert found == {
        None: pytest.approx(2 / 3),
        "docstring/Shout": 0.25,
        "function_name/Rename": 0.75,
        "format/Remark": 1.0,
    }


def test_checks_beside_people(document: dict[str, Any]) -> None:
    """People find fault with the two docstrings of six items: more than half of their grades are at most 0.5."""
    for question in ("naturalness", "similarity"):
        found = {each["check"]: each for each in document["checks"][question]["checks"]}
        assert {name: (each["items"], each["unnatural"]) for name, each in found.items()} == dict.fromkeys(
            found, (6, 2)
        )
        aucs = {name: each["auc"]["value"] for name, each in found.items()}
        # Of the eight pairs syntax orders four as people do, and ties four.
        assert aucs == {"cosine_code": 1.0, "codebleu_syntax": 0.75, "codebleu_dataflow": 0.0}
        differences = {
            (each["first"], each["second"]): each["difference"]["value"]
            for each in document["checks"][question]["differences"]
        }
        assert differences["codebleu_syntax", "codebleu_dataflow"] == 0.75
        assert differences["codebleu_syntax", "cosine_code"] == -0.25
    assert document["signatures"]["cosine_code"] == "cosine_code"


def test_a_later_check_of_the_set_makes_it_stale(perturbed: Database, work: Work) -> None:
    with perturbed.write() as session:
        grade_all(session, make_survey(session))
    measure(perturbed, work)
    assert _document(perturbed)["checks"]["naturalness"]["checks"] == []

    def is_stale() -> bool:
        with perturbed.read() as session:
            found = find_measurement(session, find_study(session, "natural"), "naturalness")
        assert found is not None
        return found.stale

    assert not is_stale()
    with perturbed.write() as session:
        give_scores(session, "codebleu_syntax", {"format": 0.5})
        run = request_checks(session, find_set(session, SET))
        session.get_one(Run, run.id).state = "done"
    assert is_stale()
    measure(perturbed, work)
    assert not is_stale()
    (check,) = _document(perturbed)["checks"]["naturalness"]["checks"]
    assert (check["items"], check["auc"]["value"]) == (2, None)
