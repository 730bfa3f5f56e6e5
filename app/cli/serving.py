"""``codejury serve`` and ``codejury migrate``."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

import typer

from app.cli.environment import load_settings, open_database, prepare_data_dir

if TYPE_CHECKING:
    from app.config import Settings
    from app.storage.engine import Database

cli = typer.Typer()


@cli.command()
def serve() -> None:
    """Serve the pages, and do the work in the background too unless BROKER_URL says that others do."""
    from app.cli.lock import sole_server

    settings = load_settings()
    prepare_data_dir(settings)
    with ExitStack() as stack:
        if settings.mode == "embedded":
            stack.enter_context(sole_server(settings.data_dir))
        listener = stack.enter_context(_listen(settings))
        settings = settings.model_copy(update={"port": listener.getsockname()[1]})
        database = stack.enter_context(open_database(settings))
        lines = _first_lines(settings, database)
        if settings.mode == "embedded":
            stack.enter_context(_companion(settings))
        _run_web(settings, database, listener, lines)


@cli.command()
def migrate() -> None:
    """Bring the database's schema to what this version needs."""
    from app.storage import migrate as schema

    settings = load_settings()
    prepare_data_dir(settings)
    schema.upgrade(settings.effective_database_url)
    typer.echo(f"The database is at revision {schema.head_revision()}.")


@contextmanager
def _listen(settings: Settings) -> Iterator[socket.socket]:
    """The port, taken before anything else is done: a busy one is told at once."""
    from app.errors import Conflict

    try:
        family, *_, address = socket.getaddrinfo(
            settings.host, settings.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listener = socket.create_server(address[:2], family=family, backlog=2048)
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno and error.errno > 0 else str(error)
        raise Conflict(
            f"Port {settings.port} on {settings.host} can't be used: {reason}.",
            remedy="Stop what uses it, or choose another one, for example: PORT=8080 codejury serve",
        ) from error
    with listener:
        yield listener


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
    from app.services.demo import ensure_demo
    from app.services.setup_links import first_admin_link

    lines = [f"CodeJury is at {settings.public_url}"]
    if links := ensure_demo(database, settings):
        lines.append(f"Grade the demo study: {settings.public_url}/join/{links.invitation}")
    with database.write() as session:
        token = first_admin_link(session)
    if token:
        lines.append(f"Become the first admin (once): {settings.public_url}/setup/{token}")
    return lines


def _run_web(settings: Settings, database: Database, listener: socket.socket, lines: list[str]) -> None:
    """Answer requests until SIGINT or SIGTERM."""
    import signal

    import uvicorn

    from app.main import create_app
    from app.web.process import settle

    class Announcing(uvicorn.Server):
        """Says where it is once it answers there."""

        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            settle()
            typer.echo("\n".join(lines))

    # uvicorn stops in order at these signals and then raises them again, for whoever started it: nothing more to do.
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, lambda *_: None)
    config = uvicorn.Config(
        create_app(settings, database),
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=5,
    )
    Announcing(config).run(sockets=[listener])
