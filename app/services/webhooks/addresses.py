"""Where a webhook may go: to the public, never into our own network.

A name is looked up once for each sending, all that it stands for is judged, and the connection goes to the very
address that was judged: a name that changes its meaning in between leads nowhere (DNS rebinding).
"""

import ipaddress
import re
import socket
from urllib.parse import urlsplit

from app.words import gettext

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
LONGEST = 2000
# Ways to write an IPv4 address, a private one too, as one of IPv6.
TRANSLATED = (ipaddress.ip_network("64:ff9b::/96"), ipaddress.ip_network("64:ff9b:1::/48"))

# Names that stand for this machine, for its own network, or for nothing (RFC 6761, 6762, 8375; ICANN's "internal").
NEVER_PUBLIC = ("localhost", "local", "internal", "home.arpa", "invalid")
LABEL = re.compile(r"[a-z0-9_-]{1,63}")
LONGEST_NAME = 253
NUMBER = re.compile(r"\d+|0x[0-9a-f]*")


class Refused(Exception):
    """This address is none that a webhook may go to."""


def objection_to(url: str, *, private: bool) -> str | None:
    """Why this can't be a webhook's address; None where it can. Names are looked up when something is sent."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        return gettext("This is no address.")
    schemes = ("https", "http") if private else ("https",)
    if not url.isascii() or not url.isprintable() or " " in url or not host or len(url) > LONGEST or port == 0:
        return gettext("This is no address.")
    if parts.scheme not in schemes:
        return gettext("A webhook’s address begins with https://.")
    if parts.username is not None or parts.password is not None or parts.fragment:
        return gettext("An address for webhooks has no user, no password and no #fragment.")
    return _objection_to_host(host.removesuffix("."), private=private)


def _objection_to_host(host: str, *, private: bool) -> str | None:
    literal = _literal(host)
    if literal is None and not _is_name(host):
        return gettext("This is no address.")
    if private:
        return None
    if literal is not None and not is_public(literal):
        return gettext("This address lies in a private network.")
    if literal is None and _leads_home(host):
        return gettext("The name %(name)s leads nowhere outside of one’s own network.", name=host)
    return None


def _is_name(host: str) -> bool:
    """Whether it can be a host's name. One that ends in a number would have to be an IPv4 address, and is none."""
    labels = host.split(".")
    return len(host) <= LONGEST_NAME and all(map(LABEL.fullmatch, labels)) and NUMBER.fullmatch(labels[-1]) is None


def _leads_home(name: str) -> bool:
    return "." not in name or f".{name}".endswith(tuple(f".{each}" for each in NEVER_PUBLIC))


def resolve(host: str, port: int, *, private: bool) -> str:
    """The IP address to connect to; Refused unless every one that the name stands for may be connected to."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise Refused("The name can't be found.") from error
    addresses = [ipaddress.ip_address(str(each[4][0]).partition("%")[0]) for each in found]
    if not addresses or not (private or all(map(is_public, addresses))):
        raise Refused("The name leads into a private network.")
    return str(addresses[0])


def is_public(address: Address) -> bool:
    """Whether it is anybody's: no loopback, no private or link-local network, however it is written."""
    if isinstance(address, ipaddress.IPv6Address):
        if any(address in network for network in TRANSLATED):
            return False
        inner = address.ipv4_mapped or address.sixtofour or (address.teredo[1] if address.teredo else None)
        if inner is not None and not is_public(inner):
            return False
    return address.is_global and not address.is_multicast


def _literal(host: str) -> Address | None:
    """The IP address that this is, in any form that connecting would understand: 2130706433, 0x7f.1, 127.1."""
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        pass
    try:
        return ipaddress.IPv4Address(socket.inet_aton(host))
    except OSError:
        return None
