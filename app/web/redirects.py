"""Where to go after signing in or changing the language: only ever to a page of our own."""

import re
from urllib.parse import urlsplit

from fastapi import Request

# A slash, then no second slash or backslash (browsers read both as another host); no spaces or control characters.
_LOCAL = re.compile(r"/(?![/\\])[^\\\x00-\x20\x7f]{0,2000}")


def local_path(target: str | None, default: str = "/") -> str:
    """The target if it is a path on this site, else the default."""
    if not target or not target.isascii() or not _LOCAL.fullmatch(target):
        return default
    parts = urlsplit(target)
    return default if parts.scheme or parts.netloc else target


def page_before(request: Request) -> str:
    """Address of the page whose form was sent; the start where the browser doesn't say."""
    parts = urlsplit(request.headers.get("referer", ""))
    return local_path(parts._replace(scheme="", netloc="", fragment="").geturl())
