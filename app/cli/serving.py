"""``codejury serve``, ``codejury web`` and ``codejury migrate``."""

from __future__ import annotations

import errno
import os
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from app.cli.environment import load_settings, open_database, prepare_data_dir

if TYPE_CHECKING:
    from app.config import Settings
    from app.storage.engine import Database

cli = typer.Typer()

Processes = Annotated[int, typer.Option(min=1, help="How many processes share the port. One keeps one core busy.")]

LET_GO_SECONDS = 5  # several times as long as processes take to notice that they are alone


@cli.command()
def serve(processes: Processes = 1) -> None:
    """Serve the pages, and do the work in the background too unless BROKER_URL says that others do."""
    settings = load_settings()
    _serve(settings, processes=processes, with_worker=settings.mode == "embedded")


@cli.command()
def web(processes: Processes = 1) -> None:
    """Serve the pages and nothing else: workers are started on their own."""
    _serve(load_settings(), processes=processes, with_worker=False)


@cli.command()
def migrate() -> None:
    """Bring the database's schema to what this version needs."""
    from app.storage import migrate as schema
    from app.storage.engine import Database

    settings = load_settings()
    prepare_data_dir(settings)
    database = Database(settings.effective_database_url)
    schema.check_known(schema.current_revision(database.engine))
    database.dispose()
    schema.upgrade(settings.effective_database_url)
    typer.echo(f"The database is at revision {schema.head_revision()}.")


def _serve(settings: Settings, *, processes: int, with_worker: bool) -> None:
    from app.cli.lock import sole_server

    prepare_data_dir(settings)
    with ExitStack() as stack:
        if settings.mode == "embedded" or settings.is_sqlite:
            stack.enter_context(sole_server(settings.data_dir))
        listener = stack.enter_context(_listen(settings, LET_GO_SECONDS if processes > 1 else 0))
        settings = settings.model_copy(update={"port": listener.getsockname()[1]})
        database = stack.enter_context(open_database(settings))
        if with_worker:
            stack.enter_context(_companion(settings))  # first, since it takes as long to start as all the rest here
        lines = _first_lines(settings, database)
        from app.cli.web_server import run_one, run_several  # a second's work, and until here all may be refused

        if processes > 1:
            run_several(settings, listener, lines, processes)
        else:
            run_one(settings, database, listener, lines)


@contextmanager
def _listen(settings: Settings, patience: float) -> Iterator[socket.socket]:
    """The port, taken before anything else is done: a busy one is told at once, or after so many seconds."""
    from app.errors import Conflict

    try:
        listener = _take(settings.host, settings.port, patience)
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno and error.errno > 0 else str(error)
        raise Conflict(
            f"Port {settings.port} on {settings.host} can't be used: {reason}.",
            remedy="Stop what uses it, or choose another one, for example: PORT=8080 codejury serve",
        ) from error
    with listener:
        yield listener


def _take(host: str, port: int, patience: float) -> socket.socket:
    """Processes of which the first was killed hold their port until they notice; the next ones may come at once."""
    family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
    end = time.monotonic() + patience
    while True:
        try:
            return socket.create_server(address[:2], family=family, backlog=2048)
        except OSError as error:
            if error.errno != errno.EADDRINUSE or time.monotonic() > end:
                raise
        time.sleep(0.1)


@contextmanager
def _companion(settings: Settings) -> Iterator[None]:
    from app.cli.companion import Companion

    companion = Companion(settings)
    try:
        yield
    finally:
        companion.stop()


def _first_lines(settings: Settings, database: Database) -> list[str]:
    """Where to go: the address, and on a new installation the links that open it."""
    from app.services.setup_links import first_admin_link

    lines = [f"CodeJury is at {settings.public_url}"]
    if settings.mode == "embedded":
        lines += _demo_line(settings, database)
    with database.write() as session:
        token = first_admin_link(session)
    if token:
        lines.append(f"Become the first admin (once): {settings.public_url}/setup/{token}")
    return lines


def _demo_line(settings: Settings, database: Database) -> list[str]:
    from app.services.demo import ensure_demo

    links = ensure_demo(database, settings)
    return [f"Grade the demo study: {settings.public_url}/join/{links.invitation}"] if links else []
