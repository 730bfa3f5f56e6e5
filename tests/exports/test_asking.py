"""Asking for exports: on the page, by the API, on the command line; who may ask for what, and what is audited."""

import json
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from app.services.runs import execute
from app.services.studies import create_study
from app.storage.models import Artifact, AuditEvent, Run
from tests.dashboards.conftest import graded, researcher
from tests.dashboards.study import SLUG, sign_in
from tests.imports.helpers import Importer

__all__ = ["graded", "researcher"]
PAGE = f"/studies/{SLUG}/export"


def do_all(installation: Importer) -> None:
    with installation.database.read() as session:
        waiting = session.scalars(select(Run.id).where(Run.state == "queued")).all()
    for run_id in waiting:
        execute(installation.database, installation.settings, run_id)


@pytest.mark.usefixtures("graded")
def test_the_page_counts_rows_and_makes_each_form(researcher: TestClient, importer: Importer) -> None:
    text = researcher.get(PAGE).text
    assert "There are 216 grades by 3 annotators" in text
    assert "platform_ids" not in text
    forms = ("bundle", "csv", "jsonl", "parquet", "wide", "label-studio", "template")
    for form in forms:
        assert f'value="{form}"' in text
        assert researcher.post(PAGE, data={"form": form}).status_code == 200
    do_all(importer)
    with importer.database.read() as session:
        states = session.execute(select(Run.state, Run.message)).all()
        assert {state for state, _ in states} == {"done"}, states
        files = session.scalars(select(Artifact)).all()
        asked = session.scalars(select(AuditEvent.details).where(AuditEvent.action == "export")).all()
    assert [each["form"] for each in asked] == list(forms)
    for each in files:
        answer = researcher.get(f"/artifacts/{each.public_id}")
        assert answer.headers["content-type"].split(";")[0] == each.media_type
        assert len(answer.content) == each.size
    assert {each.file_name.removeprefix(SLUG) for each in files} == {
        *(".zip", "-template.zip", "-grades.csv", "-grades.jsonl", "-grades.parquet"),
        *("-wide.json", "-label-studio.json"),
    }


@pytest.mark.usefixtures("graded")
def test_what_tells_who_somebody_is_goes_to_admins_only(
    client: TestClient, importer: Importer, researcher: TestClient
) -> None:
    refused = researcher.post(f"/api/v1/studies/{SLUG}/exports", json={"platform_ids": True})
    assert refused.status_code == 403
    assert "Only an admin" in refused.json()["detail"]
    client.cookies.clear()
    sign_in(client, importer.database, "admin")
    assert "platform_ids" in client.get(PAGE).text
    asked = client.post(PAGE, data={"form": "bundle", "platform_ids": "yes"})
    assert asked.status_code == 200
    do_all(importer)
    with importer.database.read() as session:
        public_id = session.scalars(select(Artifact.public_id)).one()
        details = session.scalars(select(AuditEvent.details).where(AuditEvent.action == "export")).one()
    assert details["platform_ids"] is True
    assert client.get(f"/artifacts/{public_id}").status_code == 200
    assert public_id in client.get(PAGE).text
    client.cookies.clear()
    sign_in_again(client, importer)
    assert client.get(f"/artifacts/{public_id}").status_code == 404
    assert public_id not in client.get(PAGE).text


def sign_in_again(client: TestClient, importer: Importer) -> None:
    """As the researcher who was refused before."""
    from datetime import timedelta

    from app.clock import utc_now
    from app.ids import hash_token, new_token
    from app.storage.models import SignIn, User

    token = new_token()
    with importer.database.write() as session:
        user = session.scalars(select(User.id).where(User.role == "researcher")).one()
        until = utc_now() + timedelta(hours=1)
        session.add(SignIn(token_hash=hash_token(token), user_id=user, last_seen_at=utc_now(), expires_at=until))
    client.cookies.set(client.app.state.session_cookie, token)  # type: ignore[attr-defined]


@pytest.mark.usefixtures("graded")
def test_a_program_asks_and_fetches(researcher: TestClient, importer: Importer) -> None:
    answer = researcher.post(f"/api/v1/studies/{SLUG}/exports", json={"form": "jsonl", "skips": True})
    assert answer.status_code == 202
    do_all(importer)
    run = researcher.get(answer.json()["links"]["run"]).json()
    assert run["state"] == "done"
    lines = researcher.get(run["result"]["links"][0]["href"]).text.splitlines()
    assert json.loads(lines[0])["task"] == "p0|weak"
    wrong = researcher.post(f"/api/v1/studies/{SLUG}/exports", json={"form": "wide", "question": "no such"})
    assert wrong.status_code == 422
    assert "There are: helpfulness." in wrong.text
    assert researcher.post(f"/api/v1/studies/{SLUG}/exports", json={"form": "xls"}).status_code == 422


def test_an_empty_study_says_what_belongs_there(client: TestClient, importer: Importer) -> None:
    with importer.database.write() as session:
        create_study(session, "Bare")
    sign_in(client, importer.database, "admin")
    page = client.get("/studies/bare/export").text
    assert "nothing else yet" in page
    assert "/studies/bare/import" in page
    for form in ("bundle", "csv", "parquet", "wide", "label-studio", "wmt", "tables", "template"):
        assert client.post("/studies/bare/export", data={"form": form}).status_code == 200
    do_all(importer)
    with importer.database.read() as session:
        states = session.execute(select(Run.state, Run.message, Run.trace)).all()
    assert {state for state, *_ in states} == {"done"}, states


@pytest.mark.usefixtures("graded")
@pytest.mark.sqlite_is_enough
def test_the_command_line_writes_each_form(
    importer: Importer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from typer.testing import CliRunner

    from app.cli.export import cli

    monkeypatch.setenv("CODEJURY_DATA_DIR", str(importer.settings.data_dir))
    options = {
        "g.csv": ["--format", "csv", "--skips"],
        "g.parquet": ["--format", "parquet"],
        "w.json": ["--format", "wide", "--question", "helpfulness"],
        "t.zip": ["--template", "--no-material"],
        "b.zip": ["--platform-ids", "--answers-about-people"],
    }
    for name, words in options.items():
        done = CliRunner().invoke(cli, [SLUG, "--to", str(tmp_path / name), *words], catch_exceptions=False)
        assert done.exit_code == 0, done.output
    assert (tmp_path / "g.csv").read_bytes().startswith(b"task,worker,label,")
    assert (tmp_path / "g.parquet").read_bytes()[:4] == b"PAR1"
    assert (tmp_path / "t.zip").stat().st_size < (tmp_path / "b.zip").stat().st_size
