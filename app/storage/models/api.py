"""Programs: tokens by which they act for a user, and keys by which a write that is sent twice is done once."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from app.storage.base import Base, Dated, Identified


class ApiToken(Identified, Dated, Base):
    """A secret by which a program acts for a user, within its scopes. Only its hash is kept; ``hint`` names it."""

    __tablename__ = "api_tokens"

    user_id: Mapped[int] = mapped_column(ForeignKey("users.id"), index=True)
    name: Mapped[str] = mapped_column(String(200))
    hint: Mapped[str] = mapped_column(String(20))  # how the token begins: it tells tokens apart and opens nothing
    token_hash: Mapped[str] = mapped_column(String(64), unique=True)
    scopes: Mapped[list[Any]]
    expires_at: Mapped[datetime]
    last_used_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]


class IdempotencyKey(Identified, Dated, Base):
    """A write that was done under a key: what was asked, by its hash, and what was answered.

    Stored in the transaction of the write itself, so that a write without its answer can't be. An answer that holds
    a secret is not kept.
    """

    __tablename__ = "idempotency_keys"
    __table_args__ = (UniqueConstraint("user_id", "key"),)

    user_id: Mapped[int] = mapped_column(ForeignKey("users.id"))
    key: Mapped[str] = mapped_column(String(255))
    request_hash: Mapped[str] = mapped_column(String(64))
    status: Mapped[int] = mapped_column(default=0)
    body: Mapped[str | None] = mapped_column(Text)
    expires_at: Mapped[datetime] = mapped_column(index=True)
