"""The app behind a real server, in a thread of the test's process."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn

from app.config import Settings
from app.main import create_app
from app.storage.engine import Database


@contextmanager
def serve(settings: Settings, database: Database) -> Iterator[str]:
    """Serve on a free port, which the app knows, so that the links it makes lead back to it; yields the address."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        known = settings.model_copy(update={"host": "127.0.0.1", "port": listening.getsockname()[1]})
        server = uvicorn.Server(uvicorn.Config(create_app(known, database), log_level="warning", lifespan="off"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        while not server.started and thread.is_alive():
            time.sleep(0.01)
        yield known.public_url
        server.should_exit = True
        thread.join()
