"""Where to go after signing in: only ever to a page of our own."""

import re
from urllib.parse import urlsplit

# A slash, then no second slash or backslash (browsers read both as another host); no spaces or control characters.
_LOCAL = re.compile(r"/(?![/\\])[^\\\x00-\x20\x7f]{0,2000}")


def local_path(target: str | None, default: str = "/") -> str:
    """The target if it is a path on this site, else the default."""
    if not target or not target.isascii() or not _LOCAL.fullmatch(target):
        return default
    parts = urlsplit(target)
    return default if parts.scheme or parts.netloc else target
