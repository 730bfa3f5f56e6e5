"""Webhooks on a real socket: signed, sent again, given up, and never into a private network."""

import ipaddress
import json
import socket
from datetime import timedelta

import pytest
import standardwebhooks
import time_machine
from sqlalchemy import select

from app.clock import utc_now
from app.config import Settings
from app.services import runs, webhooks
from app.services.events.gathering import gather_events
from app.services.studies import find_study
from app.services.webhooks.addresses import Refused, is_public, objection_to, resolve
from app.services.webhooks.queueing import start_sending
from app.services.webhooks.sending import PAUSES
from app.storage.engine import Database
from app.storage.models import AuditEvent, Run, Webhook, WebhookDelivery
from tests.security.world import World
from tests.webhooks.conftest import Receiver


@pytest.fixture
def at_home(settings: Settings) -> Settings:
    """An installation that may tell addresses of its own network."""
    return settings.model_copy(update={"webhooks_private": True})


def _add(database: Database, settings: Settings, receiver: Receiver, *kinds: str) -> webhooks.Made:
    with database.write() as session:
        study = find_study(session, "here")
        wanted = list(kinds) or ["run.finished"]
        return webhooks.add_webhook(session, settings, "user:1", study, url=receiver.url, kinds=wanted)


def _end_run(database: Database) -> str:
    with database.write() as session:
        gather_events(session)
    with database.write() as session:
        run = runs.enqueue(session, "analysis", {}, study_id=find_study(session, "here").id)
        run.state, run.finished_at, run.message = "done", utc_now(), "Fine – ⟨ü⟩"
        public_id = run.public_id
    with database.write() as session:
        gather_events(session)
    return public_id


def _send(database: Database, settings: Settings, *, later: float = 0) -> Run | None:
    """What a sweeper and a worker do; the run that sent, if there was anything to send."""
    with time_machine.travel(utc_now() + timedelta(seconds=later)):
        with database.write() as session:
            if not start_sending(session):
                return None
        with database.read() as session:
            run_id = session.scalars(select(Run.id).where(Run.kind == "webhooks", Run.state == "queued")).one()
        assert runs.execute(database, settings, run_id)
    with database.read() as session:
        run = session.get_one(Run, run_id)
    assert run.state == "done", run.message
    return run


def _delivery(database: Database) -> WebhookDelivery:
    with database.read() as session:
        return session.scalars(select(WebhookDelivery).order_by(WebhookDelivery.id.desc()).limit(1)).one()


def test_a_run_that_ended_is_told_and_signed(
    world: World, database: Database, at_home: Settings, receiver: Receiver
) -> None:
    made = _add(database, at_home, receiver)
    ended = _end_run(database)
    _send(database, at_home)
    [(headers, body)] = receiver.came
    told = standardwebhooks.Webhook(made.secret).verify(body, headers)
    assert told == json.loads(body)
    assert (told["type"], told["data"]["run"], told["data"]["study"]) == ("run.finished", ended, "here")
    assert told["data"]["message"] == "Fine – ⟨ü⟩"
    assert headers["Host"].startswith("localhost:")
    with pytest.raises(standardwebhooks.WebhookVerificationError):
        standardwebhooks.Webhook(made.secret).verify(body.replace(b"done", b"gone"), headers)
    assert _delivery(database).state == "delivered"
    assert _send(database, at_home, later=10_000) is None  # and not again


def test_only_what_was_wanted_and_only_of_its_study(
    world: World, database: Database, at_home: Settings, receiver: Receiver
) -> None:
    _add(database, at_home, receiver, "study.target_met")
    _end_run(database)
    assert _send(database, at_home) is None
    assert receiver.came == []


def test_what_is_not_taken_is_sent_again_later_each_time_then_given_up(
    world: World, database: Database, at_home: Settings, receiver: Receiver
) -> None:
    _add(database, at_home, receiver)
    receiver.answers = [500, 404, *[503] * len(PAUSES)]
    _end_run(database)
    _send(database, at_home)
    assert _send(database, at_home) is None  # it isn't due yet
    waited = 0.0
    for pause in PAUSES:
        assert _delivery(database).state == "waiting"
        waited += pause.total_seconds() + 1
        _send(database, at_home, later=waited)
    failed = _delivery(database)
    assert (failed.state, failed.attempts, failed.last_status) == ("failed", len(PAUSES) + 1, 503)
    assert len({headers["webhook-id"] for headers, _ in receiver.came}) == 1
    assert len({body for _, body in receiver.came}) == 1
    with database.read() as session:
        assert session.scalars(select(Webhook).where(Webhook.url == receiver.url)).one().disabled_at is not None
    _end_run(database)
    assert _send(database, at_home, later=waited) is None  # who was given up is told nothing more


def test_a_receiver_that_is_away_is_no_failure_of_the_run(
    world: World, database: Database, at_home: Settings, receiver: Receiver
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    receiver.url = f"http://127.0.0.1:{port}/"
    _add(database, at_home, receiver)
    _end_run(database)
    _send(database, at_home)
    assert (_delivery(database).state, _delivery(database).last_error) == ("waiting", "ConnectError")


def test_one_that_is_gone_is_told_nothing_more(
    world: World, database: Database, at_home: Settings, receiver: Receiver
) -> None:
    _add(database, at_home, receiver)
    receiver.answers = [410]
    _end_run(database)
    _send(database, at_home)
    assert _delivery(database).state == "failed"


def test_a_redirect_is_followed_nowhere(
    world: World, database: Database, at_home: Settings, receiver: Receiver
) -> None:
    _add(database, at_home, receiver)
    receiver.answers, receiver.location = [302], receiver.url
    _end_run(database)
    _send(database, at_home)
    assert len(receiver.came) == 1
    assert _delivery(database).last_status == 302


def test_no_private_address_is_connected_to(
    world: World, database: Database, settings: Settings, at_home: Settings, receiver: Receiver
) -> None:
    """The name was fine when it was given; at the sending it leads home (DNS rebinding)."""
    _add(database, at_home, receiver)
    _end_run(database)
    _send(database, settings)
    assert receiver.came == []
    assert "private network" in _delivery(database).last_error


def test_the_very_address_that_was_judged_is_connected_to(
    world: World, database: Database, at_home: Settings, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever resolves a second time might get another answer."""
    _add(database, at_home, receiver)
    _end_run(database)
    real, asked = socket.getaddrinfo, list[object]()

    def once(host: object, *rest: object, **more: object) -> object:
        if host == "localhost":
            asked.append(host)
            host = "127.0.0.1" if len(asked) == 1 else "192.0.2.1"
        return real(host, *rest, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(socket, "getaddrinfo", once)
    _send(database, at_home)
    assert asked == ["localhost"]
    assert len(receiver.came) == 1


@pytest.mark.parametrize(
    "address",
    [
        *("127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "0.0.0.0", "100.64.0.1"),
        *("224.0.0.1", "::1", "fe80::1", "fc00::1", "::ffff:10.0.0.1", "64:ff9b::a00:1", "2002:7f00:1::", "::"),
    ],
)
def test_addresses_that_are_not_public(address: str) -> None:
    assert not is_public(ipaddress.ip_address(address))


def test_public_addresses_and_names_that_lead_home() -> None:
    assert is_public(ipaddress.ip_address("93.184.216.34"))
    assert is_public(ipaddress.ip_address("2606:2800:220:1:248:1893:25c8:1946"))
    with pytest.raises(Refused, match="private network"):
        resolve("localhost", 443, private=False)
    with pytest.raises(Refused, match="can't be found"):
        resolve("no-such-host.invalid", 443, private=True)


@pytest.mark.parametrize(
    "url",
    [
        *("", "example.org", "ftp://example.org/", "http://example.org/", "https://", "file:///etc", "https://[x"),
        *("https://user:pass@example.org/", "https://127.0.0.1/", "https://[::1]/", "https://example.org/#x"),
        *("https://exa mple.org/", "https://example.org:99999/", "https://exämple.org/"),
        "https://example.org/" + "x" * 2000,
        *("https://localhost/x", "https://LOCALHOST./", "https://a.localhost/", "https://printer.local/"),
        *("https://intranet/", "https://db.internal/", "https://nas.home.arpa/", "https://nobody.invalid/"),
        *("https://2130706433/", "https://0x7f000001/", "https://0x7f.1/", "https://017700000001/", "https://127.1/"),
        *("https://0/", "https://10.0.0.1./", "https://[::]/", "https://[::ffff:127.0.0.1]/", "https://[fe80::1]/"),
        *(
            "https://[::ffff:7f00:1]/",
            "https://[64:ff9b::7f00:1]/",
            "https://[fd00::1]/",
            "https://[fe80::1%25eth0]/",
        ),
        *("https://%31%32%37.0.0.1/", "https://256.256.256.256/", "https://99999999999/", "https://a..b/"),
        *("https://192.168.0.1:8443/", "https://169.254.169.254/", "https://224.0.0.1/", "https://ex*mple.org/"),
    ],
)
def test_what_is_no_address_for_a_webhook(url: str) -> None:
    assert objection_to(url, private=False)


@pytest.mark.parametrize(
    "url",
    [
        *(
            "https://example.org",
            "https://EXAMPLE.org./x?y=z",
            "https://hooks.example.org:8443/a_b",
            "https://a-b.io/",
        ),
        *("https://93.184.216.34/", "https://[2606:2800:220:1:248:1893:25c8:1946]/", "https://xn--exmple-cua.org/"),
        *("https://localhost.example.org/", "https://mylocal.org/", "https://3com.com/", "https://0xff.example.org/"),
    ],
)
def test_what_may_be_one(url: str) -> None:
    assert objection_to(url, private=False) is None


def test_one_s_own_network_may_be_told_where_the_installation_allows_it() -> None:
    for url in ("http://localhost:8080/x", "http://2130706433/", "http://intranet/", "https://[::1]/"):
        assert objection_to(url, private=True) is None
    for url in ("http://256.256.256.256/", "http://a..b/", "http://%31/"):
        assert objection_to(url, private=True)


def test_the_page_adds_tests_and_removes(world: World, database: Database) -> None:
    client, at = world.client("admin"), "/studies/elsewhere/desk/webhooks"
    form = {"url": "https://example.net/mine", "kind-run.finished": "yes", "kind-grades.added": "yes"}
    secret = client.post(at, data=form).text.split('id="new-secret">')[1].split("<")[0]
    page = client.get(at).text
    assert "https://example.net/mine" in page
    assert secret not in page
    with database.read() as session:
        made = session.scalars(select(Webhook).where(Webhook.url == "https://example.net/mine")).one()
    assert made.kinds == ["grades.added", "run.finished"]
    assert client.post(f"{at}/{made.public_id}/test").status_code == 303
    assert "on its way" in client.get(at).text
    assert client.post(f"/studies/here/desk/webhooks/{made.public_id}/remove").status_code == 404
    assert client.post(f"{at}/{made.public_id}/remove").status_code == 303
    assert "https://example.net/mine" not in client.get(at).text
    refused = client.post(at, data={"url": "https://10.0.0.1/"})
    assert refused.status_code == 422
    assert "private network" in refused.text
    assert "at least one of" in refused.text
    with database.read() as session:
        details = [str(each.details) for each in session.scalars(select(AuditEvent))]
    assert not [each for each in details if secret in each]


def test_the_api_tells_the_secret_once(world: World, database: Database) -> None:
    client, at = world.client("admin"), "/api/v1/studies/here/webhooks"
    wanted = {"url": "https://example.org/hook", "kinds": ["run.finished"]}
    made = client.post(at, json=wanted, headers={"Idempotency-Key": "hook-1"}).json()
    assert made["signing_key"].startswith("whsec_")
    assert client.post(at, json=wanted, headers={"Idempotency-Key": "hook-1"}).status_code == 409
    assert made["signing_key"] not in client.get(at).text
    sent = client.post(f"{at}/{made['webhook']}/test").json()
    listed = client.get(f"{at}/{made['webhook']}/deliveries").json()["items"]
    assert [each["delivery"] for each in listed] == [sent["delivery"]]
    assert client.post(at, json={"url": "https://example.org/", "kinds": ["everything"]}).status_code == 422
    left = client.delete(f"{at}/{made['webhook']}").json()["items"]
    assert made["webhook"] not in [each["webhook"] for each in left]
