"""Addresses, names and networks in settings: whether they are any.

They may hold a password, so no message quotes one; those of ``urlsplit`` do.
"""

import re
from ipaddress import ip_address, ip_network
from urllib.parse import SplitResult, urlsplit

LABEL = r"[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?"
NAME = re.compile(rf"{LABEL}(\.{LABEL})*", re.IGNORECASE)
# As RFC 3986 has it. With a bare "@" or "/" in a password, every reader finds another host, and shows half of it.
POSTGRES = re.compile(r"postgresql\+psycopg://([^@/?#]*@)?[^@/?#]*(/[^@?#]*)?(\?[^#]*)?")


def split(url: str) -> SplitResult | None:
    """Its parts; None when they can't be told apart."""
    try:
        parts = urlsplit(url)
        _ = parts.port  # which is looked at only when it is asked for
    except ValueError:
        return None
    return parts


def host_of(url: str, beginnings: tuple[str, ...]) -> str:
    """The host of an address that begins with one of these; "" when it is none."""
    parts = split(url)
    host = (parts and parts.hostname) or ""
    return host if url.startswith(beginnings) and is_host(host) else ""


def is_postgres(url: str) -> bool:
    """Whether SQLAlchemy, PostgreSQL's client and we read the same out of it."""
    return bool(POSTGRES.fullmatch(url)) and split(url) is not None


def is_host(name: str) -> bool:
    """Whether it is a name as browsers send it, or an address (of version 6 in brackets or without)."""
    if NAME.fullmatch(name):
        return True
    try:
        ip_address(name.removeprefix("[").removesuffix("]"))
    except ValueError:
        return False
    return True


def listed(text: str) -> list[str]:
    """What stands between commas."""
    return [each.strip() for each in text.split(",") if each.strip()]


def is_network(text: str) -> bool:
    """Whether it is an address, or a network by its first address and a length."""
    try:
        ip_network(text)
    except ValueError:
        return False
    return True


def shown(text: str) -> str:
    """What may be quoted of something that is not what it should be: perhaps an address with a password."""
    return text.rpartition("@")[2]
