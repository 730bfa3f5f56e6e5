"""What production demands of the settings. A finding names the setting and the remedy, and never shows a secret."""

import re
from collections.abc import Iterator, Mapping
from ipaddress import ip_network
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, unquote, urlsplit

from app import addresses

if TYPE_CHECKING:
    from app.config import Settings

SHORTEST_SECRET = 16
FEWEST_LETTERS = 8  # different ones
# What stands in examples, and is copied from there.
PLACEHOLDERS = re.compile(
    r"change.?me|example|insert|password|passwort|secret|replace|codejury|minioadmin", re.IGNORECASE
)
REMEDY = "Make one with: openssl rand -hex 24"
# How PostgreSQL's client gets a password, or does without, other than by the address.
OTHER_KEYS = ("PGPASSWORD", "PGPASSFILE", "PGSERVICE", "PGSSLCERT")
# The widest networks that are somebody's own (10.0.0.0/8, fc00::/7): what is wider takes in strangers.
WIDEST = {4: 8, 6: 7}


def shortcomings(settings: "Settings", environment: Mapping[str, str]) -> list[str]:
    """Everything at once, so that it needs correcting once."""
    return [
        *_of_database(settings, environment),
        *_of_broker(settings),
        *_of_keys(settings, environment),
        *_of_metrics(settings),
        *_of_web(settings),
    ]


def weakness(secret: str) -> str | None:
    """Why this secret would not keep anybody out; None for a good one."""
    if not secret:
        return "is missing"
    if len(secret) < SHORTEST_SECRET:
        return f"is weak: it has fewer than {SHORTEST_SECRET} characters"
    if len(set(secret)) < FEWEST_LETTERS:
        return f"is weak: it has fewer than {FEWEST_LETTERS} different characters"
    return "is weak: it looks like a placeholder" if PLACEHOLDERS.search(secret) else None


def _of_database(settings: "Settings", environment: Mapping[str, str]) -> Iterator[str]:
    if settings.is_sqlite:
        if settings.broker_url:
            yield (
                "DATABASE_URL: a team's processes can't share SQLite. Set it to a PostgreSQL, or take BROKER_URL "
                "away to let one process do everything."
            )
        return
    parts = urlsplit(settings.effective_database_url)
    by_other_means = (
        any(environment.get(key) for key in OTHER_KEYS) or {"passfile", "sslcert"} & parse_qs(parts.query).keys()
    )
    by_socket = not parts.hostname  # the system tells PostgreSQL who asks
    if parts.password is None and (by_other_means or by_socket):
        return
    if reason := weakness(unquote(parts.password or "")):
        yield f"DATABASE_URL: its password {reason}. {REMEDY}"


def _of_broker(settings: "Settings") -> Iterator[str]:
    if settings.broker_url and (reason := weakness(unquote(urlsplit(settings.broker_url).password or ""))):
        yield f"BROKER_URL: its password {reason}. {REMEDY}"


def _of_keys(settings: "Settings", environment: Mapping[str, str]) -> Iterator[str]:
    """The bucket's key, where a variable gives one (a file or the machine's role may as well)."""
    key = environment.get("AWS_SECRET_ACCESS_KEY")
    if settings.bucket and key and (reason := weakness(key)):
        yield f"AWS_SECRET_ACCESS_KEY: it {reason}. {REMEDY}"


def _of_metrics(settings: "Settings") -> Iterator[str]:
    if settings.metrics_token and (reason := weakness(settings.metrics_token.get_secret_value())):
        yield f"CODEJURY_METRICS_TOKEN: it {reason}. {REMEDY}"


def _of_web(settings: "Settings") -> Iterator[str]:
    """Cookies, and links in what people get, must not cross the network in the clear."""
    if not settings.https:
        yield "CODEJURY_HTTPS: it must be on. Let a reverse proxy speak TLS in front of CodeJury."
    if not (settings.base_url or "").startswith("https://"):
        yield "CODEJURY_BASE_URL: it must say how browsers come here, beginning with https://."
    yield from _of_hosts(settings)
    yield from _of_proxies(settings)


def _of_hosts(settings: "Settings") -> Iterator[str]:
    if "*" in settings.known_hosts:
        yield "CODEJURY_ALLOWED_HOSTS: it must name hosts; * believes whatever a request says."
    for name in addresses.listed(settings.allowed_hosts):
        if name.startswith("*.") and "." not in name.removeprefix("*."):
            yield f"CODEJURY_ALLOWED_HOSTS: {name} lets anybody's name in; name your own, such as *.example.org."


def _of_proxies(settings: "Settings") -> Iterator[str]:
    for believed in _strangers(settings.proxies):
        yield f"CODEJURY_PROXIES: it must name the reverse proxy; {believed} believes anybody's word on who asks."


def _strangers(proxies: str) -> list[str]:
    """What in this list takes in people's own machines."""
    if proxies == "*":
        return ["*"]
    networks = map(ip_network, addresses.listed(proxies))
    return [str(each) for each in networks if each.prefixlen < WIDEST[each.version]]
