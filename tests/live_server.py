"""The app behind a real server, in a thread of the test's process."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
from fastapi import FastAPI

from app.config import Settings
from app.storage.engine import Database
from tests.apps import lent_app


@contextmanager
def serve(settings: Settings, database: Database) -> Iterator[str]:
    """Serve on a free port, which the app knows, so that the links it makes lead back to it; yields the address."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        known = settings.model_copy(update={"host": "127.0.0.1", "port": listening.getsockname()[1]})
        with lent_app(known, database) as app, _running(app, listening):
            yield known.public_url


@contextmanager
def _running(app: FastAPI, listening: socket.socket) -> Iterator[None]:
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", lifespan="off"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    while not server.started and thread.is_alive():
        time.sleep(0.01)
    yield
    server.should_exit = True
    thread.join()
