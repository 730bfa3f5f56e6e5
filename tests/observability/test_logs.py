"""One line for each request, found again by its number, and nobody's data in any of them."""

import errno
import json
import logging

import pytest
import structlog
from sqlalchemy.exc import IntegrityError

from app.logs import adopt_libraries, configure_logging, without_input
from app.services.runs import enqueue, execute, handler
from app.storage.engine import Database
from app.storage.models import User
from app.web.access import ANYONE
from tests.apps import METRICS_TOKEN
from tests.factories import make_study
from tests.security.authorisation import EXPECTED
from tests.security.world import World

# What a line must never hold, wherever a request carries it.
NAME, MAIL, PLACE = "Ottilie Canary", "ottilie.canary@example.net", "203.0.113.77"
SECRET = "cj_0badf00d_" + "s3cret-" * 6 + "x"
PERSONAL = (NAME, "Ottilie", MAIL, PLACE, SECRET, "s3cret", "correct purple battery", METRICS_TOKEN)


class Lines:
    """What was logged since somebody looked last."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self.capsys = capsys

    def read(self) -> list[dict[str, object]]:
        return [json.loads(line) for line in self.text().splitlines()]

    def text(self) -> str:
        return self.capsys.readouterr().err


@pytest.fixture
def lines(capsys: pytest.CaptureFixture[str], world: World) -> Lines:
    """All that is logged, for machines; the world's app was made before, and set up logs of its own."""
    configure_logging("debug", "json")
    return Lines(capsys)


def _carrying(body: dict[str, object]) -> dict[str, object]:
    """A body in which every text is somebody's."""
    return {key: {name: _personal(name) for name in value} for key, value in body.items() if isinstance(value, dict)}


def _personal(name: str) -> str:
    return MAIL if "mail" in name else NAME


def test_no_route_logs_what_people_send(world: World, lines: Lines) -> None:
    headers = {
        "Sec-Fetch-Site": "same-origin",
        "User-Agent": NAME,
        "X-Forwarded-For": PLACE,
        "Referer": f"http://localhost/people?mail={MAIL}",
        "X-Request-ID": MAIL,
    }
    secrets = [*world.cookies.values(), *(each["token"] for each in world.by_path.values() if "token" in each)]
    for key, access in EXPECTED.items():
        method, path = key.split()
        if path.endswith("/events"):
            continue  # a stream
        for principal in ("anonymous", access.role if access.role in world.cookies else "admin"):
            for body in (access.body, _carrying(access.body)) if access.body else ({},):
                world.client(principal, **headers).request(
                    method, world.address(path), params={"name": NAME, "email": MAIL, "next": MAIL}, **body
                )
    told = lines.text()
    assert told.count('"event": "request"') > 2 * len(EXPECTED)
    for personal in (*PERSONAL, *secrets):
        assert personal not in told, personal


def test_a_line_tells_what_was_asked_and_how_it_ended(world: World, lines: Lines) -> None:
    run = world.parameters["public_id"]
    for path in (f"/runs/{run}?seen=done", "/studies/here/runs", "/api/v1/studies/here", "/no/such/page"):
        world.client("admin").get(path)
    found = [line for line in lines.read() if line["event"] == "request"]
    assert [(line["method"], line["route"], line["status"], line.get("study")) for line in found] == [
        ("GET", "/runs/{public_id}", 200, None),
        ("GET", "/studies/{slug}/runs", 200, "here"),
        ("GET", "/api/v1/studies/{slug}", 200, "here"),
        ("GET", "none", 404, None),
    ]
    assert all(isinstance(line["ms"], float) and line["ms"] > 0 and line["level"] == "info" for line in found)


def test_whatever_stands_where_a_study_does_is_not_logged(world: World, lines: Lines) -> None:
    world.client("admin").get("/studies/ottilie-canary/runs")
    (line,) = lines.read()
    assert line["route"] == "/studies/{slug}/runs"
    assert "ottilie" not in str(line)


@pytest.mark.parametrize("path", ["/health", "/ready", "/static/css/base.css", "/static/no-such-file"])
def test_probes_and_files_are_not_worth_a_line(world: World, lines: Lines, path: str) -> None:
    world.client("anonymous").get(path)
    assert [line for line in lines.read() if line.get("status", 0) != 503] == []


@pytest.mark.parametrize(
    ("sent", "taken"),
    [
        ("0a1b2c3d-0001", True),
        ("a" * 64, True),
        ("a" * 65, False),
        ("short", False),
        ("with space", False),
        (MAIL, False),
        ("x" * 20 + "\x7f", False),
        ("", False),
    ],
)
def test_a_request_keeps_a_number_that_is_safe(world: World, lines: Lines, sent: str, taken: bool) -> None:
    answer = world.client("anonymous").get("/sign-in", headers={"X-Request-ID": sent})
    number = answer.headers["x-request-id"]
    assert (number == sent) is taken
    assert [line["request"] for line in lines.read()] == [number]


def test_each_request_has_a_number_of_its_own(world: World) -> None:
    client = world.client("anonymous")
    assert len({client.get("/health").headers["x-request-id"] for _ in range(5)}) == 5


@pytest.mark.parametrize("path", ["/no/such/page", "/runs/no-such-run"])
def test_a_page_of_an_error_shows_its_number(world: World, path: str) -> None:
    answer = world.client("admin").get(path)
    assert answer.status_code == 404
    assert f">{answer.headers['x-request-id']}</code>" in answer.text


def test_a_failure_is_found_by_the_number_on_its_page(world: World, lines: Lines) -> None:
    def explode() -> None:
        raise RuntimeError(f"{NAME} <{MAIL}> opened http://localhost/join?token={SECRET}")

    world.app.get("/explode", dependencies=[ANYONE])(explode)
    answer = world.client("anonymous").get("/explode")
    assert answer.status_code == 500
    number = answer.headers["x-request-id"]
    assert number in answer.text
    told = [line for line in lines.read() if line["request"] == number]
    assert [line["event"] for line in told] == ["request", "unexpected_failure"]
    assert (told[0]["status"], "RuntimeError" in str(told[1]["exception"])) == (500, True)
    assert not [each for each in (MAIL, SECRET, "s3cret") if each in str(told)]


def test_a_refused_row_is_not_quoted(database: Database, capsys: pytest.CaptureFixture[str]) -> None:
    """Both databases' drivers, and SQLAlchemy, would repeat what was to be stored."""
    configure_logging("info", "text")
    for _ in range(2):
        try:
            with database.write() as session:
                session.add(User(email=MAIL, name=NAME, role="admin", password_hash=SECRET))
        except IntegrityError as error:
            structlog.get_logger().error("refused", exc_info=error)
    told = capsys.readouterr().err
    assert "IntegrityError" in told
    assert "INSERT INTO users" in told
    assert not [each for each in PERSONAL if each in told]


@handler("tests.names_somebody")
def _names_somebody(context: object) -> object:
    raise ValueError(f"{MAIL} was not understood")


def test_a_run_s_lines_carry_its_number_and_its_study(world: World, database: Database, lines: Lines) -> None:
    with database.write() as session:
        study = make_study(session, title="Logged")
        run = enqueue(session, "tests.names_somebody", {}, study_id=study.id)
    execute(database, world.app.state.settings, run.id)
    failed, ended = lines.read()
    assert (failed["event"], ended["event"]) == ("run_failed", "run_ended")
    assert {line["run"] for line in (failed, ended)} == {run.public_id}
    assert {line["study"] for line in (failed, ended)} == {"logged"}
    assert (ended["kind"], ended["outcome"]) == ("tests.names_somebody", "failed")
    assert MAIL not in str(failed)


def test_libraries_tell_in_the_same_form(capsys: pytest.CaptureFixture[str]) -> None:
    root = logging.getLogger()
    before = root.handlers[:], root.level
    try:
        adopt_libraries("json")
        logging.getLogger("a.library").warning("Sent by %s", MAIL)
        logging.getLogger("a.library").info("not worth a line")
    finally:
        root.handlers[:], root.level = before
    (line,) = capsys.readouterr().err.splitlines()
    told = json.loads(line)
    assert (told["event"], told["level"]) == ("Sent by <e-mail address>", "warning")


@pytest.mark.sqlite_is_enough
@pytest.mark.parametrize(
    ("address", "route", "status"),
    [
        ("/studies/here", "/studies/{slug}", 503),
        ("/api/v1/studies/here/outputs", "/api/v1/studies/{slug}/outputs", 503),
        ("/api/v1/no-such-thing", "none", 404),
    ],
)
def test_a_database_that_is_away_is_one_line_a_request(
    world: World, lines: Lines, address: str, route: str, status: int
) -> None:
    client = world.client("admin")
    away = Database("postgresql+psycopg://jury:s3cret@127.0.0.1:1/none?connect_timeout=2")
    world.app.state.database = away
    configure_logging("info", "json")
    assert client.get(address).status_code == status
    away.dispose()
    [told] = [each for each in lines.read() if each["event"] != "request"]
    assert (told["kind"], told["route"]) == ("OperationalError", route)
    assert "refused" in str(told["why"])
    assert "\n" not in str(told["why"])
    assert "s3cret" not in str(told)
    assert "exception" not in told
    assert told.get("trouble") == ("away" if status == 503 else None)


@pytest.mark.sqlite_is_enough
def test_other_troubles_keep_their_traceback(world: World, lines: Lines) -> None:
    @world.app.get("/full", dependencies=[ANYONE])
    def full() -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    assert world.client("anonymous").get("/full").status_code == 503
    [told] = [each for each in lines.read() if each["event"] == "storage_trouble"]
    assert told["trouble"] == "full"
    assert "Traceback" in str(told["exception"])


@pytest.mark.parametrize(
    ("told", "kept"),
    [
        ("run 0123456789abcdef0123456789abcdef was lost", True),
        ("file " + "ab" * 32 + " is gone", True),
        ("Error 111 connecting to 127.0.0.1:6379. Connection refused.", True),
        (f"no session {'A-_9' * 10}xyz here", False),
        (f"token {SECRET}", False),
        ("DETAIL:  Key (name)=(Ottilie) already exists.", False),
        ("for url 'https://issuer.example/token?code=abc'", False),
    ],
)
def test_what_helps_stays_and_what_people_sent_goes(told: str, kept: bool) -> None:
    assert (without_input(told) == told) is kept


def test_a_team_logs_requests_and_a_single_user_s_terminal_does_not(world: World) -> None:
    settings = world.app.state.settings
    assert settings.effective_log_level == "warning"
    assert settings.model_copy(update={"broker_url": "redis://x"}).effective_log_level == "info"
    assert settings.effective_log_form == "text"
    assert settings.model_copy(update={"environment": "production"}).effective_log_form == "json"
