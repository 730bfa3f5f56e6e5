"""Addresses, names and networks that are none stop the start, in any mode, and no password of theirs is shown."""

import pytest

from app.config import Settings
from tests.settings.test_production import start

KEY = "hunter2"
BEGINNING = "It must begin with https:// or http:// and go on with a name."
PLAIN = "Links begin with it, so it must hold no user, password"
POSTGRES = "It must look like postgresql://user:password@host:5432/database."
NO_NETWORK = "is no address and no network. It must list those of reverse proxies"
NO_NAME = "is no host name. It must name hosts as browsers send them"


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("CODEJURY_BASE_URL", "jury.example.org", BEGINNING),
        ("CODEJURY_BASE_URL", "jury.example.org:8000", BEGINNING),
        ("CODEJURY_BASE_URL", "https://", BEGINNING),
        ("CODEJURY_BASE_URL", "ftp://jury.example.org", BEGINNING),
        ("CODEJURY_BASE_URL", f"https://ada:{KEY}@[::1", BEGINNING),
        ("CODEJURY_BASE_URL", f"https://jury.example.org:{KEY}", BEGINNING),
        ("CODEJURY_BASE_URL", f"https://ada:{KEY}@jury.example.org", PLAIN),
        ("CODEJURY_BASE_URL", f"https://{KEY}@jury.example.org", PLAIN),
        ("CODEJURY_BASE_URL", f"https://jury.example.org/?key={KEY}", PLAIN),
        ("CODEJURY_BASE_URL", f"https://jury.example.org/#{KEY}", PLAIN),
        ("BASE_URL", "jury.example.org", BEGINNING),
        ("OTEL_EXPORTER_OTLP_ENDPOINT", "nonsense", BEGINNING),
        ("OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4318", BEGINNING),
        ("OTEL_EXPORTER_OTLP_ENDPOINT", "https://two words", BEGINNING),
        ("CODEJURY_BUCKET_ENDPOINT", f"https://ada:{KEY}@s3.example.org:x", BEGINNING),
        ("CODEJURY_OIDC_ISSUER", "https://", "Its address must begin with https://."),
        ("DATABASE_URL", f"postgresql://ada:{KEY}@db:{KEY}/jury", POSTGRES),
        ("DATABASE_URL", f"postgresql://ada:a@{KEY}@db/jury", POSTGRES),
        ("DATABASE_URL", f"postgresql://ada:a/{KEY}@db/jury", POSTGRES),
        ("DATABASE_URL", f"postgresql://ada:a?@{KEY}@db/jury", POSTGRES),
        ("BROKER_URL", f"redis://:{KEY}@broker:{KEY}/0", "It must begin with redis:// or rediss:// and go on"),
        ("BROKER_URL", f"redis://:{KEY}\u2100@broker/0", "It must begin with redis:// or rediss:// and go on"),
        ("CODEJURY_PROXIES", "10.0.0.0/99", f"'10.0.0.0/99' {NO_NETWORK}"),
        ("CODEJURY_PROXIES", "127.0.0.1, 10.0.0.1/24", f"'10.0.0.1/24' {NO_NETWORK}"),  # which uvicorn passes over
        ("CODEJURY_PROXIES", "proxy", f"'proxy' {NO_NETWORK}"),
        ("CODEJURY_PROXIES", "*, 10.0.0.1", f"'*' {NO_NETWORK}"),
        ("CODEJURY_PROXIES", f"http://ada:{KEY}@proxy", f"'proxy' {NO_NETWORK}"),
        ("CODEJURY_ALLOWED_HOSTS", "https://jury.example.org", f"'https://jury.example.org' {NO_NAME}"),
        ("CODEJURY_ALLOWED_HOSTS", f"https://ada:{KEY}@jury.example.org", f"'jury.example.org' {NO_NAME}"),
        ("CODEJURY_ALLOWED_HOSTS", "a.example.org, jury.example.org:8000", f"'jury.example.org:8000' {NO_NAME}"),
        ("CODEJURY_ALLOWED_HOSTS", "jury.example.org/x", f"'jury.example.org/x' {NO_NAME}"),
        ("CODEJURY_ALLOWED_HOSTS", "two words", f"'two words' {NO_NAME}"),
        ("CODEJURY_ALLOWED_HOSTS", "a.*.org", f"'a.*.org' {NO_NAME}"),
        ("CODEJURY_ALLOWED_HOSTS", "*example.org", f"'*example.org' {NO_NAME}"),
        ("CODEJURY_ALLOWED_HOSTS", "*.", f"'*.' {NO_NAME}"),
        ("CODEJURY_ALLOWED_HOSTS", "jury..org", f"'jury..org' {NO_NAME}"),
    ],
)
def test_what_is_none_is_refused(monkeypatch: pytest.MonkeyPatch, name: str, value: str, expected: str) -> None:
    lines = start(monkeypatch, **{name: value}).splitlines()[1:]
    assert [f"{name}: {expected}" in line for line in lines] == [True]
    assert KEY not in lines[0]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("CODEJURY_BASE_URL", "http://localhost:8000/"),
        ("CODEJURY_BASE_URL", "https://[2001:db8::7]:8443"),
        ("CODEJURY_BASE_URL", "https://xn--jry-hoa.example.org"),
        ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://ada:key@collector_1:4318/v1"),
        ("DATABASE_URL", "postgresql://ada:100%25%40%2F:x@db.example.org:5432/jury?sslmode=require"),
        ("DATABASE_URL", "postgresql://ada@/jury?host=/var/run/postgresql"),
        ("DATABASE_URL", "postgresql://ada@[::1]:5432/jury"),
        ("DATABASE_URL", "sqlite:////data/a@b#c.sqlite3"),
        ("BROKER_URL", "rediss://:a%40b@broker:6379/0?ssl_cert_reqs=required"),
        ("CODEJURY_PROXIES", "*"),
        ("CODEJURY_PROXIES", "127.0.0.1,::1, 10.0.0.0/24, fd00::/8,"),
        ("CODEJURY_ALLOWED_HOSTS", "*"),
        ("CODEJURY_ALLOWED_HOSTS", "web_1, a.example.org,*.b.example, 10.0.0.7, [::1],"),
    ],
)
def test_what_is_one_is_taken(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(name, value)
    Settings()
