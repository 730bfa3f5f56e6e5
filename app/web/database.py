"""Sessions for routes. A write is committed before the answer leaves: an answer that says "saved" is true."""

from collections.abc import Iterator
from typing import Annotated

from fastapi import Depends, Request
from sqlalchemy.orm import Session

from app.storage.engine import Database


def database_of(request: Request) -> Database:
    """The app's database."""
    database: Database = request.app.state.database
    return database


def _read(request: Request) -> Iterator[Session]:
    with database_of(request).read() as session:
        yield session


def _write(request: Request) -> Iterator[Session]:
    with database_of(request).write() as session:
        yield session


ReadSession = Annotated[Session, Depends(_read)]
# scope="function" ends the dependency, and so commits, before the response is sent.
WriteSession = Annotated[Session, Depends(_write, scope="function")]
