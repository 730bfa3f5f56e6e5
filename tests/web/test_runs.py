"""The pages of runs: who sees them, who may cancel and retry, and what the fragment answers."""

import re
from datetime import timedelta

import pytest
from fastapi.testclient import TestClient

from app.clock import utc_now
from app.ids import hash_token, new_token
from app.services.runs import enqueue, workers
from app.storage.engine import Database
from app.storage.models import Run, SignIn, User
from tests.factories import make_study

HTMX = {"HX-Request": "true"}


def sign_in(client: TestClient, database: Database, role: str, email: str = "someone@example.org") -> int:
    """Make a user and put their cookie into the browser; the user's number."""
    token = new_token()
    with database.write() as session:
        user = User(email=email, name=email.partition("@")[0], role=role, password_hash="-")
        session.add(user)
        session.flush()
        expires = utc_now() + timedelta(hours=1)
        session.add(SignIn(token_hash=hash_token(token), user_id=user.id, last_seen_at=utc_now(), expires_at=expires))
    client.cookies.set(client.app.state.session_cookie, token)  # type: ignore[attr-defined]
    return user.id


def add_run(database: Database, kind: str = "analysis", **columns: object) -> Run:
    with database.write() as session:
        run = enqueue(session, kind, {})
        for name, value in columns.items():
            setattr(run, name, value)
        return run


def running(database: Database, **columns: object) -> Run:
    now = utc_now()
    times = {"started_at": now - timedelta(seconds=10), "lease_until": now + timedelta(minutes=1)}
    return add_run(database, **{"state": "running", "attempt": 1, **times, **columns})


def test_strangers_see_nothing(client: TestClient, database: Database) -> None:
    run = add_run(database)
    for path in ("/runs", f"/runs/{run.public_id}", f"/runs/{run.public_id}/status"):
        answer = client.get(path, headers=HTMX, follow_redirects=False)
        assert answer.headers.get("HX-Redirect", "").startswith("/sign-in")
    assert client.post(f"/runs/{run.public_id}/cancel").status_code == 401


def test_the_list_tells_apart_and_filters(client: TestClient, database: Database) -> None:
    sign_in(client, database, "researcher")
    assert "Nothing has run yet" in client.get("/runs").text
    with database.write() as session:
        study = make_study(session, title="A <b>bold</b> study")
    failed = add_run(database, "import", state="failed", study_id=study.id)
    done = add_run(database, "analysis", state="done")
    page = client.get("/runs").text
    assert failed.public_id in page
    assert done.public_id in page
    assert "A &lt;b&gt;bold&lt;/b&gt; study" in page
    for query in ("state=failed", "kind=import", f"study={study.slug}"):
        page = client.get(f"/runs?{query}").text
        assert failed.public_id in page
        assert done.public_id not in page
    assert "No run matches" in client.get("/runs?state=active").text


def test_the_list_goes_on_with_older_runs(client: TestClient, database: Database) -> None:
    sign_in(client, database, "researcher")
    made = [add_run(database, state="done").public_id for _ in range(55)]
    seen: list[str] = []
    address = "/runs"
    while address:
        page = client.get(address).text
        seen += re.findall(r'id="link-(\w+)"', page)
        older = re.search(r'href="(/runs\?before=\d+)"', page)
        address = older[1] if older else ""
    assert seen == made[::-1]


def test_progress_is_shown_with_rate_and_time_left(client: TestClient, database: Database) -> None:
    sign_in(client, database, "researcher")
    measured = utc_now() - timedelta(seconds=10)
    run = running(database, done=1200, total=3600, unit="outputs", message="Scoring with chrF", measured_at=measured)
    page = client.get(f"/runs/{run.public_id}").text
    assert 'value="1200" max="3600"' in page
    assert "1,200 of 3,600 outputs" in page
    assert re.search(r"1\d\d a second", page)
    assert re.search(r"about (19|2\d) s left", page)
    assert "Scoring with chrF" in page


def test_a_missing_worker_is_said_at_once_and_a_living_one_is_not(client: TestClient, database: Database) -> None:
    sign_in(client, database, "researcher")
    run = add_run(database)
    assert "No worker is running" in client.get(f"/runs/{run.public_id}").text
    assert "No worker is running" in client.get("/runs").text
    with database.write() as session:
        workers.beat(session, "another-machine/1:5", ["cpu"], 2)
    assert "No worker" not in client.get(f"/runs/{run.public_id}").text
    gpu = add_run(database, queue="gpu")
    assert "codejury worker --queue gpu" in client.get(f"/runs/{gpu.public_id}").text


def test_the_fragment_moves_then_is_replaced_and_rings_once(client: TestClient, database: Database) -> None:
    sign_in(client, database, "researcher")
    run = running(database, done=1, total=2)
    address = f"/runs/{run.public_id}/status?seen=running"
    moving = client.get(address, headers=HTMX)
    assert "<progress" in moving.text
    assert "<section" not in moving.text
    assert "HX-Trigger" not in moving.headers

    with database.write() as session:
        stored = session.get_one(Run, run.id)
        stored.state, stored.finished_at, stored.message = "done", utc_now(), "All compared."
        stored.result = {
            "links": [{"href": "/studies/x", "label": "See it"}, {"href": "//evil.example", "label": "No"}]
        }
    ended = client.get(address, headers=HTMX)
    assert ended.headers["HX-Retarget"] == f"#run-{run.public_id}"
    assert "runfinished" in ended.headers["HX-Trigger"]
    assert "hx-trigger" not in ended.text  # it asks no more
    assert "All compared." in ended.text
    assert 'href="/studies/x"' in ended.text
    assert "evil.example" not in ended.text
    assert client.get(address, follow_redirects=False).headers["location"] == f"/runs/{run.public_id}"


@pytest.mark.parametrize("role", ["researcher", "admin"])
def test_one_s_own_run_is_cancelled_and_retried_without_script(
    client: TestClient, database: Database, role: str
) -> None:
    user_id = sign_in(client, database, role)
    run = add_run(database, user_id=None if role == "admin" else user_id)
    page = client.post(f"/runs/{run.public_id}/cancel")
    assert page.status_code == 200
    assert "Cancelled before it started." in page.text
    assert client.post(f"/runs/{run.public_id}/cancel").status_code == 409
    assert "Starts next" in client.post(f"/runs/{run.public_id}/retry").text


def test_somebody_else_s_run_is_left_alone(client: TestClient, database: Database) -> None:
    other = sign_in(client, database, "researcher", "other@example.org")
    sign_in(client, database, "researcher")
    run = add_run(database, user_id=other)
    assert "Cancel this run" not in client.get(f"/runs/{run.public_id}").text
    assert client.post(f"/runs/{run.public_id}/cancel").status_code == 403
    with database.read() as session:
        assert session.get_one(Run, run.id).state == "queued"


def test_a_failure_shows_its_message_and_folds_its_trace(client: TestClient, database: Database) -> None:
    sign_in(client, database, "researcher")
    message = "Two rows are bad.\nrow 2: <script>alert(1)</script>"
    run = add_run(database, state="failed", message=message, trace="Traceback: <b>", finished_at=utc_now())
    page = client.get(f"/runs/{run.public_id}").text
    assert "row 2: &lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "<details>" in page
    assert "Traceback: &lt;b&gt;" in page
    assert client.get("/runs/nothing").status_code == 404


@pytest.mark.fault("F36")
def test_what_a_worker_writes_steers_no_terminal_and_hides_nothing(client: TestClient, database: Database) -> None:
    sign_in(client, database, "researcher")
    hostile = "\x1b]8;;http://evil.example\x07click\x1b[8mhidden\x08"
    run = add_run(database, state="failed", message=f"Row 2:\n{hostile}", trace=f"Traceback\n    {hostile}")
    page = client.get(f"/runs/{run.public_id}").text
    assert page.count("evil.example") == 2
    assert page.count('data-code="U+001B"') == 4
    moving = running(database, message=hostile, unit=hostile[:40], total=2)
    page += client.get(f"/runs/{moving.public_id}").text + client.get("/runs").text
    assert not {"\x1b", "\x07", "\x08"} & set(re.sub(r'<bdi class="hidden-character"[^>]*>.</bdi>', "", page))


def test_the_list_is_filtered_by_who_asked_and_when(client: TestClient, database: Database) -> None:
    other = sign_in(client, database, "researcher", "other@example.org")
    sign_in(client, database, "researcher")
    theirs = add_run(database, user_id=other)
    of_the_command_line = add_run(database)
    old = add_run(database, created_at=utc_now() - timedelta(days=2))

    def found(query: str) -> set[str]:
        return set(re.findall(r'id="link-(\w+)"', client.get(f"/runs?{query}").text))

    assert found(f"person={other}") == {theirs.public_id}
    assert found("person=nobody") == {of_the_command_line.public_id, old.public_id}
    assert found("hours=24") == {theirs.public_id, of_the_command_line.public_id}
    assert found("hours=168&person=nobody&kind=analysis") == {of_the_command_line.public_id, old.public_id}
    assert found("person=x") == set()
    assert client.get("/runs?hours=-1").status_code == 422
    assert client.get(f"/runs?person={'9' * 100}").status_code == 200


def test_a_study_shows_its_own_runs(client: TestClient, database: Database) -> None:
    sign_in(client, database, "researcher")
    with database.write() as session:
        mine, other = make_study(session, title="Mine"), make_study(session, title="Other")
    assert "Nothing has run yet" in client.get(f"/studies/{mine.slug}/runs").text
    gpu = add_run(database, study_id=mine.id, queue="gpu")
    done = add_run(database, study_id=mine.id, state="done")
    elsewhere = add_run(database, study_id=other.id)
    page = client.get(f"/studies/{mine.slug}/runs?study={other.slug}").text
    assert re.findall(r'id="link-(\w+)"', page) == [done.public_id, gpu.public_id]
    assert elsewhere.public_id not in page
    assert "codejury worker --queue gpu" in page
    assert "No worker is running" not in page  # the other study's
    assert f'href="/studies/{mine.slug}/runs" aria-current="page"' in page
    assert client.get("/studies/none/runs").status_code == 404


def test_a_broker_that_is_away_is_said_to_whoever_waits(client: TestClient, database: Database) -> None:
    sign_in(client, database, "researcher")
    waiting = add_run(database)
    going_on = running(database)
    with database.write() as session:
        workers.beat(session, "another-machine/1:5", ["cpu"], 2, workers.NO_BROKER)
    assert "reach the broker" in client.get(f"/runs/{waiting.public_id}").text
    assert "reach the broker" in client.get("/runs").text
    assert "reach the broker" not in client.get(f"/runs/{going_on.public_id}").text
    with database.write() as session:
        workers.beat(session, "another-machine/1:6", ["cpu"], 2)
    assert "reach the broker" not in client.get(f"/runs/{waiting.public_id}").text


def test_the_rate_and_the_time_left_are_of_this_attempt(client: TestClient, database: Database) -> None:
    sign_in(client, database, "researcher")
    begun = utc_now() - timedelta(seconds=10)
    run = running(database, done=3000, total=4000, unit="outputs", attempt=2, measured_from=2000, measured_at=begun)
    page = client.get(f"/runs/{run.public_id}").text
    assert re.search(r"(100|9\d) a second", page)
    assert re.search(r"about 1[01] s left", page)
    early = running(database, done=3000, total=4000, measured_from=3000, measured_at=begun)
    assert "a second" not in client.get(f"/runs/{early.public_id}").text
    of_one = running(database, done=2001, total=4000, measured_from=2000, measured_at=begun)
    assert " left" not in client.get(f"/runs/{of_one.public_id}").text
    last_but_one = running(database, done=2, total=3, measured_at=begun - timedelta(seconds=10))
    assert " left" not in client.get(f"/runs/{last_but_one.public_id}").text
