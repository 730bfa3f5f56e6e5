"""What programs do with benchmarks and generations, with the real sandbox."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from sqlalchemy import select

from app.config import Settings
from app.language_models import loaded
from app.services import runs
from app.services.benchmarks import find_benchmark
from app.services.generation.parameters import GenerationParameters
from app.services.generation.requests import create_once
from app.storage.engine import Database
from app.storage.models import Run
from tests.api.conftest import Program
from tests.benchmark_pages.conftest import COMPLETIONS, PROBLEMS, as_lines

NDJSON = {"Content-Type": "application/x-ndjson"}
V1 = "/api/v1"


def _work(database: Database, settings: Settings) -> None:
    while True:
        with database.read() as session:
            waiting = select(Run.id).where(Run.state == "queued", Run.kind.in_(("execution", "generation")))
            run_id = session.scalar(waiting.order_by(Run.id).limit(1))
        if run_id is None:
            loaded.close()
            return
        assert runs.execute(database, settings, run_id)


def test_from_a_file_to_a_study(program: Program, database: Database, settings: Settings) -> None:
    client = program("admin")
    sent: dict[str, Any] = {"params": {"name": "Tiny"}, "content": as_lines(PROBLEMS)}
    first = client.post(f"{V1}/benchmarks", **sent, headers=NDJSON | {"Idempotency-Key": "k1"})
    again = client.post(f"{V1}/benchmarks", **sent, headers=NDJSON | {"Idempotency-Key": "k1"})
    assert first.status_code == 201, first.text
    assert again.json() == first.json()
    assert client.post(f"{V1}/benchmarks", **sent, headers=NDJSON).json()["is_new"] is False
    _work(database, settings)
    benchmark = client.get(f"{V1}/benchmarks/tiny").json()
    assert benchmark["canonical_solutions"] == {"total": 3, "judged": 3, "passed": 2}
    assert client.get(f"{V1}/benchmarks").json()["items"][0] == benchmark
    problems = client.get(f"{V1}/benchmarks/tiny/problems", params={"limit": 2}).json()
    assert [each["task_id"] for each in problems["items"]] == ["Tiny/0", "Tiny/1"]
    assert problems["next"]
    made = client.post(
        f"{V1}/benchmarks/tiny/completions",
        params={"label": "theirs"},  # all samples that the file holds
        content=as_lines(COMPLETIONS),
        headers=NDJSON,
    ).json()
    _work(database, settings)
    at = f"{V1}/generations/{made['generation']}"
    generation = client.get(at).json()
    assert (generation["written"], generation["failed"], generation["total"]) == (5, 1, 6)
    assert generation["verdicts"] == {"passed": 2, "failed": 2, "error": 1}
    assert client.get(f"{V1}/benchmarks/tiny/generations").json()["items"] == [generation]
    rows, cursor = [], None
    while True:
        page = client.get(f"{at}/completions", params={"limit": 2} | ({"cursor": cursor} if cursor else {})).json()
        rows += page["items"]
        cursor = page["next"]
        if cursor is None:
            break
    assert len({row["id"] for row in rows}) == 6
    passed = client.get(f"{at}/completions", params={"verdict": "passed"}).json()["items"]
    assert passed == [row for row in rows if row["verdict"] == "passed"]
    ran = client.post(f"{at}/execute", json={"again": True})
    assert ran.status_code == 202
    assert client.post(f"{at}/execute", json={}).status_code == 409
    _work(database, settings)
    study = client.post(f"{V1}/benchmarks/tiny/study", json={"title": "Graded", "generations": [made["generation"]]})
    assert study.status_code == 201, study.text
    assert study.json()["study"]["progress"]["outputs"] == 3


def test_the_same_completions_are_one_generation(program: Program, database: Database, settings: Settings) -> None:
    """Sent again it goes on: nothing is written twice. Another label or rule is another one."""
    client = program("admin")
    client.post(f"{V1}/benchmarks", params={"name": "Tiny"}, content=as_lines(PROBLEMS), headers=NDJSON)

    def send(**params: str) -> dict[str, Any]:
        sent = client.post(
            f"{V1}/benchmarks/tiny/completions", params=params, content=as_lines(COMPLETIONS), headers=NDJSON
        )
        assert sent.status_code == 201, sent.text
        found: dict[str, Any] = sent.json()
        return found

    first, waiting = send(), send()
    assert (first["is_new"], waiting["is_new"]) == (True, False)
    _work(database, settings)
    again = send()
    assert {first["generation"]} == {waiting["generation"], again["generation"]}
    assert (again["written"], again["is_new"]) == (5, False)
    assert [send(label="other")["is_new"], send(cut_rule="none")["is_new"]] == [True, True]
    asked = {"model": {"name": "a/b"}, "one_sample": True}
    made = [client.post(f"{V1}/benchmarks/tiny/generations", json=asked).json() for _ in range(2)]
    assert [each["is_new"] for each in made] == [True, False]
    assert made[0]["generation"] == made[1]["generation"]


def test_two_that_ask_at_once_make_one_generation(program: Program, database: Database) -> None:
    client = program("admin")
    client.post(f"{V1}/benchmarks", params={"name": "Tiny"}, content=as_lines(PROBLEMS), headers=NDJSON)
    wanted = GenerationParameters(spec={"backend": "hugging_face", "name": "a/b"}, label="ab")

    def ask(_: int) -> int:
        with database.write() as session:
            return create_once(session, find_benchmark(session, "tiny"), wanted, actor="tests").id

    with ThreadPoolExecutor(4) as threads:
        assert len(set(threads.map(ask, range(4)))) == 1


@pytest.mark.sqlite_is_enough
def test_an_estimate_and_what_is_refused(program: Program) -> None:
    client = program("admin")
    client.post(f"{V1}/benchmarks", params={"name": "Tiny"}, content=as_lines(PROBLEMS), headers=NDJSON)
    at = f"{V1}/benchmarks/tiny/generations"
    asked = {"model": {"name": "a/b"}, "samples": 4, "temperature": 0.5, "max_tokens": 10}
    cost = client.post(f"{at}/estimate", json=asked).json()
    assert (cost["completions"], cost["most_tokens"], cost["likely_seconds"]) == (12, 120, None)
    assert client.post(f"{at}/estimate", json=asked | {"first": 1}).json()["completions"] == 4
    made = client.post(at, json=asked | {"stop": ["\ndef"]})
    assert made.json()["sampling"]["stop"] == ["\ndef"]  # its line end counts
    refused = {
        "samples": {"model": {"name": "a/b"}, "samples": 4},
        "label": {"model": {"name": "a/b"}, "label": "a\tb\nc"},
        "model": {"model": {"name": "a/b", "backend": "openai"}},
        "model.key_variable": {"model": {"name": "a/b", "key_variable": "DATABASE_URL"}},
        "model.trust_remote_code": {"model": {"name": "a/b", "trust_remote_code": True}},
        "model.backend": {"model": {"name": "/etc/passwd", "backend": "replay"}},
    }
    for field, body in refused.items():
        answer = client.post(at, json=body)
        assert answer.status_code == 422, field
        assert field in [each.get("field") for each in answer.json()["problems"]], (field, answer.json())
