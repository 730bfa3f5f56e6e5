"""Identifiers and secrets."""

import hashlib
import secrets
from uuid import uuid4


def new_token() -> str:
    """A secret of 256 bits for a link or a cookie. Only its hash is stored."""
    return secrets.token_urlsafe(32)


def hash_token(token: str) -> str:
    """What is stored of a secret: a fast hash is right for 256 random bits."""
    return hashlib.sha256(token.encode()).hexdigest()


def new_opaque_id() -> str:
    """An identifier that tells nothing and sorts by nothing."""
    return uuid4().hex


def content_hash(*parts: str) -> str:
    """SHA-256 over texts, each with its length, so that no two lists of parts collide."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "big"))
        digest.update(data)
    return digest.hexdigest()
