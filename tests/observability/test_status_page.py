"""The page that tells admins how the installation is."""

import re
from datetime import timedelta

import pytest

from app.clock import utc_now
from app.ids import new_opaque_id
from app.services.runs import enqueue, workers
from app.services.status import report
from app.services.status.readiness import Readiness
from app.services.studies import find_study
from app.storage.models import Run, Webhook, WebhookDelivery, Worker
from tests.security.world import World
from tests.services.redis_server import RedisServer

LEDE = re.compile(r'<p class="lede">([^<]+)</p>')


@pytest.fixture
def quiet(world: World) -> World:
    """A world in which nothing waits and a worker lives."""
    with world.database.write() as session:
        session.query(Run).delete()
        session.query(Worker).delete()
        workers.beat(session, "calculon/boot/ns:7", ["cpu", "runner"], 2)
    return world


def page(world: World) -> str:
    """As an admin sees it; what was found out before is found out anew."""
    world.app.state.readiness = Readiness(world.app.state.settings, world.database)
    answer = world.client("admin").get("/status")
    assert answer.status_code == 200
    return answer.text


def lede(world: World) -> str:
    """Its first sentence."""
    found = LEDE.search(page(world))
    assert found
    return found[1]


def test_all_is_well(quiet: World) -> None:
    shown = page(quiet)
    assert LEDE.search(shown)[1] == "Everything works."  # type: ignore[index]
    assert ("SQLite" if quiet.database.is_sqlite else "PostgreSQL") in shown
    assert "calculon" in shown
    assert "cpu, runner" in shown
    assert 'hx-get="/status" hx-trigger="every 5s"' in shown
    assert "None has ended." in shown


def test_it_is_in_the_menu_of_admins_alone(quiet: World) -> None:
    for principal, is_there in (("admin", True), ("researcher", False)):
        assert ('href="/status"' in quiet.client(principal).get("/studies").text) is is_there


def test_nobody_works(quiet: World) -> None:
    with quiet.database.write() as session:
        workers.leave(session, "calculon/boot/ns:7")
    shown = page(quiet)
    assert "1 thing needs you." in shown
    assert "No worker is running" in shown


def test_a_queue_that_nobody_takes(quiet: World) -> None:
    with quiet.database.write() as session:
        enqueue(session, "scoring", {}, queue="gpu")
    shown = page(quiet)
    assert "1 thing needs you." in shown
    assert "codejury worker --queue gpu" in shown


def test_redis_is_away(quiet: World, redis_server: RedisServer) -> None:
    quiet.app.state.settings = quiet.app.state.settings.model_copy(update={"broker_url": redis_server.url})
    assert lede(quiet) == "Everything works."
    redis_server.stop()
    with quiet.database.write() as session:
        workers.beat(session, "calculon/boot/ns:7", ["cpu", "runner"], 2, workers.NO_BROKER)
    shown = page(quiet)
    assert "2 things need you." in shown
    assert "Redis doesn’t answer this server. People can go on grading" in shown
    assert "The workers can’t reach the broker" in shown
    assert "redis://" not in shown


def test_the_disk_is_nearly_full(quiet: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report, "LEAST_FREE", 1 << 60)  # more than any disk has
    assert "Make room on that disk." in page(quiet)


def test_the_bucket_is_away(quiet: World, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "x")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    known = {"bucket": "s3://jury", "bucket_endpoint": "http://127.0.0.1:1"}
    quiet.app.state.settings = quiet.app.state.settings.model_copy(update=known)
    shown = page(quiet)
    assert "The bucket doesn’t answer" in shown
    assert "127.0.0.1:1" not in shown


def test_runs_and_failures_of_the_day(quiet: World) -> None:
    now = utc_now()
    with quiet.database.write() as session:
        for state, seconds in (("done", 2), ("done", 6), ("failed", 1)):
            run = enqueue(session, "export", {})
            run.state, run.finished_at, run.started_at = state, now, now - timedelta(seconds=seconds)
            run.message = "The disk was full.\nMore."
        failed = run.public_id
    shown = page(quiet)
    assert f'href="/runs/{failed}"' in shown
    assert "The disk was full.</span>" in shown
    assert re.search(r">Done</td>\s*<td[^>]*>2</td>\s*<td[^>]*>4.0 s</td>", shown)
    assert lede(quiet) == "Everything works.", "a run that failed is a matter of that run"


def test_a_failure_s_line_holds_more_than_that_something_follows(quiet: World) -> None:
    message = "The file can't be used as it is. Nothing was stored. Found one error:\nrow 2: No system.\nMore."
    with quiet.database.write() as session:
        run = enqueue(session, "import", {})
        run.state, run.finished_at, run.message = "failed", utc_now(), message
    assert "Found one error: row 2: No system.</span>" in page(quiet)


def test_no_fact_stands_alone(quiet: World) -> None:
    facts = re.search(r'<dl class="facts in-thirds">(.*?)</dl>', page(quiet), re.DOTALL)
    assert facts
    assert facts[1].count("<dt>") % 6 == 0, "rows of three, on a phone of two"


def test_webhooks_that_are_not_taken(quiet: World) -> None:
    def add(attempts: int, state: str = "waiting") -> None:
        with quiet.database.write() as session:
            study = find_study(session, "elsewhere")
            hook = Webhook(
                public_id=new_opaque_id(), study_id=study.id, url="https://example.net/", kinds=[], secret="x"
            )
            session.add(hook)
            session.flush()
            delivery = WebhookDelivery(public_id=new_opaque_id(), webhook_id=hook.id, kind="webhook.test", body="{}")
            delivery.attempts, delivery.state, delivery.next_at = attempts, state, utc_now()
            session.add(delivery)

    with quiet.database.write() as session:
        session.query(Webhook).delete()
    for attempts, state in ((0, "waiting"), (1, "waiting"), (9, "delivered")):
        add(attempts, state)
    assert "not-taken" not in page(quiet)
    add(2)
    told = re.search(r'id="not-taken">(.*?)</p>', page(quiet), re.DOTALL)
    assert told
    assert "1 webhook isn’t taken:" in told[1]
    add(10)
    with quiet.database.write() as session:
        given_up = Webhook(public_id="up", study_id=find_study(session, "here").id, url="https://x.org/", kinds=[])
        given_up.secret, given_up.disabled_at = "x", utc_now()
        session.add(given_up)
    told = re.search(r'id="not-taken">(.*?)</p>', page(quiet), re.DOTALL)
    assert told
    assert "3 webhooks aren’t taken:" in told[1]
    for slug in ("here", "elsewhere"):
        assert told[1].count(f'href="/studies/{slug}/desk/webhooks"') == 1
    assert quiet.client("admin").get("/api/v1/status").json()["webhooks_not_taken"] == 3


def test_a_team_s_weak_settings_are_named(quiet: World) -> None:
    known = {"broker_url": "redis://:short@127.0.0.1:1/0"}
    quiet.app.state.settings = quiet.app.state.settings.model_copy(update=known)
    shown = page(quiet)
    assert "Settings that are too weak for production" in shown
    assert "BROKER_URL: its password is weak" in shown
    assert "short@" not in shown


def test_programs_of_admins_read_the_same(quiet: World) -> None:
    told = quiet.client("admin").get("/api/v1/status").json()
    assert (told["problems"], told["mode"]) == ([], "embedded")
    assert [each["queue"] for each in told["queues"]] == ["cpu", "gpu", "runner"]
    assert told["checks"] == {"database": "good", "migrations": "good", "worker": "good"}
    assert quiet.client("researcher").get("/api/v1/status").status_code == 403
