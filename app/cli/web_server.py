"""The web server behind ``codejury serve`` and ``codejury web``: one process, or several on one port."""

from __future__ import annotations

import os
import signal
import socket
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import typer
import uvicorn
from uvicorn.supervisors import Multiprocess

from app.config import Settings
from app.logs import adopt_libraries
from app.storage.engine import Database
from app.web.cores import offer_cores
from app.web.patience import PatientProtocol
from app.web.process import COUNTS_FOLDER, settle

if TYPE_CHECKING:
    from fastapi import FastAPI

LOOK_SECONDS = 0.5
# Longer than a person thinks about an item, and than reverse proxies keep connections (Caddy: two minutes). If the
# server closes first, a proxy may send its next request into a closing connection; no POST is sent twice: a 502.
KEEP_ALIVE_SECONDS = 150


def run_one(settings: Settings, database: Database, listener: socket.socket, lines: list[str]) -> None:
    """Answer requests until SIGINT or SIGTERM."""
    from app.main import create_app  # not above: who only starts several of them does without

    class Announcing(uvicorn.Server):
        """Says where it is once it answers there."""

        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            settle()
            typer.echo("\n".join(lines))

    adopt_libraries(settings.effective_log_form)
    # uvicorn stops in order at these signals and then raises them again, for whoever started it: nothing more to do.
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, lambda *_: None)
    Announcing(_config(settings, create_app(settings, database))).run(sockets=[listener])


def run_several(settings: Settings, listener: socket.socket, lines: list[str], processes: int) -> None:
    """The same by several processes; one that dies or hangs is replaced."""

    class Announcing(Multiprocess):
        """Says where they are once all of them answer there."""

        def init_processes(self) -> None:
            super().init_processes()
            while not self.signal_queue and all(each.process.is_alive() for each in self.processes):
                if all(each.is_ready(LOOK_SECONDS) for each in self.processes):
                    typer.echo("\n".join(lines))
                    return

    adopt_libraries(settings.effective_log_form)
    os.environ["PORT"] = str(settings.port)  # which was perhaps "any"; links name the one that was taken
    with tempfile.TemporaryDirectory(prefix="codejury-counts-") as folder:
        os.environ[COUNTS_FOLDER] = folder  # where they add up what each of them counts
        offer_cores(Path(folder), processes)
        config = _config(settings, "app.cli.web_process:make_app", factory=True, workers=processes)
        Announcing(config, [listener]).run()


def _config(settings: Settings, web: FastAPI | str, *, factory: bool = False, workers: int = 1) -> uvicorn.Config:
    return uvicorn.Config(
        web,
        factory=factory,
        workers=workers,
        http=PatientProtocol,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=5,
        log_config=None,  # app.logs has its lines
        forwarded_allow_ips=settings.proxies,
    )
