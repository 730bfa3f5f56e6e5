"""A receiver on a real socket, and the world."""

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tests.security.world_fixture import world

__all__ = ["world"]


@dataclass
class Receiver:
    """What came, and what to answer next."""

    url: str = ""
    answers: list[int] = field(default_factory=list)  # then 204
    location: str = ""
    came: list[tuple[dict[str, str], bytes]] = field(default_factory=list)


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    """Listens on a free port of this machine."""
    kept = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            kept.came.append((dict(self.headers), body))
            self.send_response(kept.answers.pop(0) if kept.answers else 204)
            if kept.location:
                self.send_header("Location", kept.location)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    kept.url = f"http://localhost:{server.server_port}/hook?from=codejury"
    yield kept
    server.shutdown()
    server.server_close()
    thread.join()
