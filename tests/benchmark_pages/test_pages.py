"""From a file to verdicts by the pages, on both databases, with the real sandbox."""

import csv
import json
import re
from io import BytesIO, StringIO

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import func, select, update

from app.storage.engine import Database
from app.storage.models import AuditEvent, Completion, Execution, Generation, Run, Study
from tests.benchmark_pages.conftest import (
    COMPLETIONS,
    HOSTILE,
    REPLAY,
    Work,
    as_lines,
    problem,
    send_benchmark,
    send_completions,
)
from tests.security.world import World


def _text(client: TestClient, address: str) -> str:
    answer = client.get(address)
    assert answer.status_code == 200, (address, answer.status_code)
    return answer.text


def test_from_a_file_to_verdicts(world: World, admin: TestClient, work: Work, database: Database) -> None:
    researcher = world.client("researcher")
    assert send_benchmark(admin, name="Tiny").headers["location"] == "/benchmarks/tiny"
    waiting = _text(researcher, "/benchmarks/tiny")
    assert "about to be run" in waiting
    assert "being run" in _text(researcher, "/benchmarks")
    work()
    shown = _text(researcher, "/benchmarks/tiny")
    assert "2 of 3 canonical solutions pass." in shown
    assert "ValueError: no &lt;i&gt;way&lt;/i&gt;" in shown
    assert "1 doesn’t pass" in _text(researcher, "/benchmarks")
    assert "Run the canonical solutions again" not in shown  # a researcher looks
    at = send_completions(admin).headers["location"]
    assert "Waiting" in _text(researcher, at)
    ran = work()
    assert [each.state for each in ran] == ["done", "done"], [each.message for each in ran]
    generation = _text(researcher, at)
    assert "5 of 6 completions are written. 2 of the 5 that were run pass their tests." in " ".join(
        generation.split()
    )
    assert "has no completion for Tiny/2 with sample 1 (the first is 0)" in generation
    assert "bold" not in _text(researcher, f"{at}?verdict=passed")
    assert "&lt;b&gt;bold" in _text(researcher, f"{at}?verdict=error")
    solved = _text(researcher, "/benchmarks/tiny?show=solved")
    assert "Tiny/0</a>" in solved
    assert 'problems/2">' not in solved.partition('id="problems"')[2]
    assert "Tiny/1</a>" in _text(researcher, "/benchmarks/tiny?show=unsolved&text=TINY")
    assert "No problem matches." in _text(researcher, "/benchmarks/tiny?text=nowhere")
    with database.read() as session:
        actions = set(session.scalars(select(AuditEvent.action)))
    assert {"benchmark imported", "generation requested", "generation started"} <= actions


def test_what_models_write_is_text_and_nothing_else(admin: TestClient, work: Work) -> None:
    send_benchmark(admin, name="Tiny")
    at = send_completions(admin).headers["location"]
    work()
    downloaded = [json.loads(line) for line in _text(admin, f"{at}/completions.jsonl").splitlines()]
    hostile = next(row for row in downloaded if row["raw"] == HOSTILE)
    assert hostile["verdict"] == "failed"
    for address in ("/benchmarks/tiny/problems/2", f"/completions/{hostile['id']}", at):
        page = _text(admin, address)
        assert "<script>alert" not in page
        assert "<b>bold" not in page
    page = _text(admin, f"/completions/{hostile['id']}")
    assert "&lt;script&gt;" in page
    assert "What was run" in page


def test_downloads_hold_all_that_was_written(admin: TestClient, work: Work) -> None:
    send_benchmark(admin, name="Tiny")
    at = send_completions(admin).headers["location"]
    work()
    rows = [json.loads(line) for line in _text(admin, f"{at}/completions.jsonl").splitlines()]
    written = {(each["task_id"], each["sample"]): each["completion"] for each in COMPLETIONS}
    assert {(row["task_id"], row["sample"]): row["raw"] for row in rows if row["finish"] != "error"} == written
    first = next(row for row in rows if (row["task_id"], row["sample"]) == ("Tiny/0", 0))
    assert first["verdict"] == "passed"
    assert "helper" not in first["completion"]
    assert first["tier"]
    assert [row["finish"] for row in rows].count("error") == 1
    table = list(csv.DictReader(StringIO(_text(admin, f"{at}/completions.csv"))))
    assert [row["verdict"] or None for row in table] == [row["verdict"] for row in rows]


def test_one_sample_is_shown_before_the_rest_is_asked_for(admin: TestClient, work: Work) -> None:
    send_benchmark(admin, name="Tiny")
    at = send_completions(admin, do="sample").headers["location"]
    work()
    page = _text(admin, at)
    assert "1 of 6 completions are written." in page
    assert "The first sample" in page
    assert "What is left by the rule" in page
    assert admin.post(f"{at}/start", data={"first": "2"}).headers["location"] == at
    work()
    assert "4 of 6 completions are written." in _text(admin, at)
    admin.post(f"{at}/start")
    work()
    assert "5 of 6 completions are written." in _text(admin, at)


def test_the_same_file_again_is_the_same_generation(admin: TestClient, work: Work, database: Database) -> None:
    """Whatever it is called on disk; only what is missing is computed, and another name or setting is another one."""
    send_benchmark(admin, name="Tiny")
    first = send_completions(admin).headers["location"]
    assert "?known" not in first
    assert send_completions(admin).headers["location"] == f"{first}?known=yes"  # while its run waits
    work()
    before = _completions_of(database)
    file = ("renamed.jsonl", BytesIO(as_lines(COMPLETIONS)), "application/octet-stream")
    again = admin.post("/benchmarks/tiny/generate", files={"completions": file}, data=REPLAY)
    assert again.headers["location"] == f"{first}?known=yes"
    assert "This generation was here already" in _text(admin, again.headers["location"])
    assert "This generation was here already" not in _text(admin, first)
    work()
    after = _completions_of(database)
    assert {number for number, finish in before if finish != "error"} <= {number for number, _ in after}
    assert "5 of 6 completions are written." in _text(admin, first)
    others = {send_completions(admin, **each).headers["location"] for each in ({"label": "B"}, {"samples": "1"})}
    assert len(others) == 2
    assert not any("known" in each or each == first for each in others)


def _completions_of(database: Database) -> list[tuple[int, str]]:
    with database.read() as session:
        return [
            tuple(row) for row in session.execute(select(Completion.id, Completion.finish).order_by(Completion.id))
        ]


@pytest.mark.sqlite_is_enough
def test_a_model_asked_again_goes_on(admin: TestClient, database: Database) -> None:
    send_benchmark(admin, name="Tiny")
    asked = {"backend": "folder", "folder": "/models/m", "do": "sample"}
    places = [admin.post("/benchmarks/tiny/generate", data=asked).headers["location"] for _ in range(2)]
    assert places[1] == f"{places[0]}?known=yes"
    named = admin.post("/benchmarks/tiny/generate", data=asked | {"label": "another"}).headers["location"]
    assert "known" not in named
    with database.read() as session:
        assert session.scalar(select(func.count()).select_from(Run).where(Run.kind == "generation")) == 2


@pytest.mark.sqlite_is_enough
def test_canonical_solutions_go_on(admin: TestClient, work: Work) -> None:
    send_benchmark(admin, name="Tiny")
    asked = {"backend": "canonical", "do": "all"}
    first = admin.post("/benchmarks/tiny/generate", data=asked).headers["location"]
    work()
    assert admin.post("/benchmarks/tiny/generate", data=asked).headers["location"] == f"{first}?known=yes"
    assert work() == []


def test_verdicts_can_be_made_again(admin: TestClient, work: Work, database: Database) -> None:
    send_benchmark(admin, name="Tiny")
    at = send_completions(admin).headers["location"]
    work()
    before = {
        row["id"]: row["verdict"] for row in map(json.loads, _text(admin, f"{at}/completions.jsonl").splitlines())
    }
    admin.post(f"{at}/execute", data={"again": "true"})
    (ran,) = work()
    assert (ran.done, ran.total) == (5, 5)
    after = {
        row["id"]: row["verdict"] for row in map(json.loads, _text(admin, f"{at}/completions.jsonl").splitlines())
    }
    assert before == after
    assert admin.post("/benchmarks/tiny/check").status_code == 303
    assert admin.post("/benchmarks/tiny/check").status_code == 409  # it waits already
    assert "3" in [str(each.total) for each in work()]


def test_a_benchmark_becomes_a_study(admin: TestClient, work: Work, database: Database) -> None:
    send_benchmark(admin, name="Tiny")
    at = send_completions(admin).headers["location"]
    assert "No model has written anything" in _text(admin, "/benchmarks/tiny/study")
    assert admin.post("/benchmarks/tiny/study", data={"title": "T", "generation": at[-1:]}).status_code == 409
    work()
    number = at.rpartition("/")[2]
    assert "Replayed" in _text(admin, "/benchmarks/tiny/study")
    nothing = admin.post("/benchmarks/tiny/study", data={"title": "Tiny, graded"})
    assert nothing.status_code == 422
    assert "Choose at least one generation." in nothing.text
    made = admin.post("/benchmarks/tiny/study", data={"title": "Tiny, graded", "sample": "1", "generation": number})
    assert made.headers["location"] == "/studies/tiny-graded/desk"
    with database.read() as session:
        assert session.scalar(select(Study.title).where(Study.slug == "tiny-graded")) == "Tiny, graded"


@pytest.mark.sqlite_is_enough
def test_a_file_that_cant_be_used_is_told_row_by_row(admin: TestClient) -> None:
    answer = send_benchmark(admin, [problem(0), problem(0), problem(2, prompt=None)])
    assert answer.status_code == 422
    assert "row 2" in answer.text
    assert "row 3" in answer.text
    assert "humaneval" in answer.text
    other = send_benchmark(admin, [{"prompt": "x"}])
    assert "There is no column" in other.text
    assert admin.post("/benchmarks/import", data={"name": "n"}).status_code == 422
    assert send_benchmark(admin, name="Import").status_code == 422
    assert "/benchmarks/tiny" not in admin.get("/benchmarks").text


@pytest.mark.sqlite_is_enough
def test_the_same_file_is_the_same_benchmark_and_another_one_is_refused(admin: TestClient) -> None:
    send_benchmark(admin, name="Tiny")
    assert send_benchmark(admin, name="Tiny").headers["location"] == "/benchmarks/tiny?known=yes"
    assert "already" in _text(admin, "/benchmarks/tiny?known=yes")
    refused = send_benchmark(admin, [problem(5)], name="Tiny")
    assert refused.status_code == 409
    assert "Choose another name." in refused.text


@pytest.mark.sqlite_is_enough
def test_the_greatest_seed_is_named(admin: TestClient) -> None:
    send_benchmark(admin, name="Tiny")
    fields = {"backend": "hub", "hub": "a/b", "seed": str(2**63), "do": "all"}
    answer = admin.post("/benchmarks/tiny/generate", data=fields)
    assert answer.status_code == 422
    assert '<p class="error" id="seed-error">The most is 9223372036854775807.</p>' in answer.text


@pytest.mark.sqlite_is_enough
@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"backend": "hub", "hub": ""}, "hub"),
        ({"backend": "endpoint", "endpoint": "ftp://x", "served": "m"}, "endpoint"),
        (
            {"backend": "endpoint", "endpoint": "http://x/v1", "served": "m", "key_variable": "sk-1234 5"},
            "key_variable",
        ),
        ({"backend": "gguf", "gguf": "/models/model.bin"}, "gguf"),
        ({"backend": "replay"}, "completions"),
        ({"backend": "hub", "hub": "a/b", "samples": "5"}, "samples"),
        ({"backend": "hub", "hub": "a/b", "samples": "0"}, "samples"),
        ({"backend": "hub", "hub": "a/b", "decoding": "sampling", "temperature": "hot"}, "temperature"),
        ({"backend": "hub", "hub": "a/b", "decoding": "sampling", "temperature": "0"}, "temperature"),
        ({"backend": "hub", "hub": "a/b", "top_p": "2"}, "top_p"),
        ({"backend": "hub", "hub": "a/b", "which": "first", "first": ""}, "first"),
        ({"backend": "hub", "hub": "a/b", "stop": "x\n" * 17}, "stop"),
        ({"backend": "hub", "hub": "a/b", "label": "a\tb"}, "label"),
    ],
)
def test_what_is_wrong_with_a_form_stands_at_its_field(admin: TestClient, fields: dict[str, str], field: str) -> None:
    send_benchmark(admin, name="Tiny")
    answer = admin.post("/benchmarks/tiny/generate", data=fields | {"do": "all"})
    assert answer.status_code == 422
    assert f'id="{field}-error"' in answer.text
    assert answer.text.count('class="error"') == 1
    assert "No worker takes the queue “gpu”" in answer.text


@pytest.mark.sqlite_is_enough
def test_an_estimate_counts_what_would_be_asked(admin: TestClient) -> None:
    send_benchmark(admin, name="Tiny")
    asked = {"backend": "hub", "hub": "a/b", "decoding": "sampling", "samples": "5", "max_tokens": "100"}
    at = "/benchmarks/tiny/generate/estimate"
    whole = admin.get(at, params=asked).text
    assert "15 completions" in whole
    assert "at most 1,500 tokens" in whole
    assert "10 completions" in admin.get(at, params=asked | {"which": "first", "first": "2"}).text
    assert "An estimate follows" in admin.get(at, params=asked | {"samples": "many"}).text


@pytest.mark.sqlite_is_enough
def test_a_file_of_completions_is_kept_while_the_form_is_mended(admin: TestClient, work: Work) -> None:
    send_benchmark(admin, name="Tiny")
    refused = send_completions(admin, samples="0")
    assert refused.status_code == 422
    upload = refused.text.partition('name="upload" value="')[2].partition('"')[0]
    again = admin.post(
        "/benchmarks/tiny/generate",
        data={"backend": "replay", "samples": "2", "upload": upload, "do": "all", "label": ""},
    )
    assert again.status_code == 303, again.text
    work()
    assert "5 of 6 completions are written." in _text(admin, again.headers["location"])


@pytest.mark.sqlite_is_enough
def test_a_file_s_samples_are_all_asked_for_where_the_form_is_silent(admin: TestClient, work: Work) -> None:
    send_benchmark(admin, name="Tiny")
    assert re.search(r'name="samples"[^>]*\svalue=""', admin.get("/benchmarks/tiny/generate").text)
    sent = send_completions(admin, samples="")
    assert sent.status_code == 303, sent.text
    work()
    assert "5 of 6 completions are written." in _text(admin, sent.headers["location"])
    file = {"completions": ("empty.jsonl", BytesIO(b"\n"), "application/octet-stream")}
    refused = admin.post("/benchmarks/tiny/generate", files=file, data=REPLAY | {"samples": ""})
    assert refused.status_code == 422
    assert "empty.jsonl holds no completions" in refused.text


@pytest.mark.sqlite_is_enough
def test_canonical_solutions_are_replayed_as_a_model(admin: TestClient, work: Work, database: Database) -> None:
    send_benchmark(admin, name="Tiny")
    send_benchmark(admin, [problem(7, canonical_solution="")], name="Bare")
    assert 'value="canonical"' in admin.get("/benchmarks/tiny/generate").text
    assert 'value="canonical"' not in admin.get("/benchmarks/bare/generate").text
    asked = {"backend": "canonical", "cut_rule": "humaneval", "do": "all"}
    estimate = admin.get("/benchmarks/tiny/generate/estimate", params=asked).text
    assert "3 completions" in estimate
    assert "no model is asked" in estimate
    sent = admin.post("/benchmarks/tiny/generate", data=asked)
    assert sent.status_code == 303, sent.text
    work()
    page = _text(admin, sent.headers["location"])
    assert "2 of the 3 that were run pass their tests." in page  # the third one is wrong in the file, too
    with database.read() as session:
        made = session.get_one(Generation, int(sent.headers["location"].rpartition("/")[2]))
        assert (made.label, made.samples, made.cut_rule) == ("canonical", 1, "none")
        texts = select(Completion.text).where(Completion.generation_id == made.id).order_by(Completion.problem_id)
        assert session.scalars(texts).first() == "    return 0\n"
    assert admin.post("/benchmarks/bare/generate", data=asked).status_code == 422


@pytest.mark.sqlite_is_enough
def test_a_precision_is_part_of_the_model(admin: TestClient, database: Database) -> None:
    send_benchmark(admin, name="Tiny")
    for precision in ("auto", "bf16"):
        asked = {"backend": "folder", "folder": "/models/m", "precision": precision, "do": "all"}
        assert admin.post("/benchmarks/tiny/generate", data=asked).status_code == 303
    with database.read() as session:
        specs = session.scalars(select(Generation.spec).order_by(Generation.id.desc()).limit(2)).all()
    assert [each.get("precision") for each in specs] == ["bf16", None]


@pytest.mark.sqlite_is_enough
def test_verdicts_without_a_wall_are_marked(admin: TestClient, work: Work, database: Database) -> None:
    send_benchmark(admin, name="Tiny")
    at = send_completions(admin).headers["location"]
    work()
    assert "no wall stood" not in _text(admin, at)
    with database.write() as session:
        session.execute(update(Execution).values(tier="none"))
    assert "no wall stood" in _text(admin, at)
    assert ">none</span>" in _text(admin, "/completions/1") or ">none</span>" in _text(admin, "/completions/2")


@pytest.mark.sqlite_is_enough
def test_a_setting_in_which_nothing_passes_is_a_result(admin: TestClient, work: Work) -> None:
    send_benchmark(admin, name="Tiny")
    written = as_lines([{"task_id": f"Tiny/{number}", "completion": "    return -1\n"} for number in range(3)])
    file = {"completions": ("bad.jsonl", BytesIO(written), "application/octet-stream")}
    at = admin.post("/benchmarks/tiny/generate", files=file, data=REPLAY | {"samples": "1"}).headers["location"]
    work()
    page = _text(admin, at)
    assert "0 of the 3 that were run pass their tests." in page
    assert "That is what this model gave in this setting" in page


JAVA = {
    "task_id": "Java/0",
    "prompt": "class Solution {\n    static int one() {\n",
    "canonical_solution": "        return 1;\n    }\n}\n",
    "tests": (
        "public class Main {\n    public static void main(String[] args) {\n"
        "        assert Solution.one() == 1;\n    }\n}\n"
    ),
}


@pytest.mark.sqlite_is_enough
def test_a_file_in_another_language_is_read_as_that(admin: TestClient) -> None:
    assert '<option value="java">Java</option>' in admin.get("/benchmarks/import").text
    assert send_benchmark(admin, [JAVA], name="Javas", language="java").status_code == 303
    assert "java" in admin.get("/benchmarks/javas").text
    refused = send_benchmark(admin, [JAVA], name="Cobols", language="cobol")
    assert refused.status_code == 422
    assert "No program in &#39;cobol&#39; can be run here." in refused.text
