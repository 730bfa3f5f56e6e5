"""Production refuses settings that endanger people's work, and says all that is wrong without showing a secret."""

import re
import secrets

import pytest
from pydantic import ValidationError

from app.cli.environment import load_settings
from app.config import Settings, get_settings
from app.errors import InvalidInput
from app.production import weakness
from tests.cli.test_cli import codejury

DATABASE_KEY, BROKER_KEY = secrets.token_hex(24), secrets.token_hex(24)  # made as the message says
GOOD: dict[str, str | None] = {
    "CODEJURY_ENV": "production",
    "DATABASE_URL": f"postgresql://jury:{DATABASE_KEY}@db:5432/jury",
    "BROKER_URL": f"redis://:{BROKER_KEY}@broker:6379/0",
    "CODEJURY_HTTPS": "1",
    "CODEJURY_BASE_URL": "https://jury.example.org",
    "AWS_SECRET_ACCESS_KEY": None,  # a test beside these may have one in its environment
}


def said(monkeypatch: pytest.MonkeyPatch, **changes: str | None) -> str:
    """What production says to the good settings with these changes; "" when it goes on."""
    for name, value in (GOOD | changes).items():
        monkeypatch.setenv(name, value) if value is not None else monkeypatch.delenv(name, raising=False)
    try:
        Settings()
    except ValidationError as refusal:
        return "\n".join(each["msg"] for each in refusal.errors())
    return ""


def test_good_settings_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    assert said(monkeypatch) == ""


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"DATABASE_URL": "postgresql://jury@db/jury"}, "DATABASE_URL: its password is missing"),
        ({"DATABASE_URL": "postgresql://jury:short1@db/jury"}, "DATABASE_URL: its password is weak: it has fewer"),
        ({"BROKER_URL": "redis://broker:6379/0"}, "BROKER_URL: its password is missing"),
        ({"BROKER_URL": "redis://:change-me-please-now@broker/0"}, "BROKER_URL: its password .* looks like a placeh"),
        ({"BROKER_URL": "redis://:aaaaaaaaaaaaaaaaaaaaa@broker/0"}, "BROKER_URL: its password .* different char"),
        ({"DATABASE_URL": None}, "DATABASE_URL: a team's processes can't share SQLite"),
        ({"DATABASE_URL": "sqlite:////data/x.sqlite3"}, "DATABASE_URL: a team's processes can't share SQLite"),
        ({"CODEJURY_HTTPS": "0"}, "CODEJURY_HTTPS: it must be on"),
        ({"CODEJURY_BASE_URL": None}, "CODEJURY_BASE_URL: it must say"),
        ({"CODEJURY_BASE_URL": "http://jury.example.org"}, "CODEJURY_BASE_URL: it must say .*https://"),
        ({"CODEJURY_ALLOWED_HOSTS": "*"}, "CODEJURY_ALLOWED_HOSTS: it must name hosts"),
        ({"CODEJURY_PROXIES": "*"}, "CODEJURY_PROXIES: it must name the reverse proxy"),
        ({"CODEJURY_PROXIES": "0.0.0.0/0"}, "CODEJURY_PROXIES: it must name the reverse proxy; 0.0.0.0/0 believes"),
        ({"CODEJURY_PROXIES": "10.0.0.7, ::/0"}, "CODEJURY_PROXIES: it must name the reverse proxy; ::/0 believes"),
        ({"CODEJURY_PROXIES": "128.0.0.0/1"}, "CODEJURY_PROXIES: it must name the reverse proxy; 128.0.0.0/1"),
        ({"CODEJURY_PROXIES": "2000::/3"}, "CODEJURY_PROXIES: it must name the reverse proxy; 2000::/3"),
        (
            {"CODEJURY_ALLOWED_HOSTS": "a.example.org, *.com"},
            r"CODEJURY_ALLOWED_HOSTS: \*.com lets anybody's name in",
        ),
        (
            {"CODEJURY_METRICS_TOKEN": "metrics-secret-for-all"},
            "CODEJURY_METRICS_TOKEN: it is weak",
        ),
        (
            {"CODEJURY_BUCKET": "s3://jury", "AWS_SECRET_ACCESS_KEY": "minioadmin-minioadmin"},
            "AWS_SECRET_ACCESS_KEY: it is weak",
        ),
    ],
)
def test_what_endangers_work_is_refused(
    monkeypatch: pytest.MonkeyPatch, changes: dict[str, str | None], expected: str
) -> None:
    message = said(monkeypatch, **changes)
    assert re.search(expected, message)
    assert message.count("\n") == 0, "this alone is wrong"
    for value in filter(None, (*GOOD.values(), *changes.values())):
        assert value not in message or len(value) < 16


@pytest.mark.parametrize(
    "changes",
    [
        {"DATABASE_URL": "postgresql:///jury"},  # by a socket the system says who asks
        {"DATABASE_URL": "postgresql://jury@db/jury?passfile=/run/secrets/pgpass"},
        {"DATABASE_URL": "postgresql://jury@db/jury", "PGPASSFILE": "/run/secrets/pgpass"},
        {"DATABASE_URL": None, "BROKER_URL": None},  # one process does everything
        {"CODEJURY_BUCKET": "s3://jury/files"},  # the key comes from elsewhere
        {"CODEJURY_PROXIES": "10.0.0.0/8, fc00::/7, 203.0.113.7, 2001:db8::/32"},
        {"CODEJURY_ALLOWED_HOSTS": "web, *.example.org, 10.0.0.7, [::1]"},
    ],
)
def test_other_ways_to_be_safe_are_taken(monkeypatch: pytest.MonkeyPatch, changes: dict[str, str | None]) -> None:
    assert said(monkeypatch, **changes) == ""


def test_all_is_said_at_once_and_by_the_command_line() -> None:
    answer = codejury("migrate", CODEJURY_ENV="production", BROKER_URL="redis://:hunter2@broker/0")
    assert (answer.returncode, answer.stdout) == (1, "")
    lines = answer.stderr.splitlines()
    assert [line.partition(":")[0] for line in lines[1:]] == [
        "DATABASE_URL",
        "BROKER_URL",
        "CODEJURY_HTTPS",
        "CODEJURY_BASE_URL",
    ]
    assert "hunter2" not in answer.stderr


def test_development_refuses_none_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    bad: dict[str, str | None] = {"BROKER_URL": "redis://broker/0", "CODEJURY_HTTPS": "0", "CODEJURY_BASE_URL": None}
    bad |= {"CODEJURY_PROXIES": "*", "CODEJURY_ALLOWED_HOSTS": "*, *.test"}
    assert said(monkeypatch, CODEJURY_ENV=None, DATABASE_URL=None, **bad) == ""


def start(monkeypatch: pytest.MonkeyPatch, **environment: str) -> str:
    """What a command says to these variables."""
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    get_settings.cache_clear()
    with pytest.raises(InvalidInput) as refusal:
        load_settings()
    return refusal.value.in_words()


@pytest.mark.parametrize("value", ["prod", "Production!", "yes"])
def test_a_mode_that_there_is_not_stops_the_start(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    assert "CODEJURY_ENV: It must be 'development' or 'production'." in start(monkeypatch, CODEJURY_ENV=value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("DATABASE_URL", "mysql://root:hunter2@db/x"),
        ("DATABASE_URL", "postgresql+psycopg2://root:hunter2@db/x"),
        ("BROKER_URL", "memory://hunter2"),
        ("BROKER_URL", "amqp://guest:hunter2@broker"),
        ("CODEJURY_BUCKET", "hunter2"),
        ("CODEJURY_BUCKET_ENDPOINT", "hunter2"),
    ],
)
def test_an_address_of_another_kind_is_refused_and_not_shown(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    message = start(monkeypatch, **{name: value})
    assert f"{name}: It must begin with " in message
    assert "hunter2" not in message


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+psycopg"])
def test_postgresql_is_known_by_any_of_its_names(scheme: str) -> None:
    settings = Settings(DATABASE_URL=f"{scheme}://jury@db/jury")  # type: ignore[call-arg]
    assert settings.effective_database_url == "postgresql+psycopg://jury@db/jury"


def test_an_empty_variable_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DATABASE_URL", "BROKER_URL", "CODEJURY_HTTPS", "CODEJURY_BUCKET", "PORT"):
        monkeypatch.setenv(name, "")
    settings = Settings()
    assert (settings.mode, settings.https, settings.bucket, settings.port) == ("embedded", False, None, 8000)


@pytest.mark.parametrize(
    "secret", ["", "hunter2", "a" * 40, "changeme-0123456789", "my-Password-0123456", "codejury-1234567"]
)
def test_weak_secrets(secret: str) -> None:
    assert weakness(secret)


def test_a_made_secret_is_strong() -> None:
    assert weakness(DATABASE_KEY) is None
