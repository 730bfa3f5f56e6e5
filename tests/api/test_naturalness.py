"""What programs do about the naturalness of a perturbed set's changes."""

from app.storage.engine import Database
from tests.api.conftest import Program
from tests.naturalness.conftest import give_scores, make_set
from tests.perturbing.conftest import Work, rules, work

__all__ = ["rules", "work"]


def test_a_survey_is_drawn_and_made_and_checks_are_asked_for(
    program: Program, database: Database, work: Work
) -> None:
    make_set(database, work, "Parent")
    client, at = program("admin"), "/api/v1/benchmarks/parent-perturbed"
    wanted = {"unperturbed": 4, "perturbed": 6, "pairs": 3, "seed": 7}
    drawn = client.post(f"{at}/survey/check", json=wanted).json()
    assert (drawn["unperturbed"], drawn["perturbed"], drawn["pairs"], drawn["shared"]) == (4, 6, 3, 0)
    once = {"Idempotency-Key": "survey-1"}
    made = client.post(f"{at}/survey", json=wanted | {"title": "Natural?"}, headers=once)
    assert made.status_code == 201, made.text
    assert made.json() == {"studies": ["natural"], "drawn": drawn}
    assert client.post(f"{at}/survey", json=wanted | {"title": "Natural?"}, headers=once).json() == made.json()
    assert client.post(f"{at}/survey", json={"title": "T", "transformations": ["no"]}).status_code == 422
    with database.write() as session:
        give_scores(session, "codebleu_syntax", {"format": 0.5})
    checks = client.get(f"{at}/checks").json()
    assert (checks["changed"], checks["scored"], checks["run"]) == (46, 12, None)
    assert checks["categories"][0]["mean"]["value"] == 0.5
    run = client.post(f"{at}/checks")
    assert (run.status_code, run.json()["kind"]) == (202, "change_checks")
