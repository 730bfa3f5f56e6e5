"""What programs do with perturbed sets."""

import pytest
from sqlalchemy import select

from app.storage.engine import Database
from app.storage.models import AuditEvent, Benchmark
from tests.api.conftest import Program
from tests.perturbing.conftest import Work, make_parent, rules, work
from tests.perturbing.released import make_folder

__all__ = ["rules", "work"]

V1 = "/api/v1/benchmarks"


@pytest.fixture(autouse=True)
def parent(database: Database, program: Program) -> None:
    """A benchmark beside those of the world."""
    with database.write() as session:
        make_parent(session, name="Parent")


def _last_event(database: Database) -> tuple[str, object]:
    with database.read() as session:
        event = session.scalars(select(AuditEvent).order_by(AuditEvent.id.desc()).limit(1)).one()
        return event.action, event.details["benchmark"]


def test_transformations_are_listed_with_what_is_missing(program: Program) -> None:
    items = program("researcher", "studies:read").get("/api/v1/perturbations").json()["items"]
    assert [each["name"] for each in items] == [
        *("docstring/Shout", "function_name/Rename", "syntax/Absent", "format/Remark"),
    ]
    assert items[0] == {
        "name": "docstring/Shout",
        "category": "docstring",
        "random": True,
        "form": "whole",
        "modes": ["paper", "released"],
        "languages": ["python"],
        "missing": None,
    }
    assert items[2]["missing"] == "There is no model; install one."


def test_a_set_is_made_extended_and_read(program: Program, database: Database, work: Work) -> None:
    client = program("admin")
    wanted = {"seeds": 1, "transformations": ["docstring/Shout"]}
    once = {"Idempotency-Key": "set-1"}
    made = client.post(f"{V1}/parent/perturbations", json=wanted, headers=once)
    assert made.status_code == 202, made.text
    assert client.post(f"{V1}/parent/perturbations", json=wanted, headers=once).json() == made.json()
    assert _last_event(database) == ("perturbed set requested", "parent-perturbed")
    work.all()
    at = f"{V1}/parent-perturbed/perturbations"
    summary = client.get(at).json()
    assert (summary["parent"], summary["mode"], summary["is_complete"]) == ("parent", "paper", True)
    shout = summary["transformations"][0]
    assert (shout["changed"], shout["unchanged"]) == (2, {"It is loud already.": 1})
    assert (shout["canonical_judged"], shout["canonical_passed"], shout["failing"]) == (2, 2, [])
    more = client.post(f"{at}/more", json={"seeds": 2, "categories": ["function_name"]})
    assert more.status_code == 202, more.text
    assert _last_event(database) == ("perturbed set extended", "parent-perturbed")
    assert client.post(f"{at}/more", json={"seeds": 2}).status_code == 409
    work.all()
    names = client.get(at).json()["transformations"][1]
    assert names["odd"] == {"old_name": ["b/2 · function_name/Rename · 0"]}
    assert [each["task_id"] for each in names["failing"]] == ["b/2 · function_name/Rename · 0"]
    asked = {"task_id": "b/0", "transformation": "docstring/Shout", "seed": 1}
    pair = client.get(f"{at}/pair", params=asked).json()
    assert (pair["original"]["task_id"], pair["changed"]["task_id"]) == ("b/0", "b/0 · docstring/Shout · 1")
    assert pair["changed"]["prompt"] == pair["original"]["prompt"].replace("Return", "RETURN!")
    assert client.get(f"{at}/pair", params=asked | {"seed": 9}).status_code == 404
    problems = f"{V1}/parent-perturbed/problems"
    assert len(client.get(problems).json()["items"]) == 3
    assert len(client.get(problems, params={"variants": True}).json()["items"]) == 3 + 6 + 3
    benchmark = client.get(f"{V1}/parent-perturbed").json()
    assert (benchmark["problems"], benchmark["variants"], benchmark["layout"]) == (3, 9, "recode")


@pytest.mark.sqlite_is_enough
def test_what_can_not_be_made_is_refused(program: Program, database: Database) -> None:
    client = program("admin")
    absent = client.post(f"{V1}/parent/perturbations", json={"transformations": ["syntax/Absent"]})
    assert (absent.status_code, "There is no model" in absent.text) == (422, True)
    assert client.get(f"{V1}/parent/perturbations").status_code == 422  # no set
    with database.read() as session:
        assert session.scalar(select(Benchmark.id).where(Benchmark.slug == "parent-perturbed")) is None


def test_a_released_folder_is_imported_as_a_set(program: Program, work: Work) -> None:
    client = program("admin")
    sent = {"content": make_folder().zipped(), "headers": {"Content-Type": "application/zip"}}
    done = client.post(V1, **sent)
    assert done.status_code == 201, done.text
    assert done.json()["run"]["kind"] == "perturbing"
    work.all()
    slug = done.json()["benchmark"]["benchmark"]
    assert client.get(f"{V1}/{slug}/perturbations").json()["mode"] == "imported"
    assert client.post(V1, **sent).json()["is_new"] is False
    bad = make_folder()
    bad.files["nominal/HumanEval.jsonl"] = "{"
    refused = client.post(V1, content=bad.zipped(), headers={"Content-Type": "application/zip"})
    assert refused.status_code == 422
    assert refused.json()["problems"][0]["file"] == "nominal/HumanEval.jsonl"
