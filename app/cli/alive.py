"""``codejury alive``: what containers ask of themselves."""

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from app.cli.environment import load_settings

if TYPE_CHECKING:
    from app.config import Settings

cli = typer.Typer()

PATIENCE_SECONDS = 4


class Part(StrEnum):
    """What may be started on its own."""

    WEB = "web"
    WORKER = "worker"
    RUNNER = "runner"


@cli.command()
def alive(part: Annotated[Part, typer.Argument(help="Which part of CodeJury should live on this machine.")]) -> None:
    """Exit code 0 when that part lives on this machine, in this container: for health checks."""
    settings = load_settings()
    {Part.WEB: _web, Part.WORKER: _worker, Part.RUNNER: _runner}[part](settings)
    typer.echo("alive")


def _web(settings: "Settings") -> None:
    from http.client import HTTPConnection, HTTPException

    from app.errors import NotFound

    host = _reachable(settings.host)
    try:
        line = HTTPConnection(host, settings.port, timeout=PATIENCE_SECONDS)
        line.request("GET", "/health")
        answered = line.getresponse().status
        line.close()
    except (OSError, HTTPException):
        answered = None
    if answered != 200:
        raise NotFound(f"The pages don't answer at {host}, port {settings.port}.", remedy="Start them: codejury web")


def _reachable(host: str) -> str:
    """Who listens at all addresses is reached by loopback."""
    from ipaddress import ip_address

    try:
        return "127.0.0.1" if ip_address(host).is_unspecified else host
    except ValueError:  # a name
        return host


def _worker(settings: "Settings") -> None:
    from app.errors import NotFound
    from app.services.runs.processes import machine
    from app.services.runs.workers import live_workers
    from app.storage.engine import Database

    database = Database(settings.effective_database_url)
    with database.read() as session:
        names = [worker.name for worker in live_workers(session)]
    database.dispose()
    if not any(name.rpartition(":")[0] == machine() for name in names):
        raise NotFound("No worker of this machine was heard of lately.", remedy="Start one: codejury worker")


def _runner(settings: "Settings") -> None:
    from workers.runner import ask

    ask(settings.runner_path, {})
